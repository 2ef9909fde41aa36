package plugintest

import (
	"slices"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// checks are all there are, in the order in which they run: those that change
// the connector's system come late, those on a scripted system last.
func checks() []check {
	return slices.Concat(
		[]check{
			{id: "start.up", text: "starts and prints the handshake", reaches: up, run: startUp},
			{id: "start.protocol", text: "speaks this plugin protocol", needs: up, reaches: speaking, run: startProtocol},
			{id: "start.describe", text: "describes itself without configuration and without a network", needs: speaking, reaches: described, run: startDescribe},
			{id: "start.stdout", text: "prints nothing on standard output but the handshake", needs: described, run: startStdout},
			{id: "start.parallel", text: "starts twice at the same time", needs: described, run: startParallel},
			{id: "config.schema", text: "describes its configuration as a JSON Schema", needs: described, reaches: readable, run: configSchema},
			{id: "config.help", text: "has a help text for every field", needs: readable, run: configHelp},
			{id: "config.accepted", text: "takes the configuration of the test", needs: readable, reaches: configured, run: configAccepted},
			{id: "config.required", text: "names a required field that is missing", needs: configured, run: configRequired},
			{id: "config.unknown", text: "names a field that it does not know", needs: configured, run: configUnknown},
			{id: "config.type", text: "names a field whose value has the wrong type", needs: configured, run: configType},
			{id: "config.check", text: "says that the configuration of the test works", needs: configured, has: wire.FeatureCheck, run: configCheck},
			{id: "config.renew", text: "takes a new access token at any time", needs: configured, run: configRenew},
			{id: "start.orphan", text: "leaves within 3 s after the host's death", needs: described, run: startOrphan},
		},
		syncTable(), partTable(),
		[]check{
			{id: "sync.touched", text: "does not lose what changes during a sync", needs: synced, run: syncTouched},
			{id: "list.removed", text: "a removed document disappears", needs: synced, run: listRemoved},
		},
		faultTable(),
		[]check{
			{id: "config.secrets", text: "prints no secret, in all that came before", needs: configured, run: configSecrets},
		},
	)
}

func syncTable() []check {
	return []check{
		{id: "sync.first", text: "a first sync ends well", needs: configured, reaches: synced, run: syncFirst},
		{id: "sync.ids", text: "ids are unique and the same in every process", needs: synced, run: syncIDs},
		{id: "sync.access", text: "every document states who may read it", needs: synced, run: problemOf("access")},
		{id: "sync.url", text: "links are absolute", needs: synced, run: problemOf("url")},
		{id: "sync.updated", text: "no document was updated in the future", needs: synced, run: problemOf("updated")},
		{id: "sync.utf8", text: "text is valid UTF-8", needs: synced, run: problemOf("utf8")},
		{id: "sync.limits", text: "documents keep the limits", needs: synced, run: problemOf("limits")},
		{id: "sync.failures", text: "failures say which document and why", needs: synced, run: problemOf("failures")},
		{id: "sync.checkpoint", text: "a checkpoint at least every 1,000 documents or minute, and one at the end", needs: synced, run: problemOf("checkpoint")},
		{id: "sync.cursor", text: "cursors take 64 KiB at most", needs: synced, run: problemOf("cursor")},
		{id: "sync.poll", text: "a sync from the last cursor brings nothing new", needs: synced, run: syncPoll},
		{id: "sync.resume", text: "a sync that was cut anywhere and resumed ends with the same documents", needs: synced, run: syncResume},
		{id: "sync.cancel", text: "a cancelled sync ends within 2 s", needs: synced, run: syncCancel},
		{id: "sync.growth", text: "nothing grows over 20 syncs", needs: synced, run: syncGrowth},
		{id: "sync.slow", text: "memory does not grow while the host takes 10 documents a second", needs: synced, run: syncSlow},
	}
}

func partTable() []check {
	return []check{
		{id: "list.complete", text: "a listing ends with its count", needs: synced, has: wire.FeatureList, run: listComplete},
		{id: "list.equal", text: "the listing names the documents of a sync", needs: synced, has: wire.FeatureList, run: listEqual},
		{id: "list.cut", text: "a listing that was cut off is not complete, and ends", needs: synced, has: wire.FeatureList, run: listCut},
		{id: "grants.complete", text: "grants end with what they covered", needs: synced, has: wire.FeatureGrants, run: grantsComplete},
		{id: "grants.agree", text: "grants agree with the documents' own readers", needs: synced, has: wire.FeatureGrants, run: grantsAgree},
		{id: "fetch.files", text: "every attachment can be fetched", needs: synced, has: wire.FeatureFetch, run: fetchFiles},
		{id: "fetch.cancel", text: "nothing is left of fetches that were cancelled", needs: synced, has: wire.FeatureFetch, run: fetchCancel},
		{id: "search.deadline", text: "a search answers within 3 s", needs: synced, has: wire.FeatureSearch, run: searchDeadline},
		{id: "search.limit", text: "a search keeps its limit", needs: synced, has: wire.FeatureSearch, run: searchLimit},
		{id: "search.range", text: "a search keeps its time range", needs: synced, has: wire.FeatureSearch, run: searchRange},
		{id: "search.viewer", text: "a search finds only what the viewer may read", needs: synced, has: wire.FeatureSearch, run: searchViewer},
		{id: "tools.schema", text: "tools have names, help and JSON Schemas", needs: configured, has: wire.FeatureTools, run: toolsSchema},
		{id: "tools.arguments", text: "wrong arguments are told to the model", needs: configured, has: wire.FeatureTools, run: toolsArguments},
		{id: "censor.order", text: "a censor answers every passage, in order, within 2 s", needs: synced, has: wire.FeatureCensor, run: censorOrder},
		{id: "censor.unknown", text: "a viewer who is not known gets nothing but what is public", needs: synced, has: wire.FeatureCensor, run: censorUnknown},
	}
}

func faultTable() []check {
	return []check{
		{id: "fault.none", text: "a sync of the scripted system brings documents", needs: readable, run: faultNone},
		{id: "fault.auth", text: "401 is an error of kind auth", needs: described, run: faultAuth},
		{id: "fault.denied", text: "403 on one item is a failure of it, and the sync goes on", needs: described, run: faultDenied},
		{id: "fault.busy", text: "429 is waited for as Retry-After says, or handed to the host as busy", needs: described, run: faultBusy},
		{id: "fault.errors", text: "500 twice is got over", needs: described, run: faultErrors},
		{id: "fault.slow", text: "an answer that trickles can be cancelled", needs: described, run: faultSlow},
		{id: "fault.truncated", text: "an answer that breaks off is a failure or an error, never a short list", needs: described, run: faultTruncated},
		{id: "fault.list", text: "a listing for which an answer breaks off is an error, never a short list", needs: described, has: wire.FeatureList, run: faultList},
	}
}
