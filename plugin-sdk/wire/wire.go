// Package wire is what Footnote and a connector process say to each other: the
// generated messages of connector.proto, the protocol version, the handshake
// and the limits that both sides keep.
package wire

import "github.com/hashicorp/go-plugin"

// ProtocolVersion is the major version of the wire. It changes only when a
// connector of the version before could do harm or cannot run.
const ProtocolVersion = 1

// PluginName is the name under which the Connector service is dispensed.
const PluginName = "connector"

// Limits, in bytes unless said otherwise.
const (
	MaxMessage = 8 << 20   // one message on the wire
	MaxBody    = 1 << 20   // Document.body
	MaxCursor  = 64 << 10  // Checkpoint.cursor
	FrameSize  = 256 << 10 // one data frame of Fetch
	ListSize   = 500       // items in one ListBatch
	Window     = 1 << 20   // what may be under way in one stream before the host takes it
	Buffer     = 64 << 10  // what one side reads or writes at once
)

// Names of the optional parts, as DescribeReply.features lists them.
const (
	FeatureCheck  = "check"
	FeatureList   = "list"
	FeatureFetch  = "fetch"
	FeatureGrants = "grants"
	FeatureSearch = "search"
	FeatureTools  = "tools"
	FeatureCensor = "censor"
)

// FeatureRenew is what a host names in ConfigureRequest.features when it pushes
// tokens with Renew.
const FeatureRenew = "renew"

// MismatchText begins what a connector says when the host that started it speaks
// no version of the wire that it knows.
const MismatchText = "this connector speaks plugin protocol"

// HostPIDEnv is the environment variable that tells a connector the process id
// of its host, so that it can leave when the host is gone.
const HostPIDEnv = "FOOTNOTE_HOST_PID"

// SocketFolder begins the name of the private folder that a host makes around
// the folder of a connector's socket. A connector whose host is gone removes it.
const SocketFolder = "fn-"

// Handshake is what both sides must agree on before they talk. The cookie keeps
// people from starting a connector by hand; it is not a secret.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{
		ProtocolVersion:  ProtocolVersion,
		MagicCookieKey:   "FOOTNOTE_CONNECTOR",
		MagicCookieValue: "footnote.plugin.v1",
	}
}
