package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// pushConnector names the connector that has no process: its sources are filled
// over POST /documents and by footnote push.
const pushConnector = "push"

// describePush is what a connector's process would say of itself.
func describePush() plugins.Description {
	return plugins.Description{
		Name: pushConnector, Version: thisBuild().Version,
		Help:   "Takes the documents that are pushed to it, over POST /documents or with footnote push. It has no settings.",
		Schema: json.RawMessage(`{"type": "object", "properties": {}, "additionalProperties": false}`),
	}
}

// notRead is why a source of pushes cannot be synced.
func notRead(source string) error {
	return core.Errorf(core.KindInvalid,
		"source %q is not read: documents are pushed to it, with footnote push %s FILE, or over POST /documents", source, source)
}

// checkPushSource is the doctor's look at a source that nothing reads.
func (a *app) checkPushSource(ctx context.Context, s core.Source) check {
	k := check{Name: "source " + s.Name, Outcome: passed}
	st, err := a.store.SourceStatus(ctx, s.Name)
	switch {
	case err != nil:
		k.Outcome, k.Detail = failed, err.Error()
	case st.LastRun == nil:
		k.Outcome, k.Detail, k.Fix = warned, "nothing was pushed to it yet", "footnote push "+s.Name+" FILE, or footnote token create --source "+s.Name
	case st.LastRun.ErrorKind != "":
		k.Outcome, k.Detail, k.Fix = failed, "the last push broke off: "+st.LastRun.Error, "push the same again"
	case st.Held > 0:
		k.Outcome, k.Detail = warned, fmt.Sprintf("%d deletions wait for your word", st.Held)
		k.Fix = "push everything again with --complete --accept-deletes"
	case a.closedByAge(ctx, st):
		k.Outcome, k.Detail = failed, "it was last pushed to "+told(st.AccessChecked)+"; documents that are restricted are closed"
		k.Fix = "push something, be it nothing new, more often than its access_max_age"
	case len(st.Failures) > 0:
		k.Outcome, k.Detail = warned, counted(len(st.Failures), "document")+" could not be read"
		k.Fix = "footnote source show " + s.Name
	default:
		k.Detail = fmt.Sprintf("%s, pushed to %s", counted(st.Documents, "document"), ago(st.LastRun.Finished))
	}
	return k
}

// letThrough is the command that deletes what is held. Only a push of everything
// tells what is gone from a source of pushes.
func letThrough(src core.Source) string {
	if src.Connector == pushConnector {
		return "footnote push " + src.Name + " FILE… --complete --accept-deletes, with all that it has"
	}
	return "footnote sync " + src.Name + " --accept-deletes"
}

// pushSource finds a source that takes pushes.
func (a *app) pushSource(ctx context.Context, name string) (core.Source, error) {
	st, err := a.status(ctx, name)
	switch {
	case err != nil:
		return core.Source{}, err
	case st.Source.Connector != pushConnector:
		return core.Source{}, core.Errorf(core.KindInvalid,
			"source %q is read by the connector %q and takes no pushes; make one that does with: footnote source add push --name NAME", name, st.Source.Connector)
	case a.hasLeft(name):
		return core.Source{}, core.Errorf(core.KindNotFound, "source %q is no longer listed in the configuration file%s", name, inFile(a.cfg.File))
	}
	return st.Source, nil
}

// hostAccess tells whether the source's own row says who may read documents that
// state nothing. A source without a rule is no rule of "nobody".
func hostAccess(src core.Source) bool { return len(src.Access) > 0 }

// pushes takes in what comes over HTTP.
type pushes struct{ holders *holders }

// Pusher finds the source of a token.
func (p pushes) Pusher(ctx context.Context, secret string) (httpapi.Pusher, error) {
	t, err := p.holders.kept(ctx, secret)
	if err != nil {
		return httpapi.Pusher{}, err
	}
	if t.Source == "" {
		return httpapi.Pusher{}, core.Errorf(core.KindDenied, "This token speaks for a person; to push documents make one with: footnote token create --source NAME")
	}
	src, err := p.holders.app.pushSource(ctx, t.Source)
	if err != nil {
		return httpapi.Pusher{}, core.Errorf(core.KindDenied, "The source of this token takes no pushes any more.")
	}
	return httpapi.Pusher{Token: t.Name, Source: src.Name, HostAccess: hostAccess(src)}, nil
}

// Push takes documents in.
func (p pushes) Push(ctx context.Context, source string, documents core.Push) (core.Pushed, error) {
	src, err := p.holders.app.pushSource(ctx, source)
	if err != nil {
		return core.Pushed{}, err
	}
	return p.holders.app.syncer.Push(ctx, src, documents)
}
