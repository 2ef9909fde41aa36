package plugins

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Token is a short-lived access token of a source.
type Token struct {
	Access string
	Expiry time.Time // zero if unknown: then it is renewed only when it is refused
}

// AuthMethod is how a connector's system grants access.
type AuthMethod struct {
	Kind            string // none, key or oauth2
	AuthorizeURL    string
	TokenURL        string
	Scopes          []string
	AuthorizeParams map[string]string
}

// AuthOAuth2 is the kind of AuthMethod for which the host keeps the tokens.
const AuthOAuth2 = "oauth2"

// RateLimit is one limit that a connector holds itself to.
type RateLimit struct {
	Name      string
	PerSecond float64 // requests
	Burst     int
}

func authMethod(a *wire.AuthMethod) AuthMethod {
	out := AuthMethod{
		Kind: "none", AuthorizeURL: a.GetAuthorizeUrl(), TokenURL: a.GetTokenUrl(), Scopes: a.GetScopes(), AuthorizeParams: a.GetAuthorizeParams(),
	}
	switch a.GetKind() {
	case wire.AuthKind_AUTH_KIND_KEY:
		out.Kind = "key"
	case wire.AuthKind_AUTH_KIND_OAUTH2:
		out.Kind = AuthOAuth2
	}
	return out
}

// Renew gives the connector a new access token, also while it works.
func (c *Connection) Renew(ctx context.Context, t Token) error {
	c.process.stderr.hide(shapes(t.Access))
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.CallTimeout)
	defer cancel()
	if _, err := c.process.client.Renew(ctx, &wire.RenewRequest{Token: toToken(t)}); err != nil {
		return c.explain(ctx, "renewing its token", err)
	}
	return nil
}

func toToken(t Token) *wire.Token {
	if t.Access == "" {
		return nil
	}
	return &wire.Token{AccessToken: t.Access, Expiry: stamp(t.Expiry)}
}

// renewable tells whether the host keeps a token for the source.
func (c *Connection) renewable() bool {
	return c.host.opts.Token != nil && c.about.Auth.Kind == AuthOAuth2
}

// firstToken is what Configure brings.
func (c *Connection) firstToken(ctx context.Context) (Token, error) {
	if !c.renewable() {
		return Token{}, nil
	}
	t, err := c.host.opts.Token(ctx, c.src, false)
	if err == nil {
		c.process.stderr.hide(shapes(t.Access))
	}
	return t, err
}

// refresh asks for a new token because the system refused the one before.
func (c *Connection) refresh(ctx context.Context) error {
	t, err := c.host.opts.Token(ctx, c.src, true)
	if err != nil {
		return err
	}
	return c.Renew(ctx, t)
}

// keepFresh pushes a new token before the one before expires, for as long as the
// process lives.
func (c *Connection) keepFresh(t Token) {
	for t.Access != "" && !t.Expiry.IsZero() {
		select {
		case <-c.process.life.Done():
			return
		case <-c.Done():
			return
		case <-time.After(renewIn(time.Until(t.Expiry))):
		}
		ctx, cancel := context.WithTimeout(c.process.life, c.host.opts.CallTimeout)
		next, err := c.host.opts.Token(ctx, c.src, true)
		if err == nil {
			err = c.Renew(ctx, next)
		}
		cancel()
		if err != nil {
			c.log.Warn("a token was not renewed", "error", err, "kind", core.KindOf(err))
			if time.Until(t.Expiry) < 0 {
				return // the system will refuse it, and that is handled where it happens
			}
			continue
		}
		t = next
	}
}

// renewIn is how long a token is used of the time that it has left: all but five
// minutes, or all but a fifth of a short one.
func renewIn(left time.Duration) time.Duration {
	return max(left-min(5*time.Minute, left/5), time.Second)
}
