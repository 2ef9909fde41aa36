package sdk

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Caller is on whose behalf the host asks.
type Caller struct {
	Email string // empty where it is not known who asks: only what is public counts then
	Name  string // for people; may be empty
	Token Secret // the person's own token in the system, where there is one
}

// Query is what a Searcher is asked.
type Query struct {
	Text   string
	Limit  int       // hits that the host can use; at least 1
	From   time.Time // bounds of Document.Updated, both included; zero means open
	To     time.Time
	Viewer Caller
}

// Hit is one answer of a Searcher.
type Hit struct {
	Document Document // with Access; Body may be empty
	Score    float64  // comparable within one answer only, larger is better; 0 if unknown
	Snippet  string   // the part that fits, Markdown or plain text
}

// Passage is a piece of a document that a Censor judges.
type Passage struct {
	Document string // Document.ID
	Heading  string
	Text     string
}

// Verdict is a Censor's word on one passage. The zero value drops it.
type Verdict struct {
	keep bool
	text string
}

// Keep lets a passage through as it is.
func Keep() Verdict { return Verdict{keep: true} }

// Redact puts a text in a passage's place. An empty one drops the passage.
func Redact(text string) Verdict { return Verdict{text: text} }

// Drop keeps a passage from the viewer.
func Drop() Verdict { return Verdict{} }

func (v Verdict) wire(id string) *wire.Verdict {
	out := &wire.Verdict{Id: id, Kind: wire.VerdictKind_VERDICT_KIND_DROP}
	switch {
	case v.keep:
		out.Kind = wire.VerdictKind_VERDICT_KIND_KEEP
	case v.text != "":
		out.Kind, out.Text = wire.VerdictKind_VERDICT_KIND_REDACT, valid(v.text)
	}
	return out
}

// Limit is one declared limit on outgoing requests, by the name that Env.HTTP
// takes.
type Limit struct {
	Name      string
	PerSecond float64 // requests; 0 means no limit
	Burst     int     // requests that may go out at once after a pause; 0 means 1
}

// AuthMethod is how a system grants access. The zero value is: not at all.
type AuthMethod struct {
	Kind AuthKind
	// Of OAuth2: where the owner is sent, and where tokens are exchanged. The host
	// does both, keeps the refresh token and hands over short-lived access tokens;
	// see Env.Token.
	AuthorizeURL    string
	TokenURL        string
	Scopes          []string
	AuthorizeParams map[string]string // more query parameters of AuthorizeURL
}

// AuthKind is a kind of AuthMethod.
type AuthKind int

// The kinds of AuthMethod.
const (
	AuthNone   AuthKind = iota // nothing is needed
	AuthKey                    // a key in the configuration, a field of type Secret
	AuthOAuth2                 // the host runs the exchange
)

func (m AuthMethod) wire() *wire.AuthMethod {
	kinds := map[AuthKind]wire.AuthKind{
		AuthNone: wire.AuthKind_AUTH_KIND_NONE, AuthKey: wire.AuthKind_AUTH_KIND_KEY, AuthOAuth2: wire.AuthKind_AUTH_KIND_OAUTH2,
	}
	out := &wire.AuthMethod{
		Kind: kinds[m.Kind], AuthorizeUrl: valid(m.AuthorizeURL), TokenUrl: valid(m.TokenURL), Scopes: validAll(m.Scopes),
	}
	for key, value := range m.AuthorizeParams {
		if out.AuthorizeParams == nil {
			out.AuthorizeParams = make(map[string]string, len(m.AuthorizeParams))
		}
		out.AuthorizeParams[valid(key)] = valid(value)
	}
	return out
}

func (l Limit) wire() *wire.RateLimit {
	return &wire.RateLimit{Name: valid(l.Name), PerSecond: l.PerSecond, Burst: int32(min(max(l.Burst, 1), 1<<20))}
}

func callerOf(v *wire.Viewer) Caller {
	return Caller{Email: v.GetEmail(), Name: v.GetName(), Token: Secret(v.GetToken())}
}

func instant(t *timestamppb.Timestamp) time.Time {
	if t == nil || !t.IsValid() {
		return time.Time{}
	}
	return t.AsTime()
}
