package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

// newToken is what the flags of token create say.
type newToken struct {
	as, source, name string
	hash             bool
	expires          time.Duration
}

func (n newToken) check() error {
	switch {
	case n.as != "" && n.source != "":
		return core.Errorf(core.KindUsage, "a token speaks for a person or is bound to a source; give --as or --source, not both")
	case n.source != "" && n.hash:
		return core.Errorf(core.KindUsage, "--hash is for tokens that speak for a person; footnote.yaml lists no others")
	case n.expires < 0:
		return core.Errorf(core.KindUsage, "--expires: %s is negative", n.expires)
	case n.expires > 0 && n.hash:
		return core.Errorf(core.KindUsage, "--expires: tokens that footnote.yaml lists do not end by themselves")
	}
	return nil
}

// createToken makes a token and prints it.
func (inv *invocation) createToken(ctx context.Context, a *app, n newToken) error {
	secret := newSecret()
	t := store.Token{ID: strings.ToLower(rand.Text()[:12]), Name: n.name, As: n.as, Source: n.source, Created: time.Now()}
	if t.Name == "" {
		t.Name = t.ID
	}
	if n.expires > 0 {
		t.Expires = t.Created.Add(n.expires)
	}
	noted := map[string]string{"token": t.ID, "speaks_for": n.as}
	does := "speaks for " + n.as
	if n.source != "" {
		if _, err := a.pushSource(ctx, n.source); err != nil {
			return err
		}
		noted = map[string]string{"token": t.ID, "pushes_to": n.source}
		does = "may push to source " + n.source
	}
	if err := a.store.AddToken(ctx, t, hashOf(secret)); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditConfig, noted); err != nil {
		return err
	}
	until := ""
	if !t.Expires.IsZero() {
		until = " until " + t.Expires.UTC().Format(time.RFC3339)
	}
	fmt.Fprintf(inv.streams.Err, "Token %s %s%s; it is shown only now.\n", t.ID, does, until)
	_, err := fmt.Fprintln(inv.streams.Out, secret)
	return err
}

// kept finds a token of the ledger that has not ended; the error is of kind
// not_found for any other, also for those of footnote.yaml.
func (h *holders) kept(ctx context.Context, secret string) (store.Token, error) {
	t, err := h.app.store.TokenByHash(ctx, hashOf(secret))
	if err != nil {
		return store.Token{}, err
	}
	if !t.Expires.IsZero() && !h.app.store.Now().Before(t.Expires) {
		return store.Token{}, core.Errorf(core.KindNotFound, "The token has expired.")
	}
	h.note(ctx, t.ID)
	return t, nil
}
