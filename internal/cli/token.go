package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

// listedPrefix starts the ids of tokens that footnote.yaml lists.
const listedPrefix = "config-"

func (inv *invocation) tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Say who may use the HTTP interface",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.tokenCreateCommand(), inv.tokenListCommand(), inv.tokenRevokeCommand())
	return c
}

func (inv *invocation) tokenCreateCommand() *cobra.Command {
	var as, name string
	var hashOnly bool
	c := &cobra.Command{
		Use:   "create --as EMAIL",
		Short: "Make a token that speaks for a person",
		Long: `Make a bearer token that speaks for the person with the e-mail address. It is
printed once and cannot be shown again: only its SHA-256 is kept.

With --hash nothing is kept; the line for footnote.yaml goes to standard output
and the token to standard error.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			email, err := emailOf(as)
			if err != nil {
				return err
			}
			if hashOnly {
				return inv.printListed(email)
			}
			if err := checkTokenName(name); err != nil {
				return err
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.createToken(ctx, a, email, name)
			})
		},
	}
	c.Flags().StringVar(&as, "as", "", "e-mail address of the person that the token speaks for")
	c.Flags().StringVar(&name, "name", "", "what to call it in lists and logs (default its id)")
	c.Flags().BoolVar(&hashOnly, "hash", false, "only print the line for footnote.yaml")
	return c
}

func emailOf(as string) (string, error) {
	if strings.TrimSpace(as) == "" {
		return "", core.Errorf(core.KindUsage, "a token needs the person it speaks for: --as EMAIL")
	}
	return emailAddress("--as", as)
}

var tokenName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func checkTokenName(name string) error {
	if name != "" && (!tokenName.MatchString(name) || strings.HasPrefix(name, listedPrefix)) {
		return core.Errorf(core.KindUsage,
			"--name: %q cannot name a token: use 1 to 64 lower-case letters, digits, - and _, not starting with %s", name, listedPrefix)
	}
	return nil
}

// newSecret makes a token of 256 random bits.
func newSecret() string {
	var raw [32]byte
	rand.Read(raw[:]) // never fails: the program ends where there is no randomness
	return "fn_" + base64.RawURLEncoding.EncodeToString(raw[:])
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func (inv *invocation) printListed(email string) error {
	secret := newSecret()
	fmt.Fprintf(inv.streams.Err, "The token, shown only now: %s\nPut this line under tokens: in footnote.yaml:\n", secret)
	_, err := fmt.Fprintf(inv.streams.Out, "- {as: %q, token_hash: %s}\n", email, hashOf(secret))
	return err
}

func (inv *invocation) createToken(ctx context.Context, a *app, email, name string) error {
	secret := newSecret()
	t := store.Token{ID: strings.ToLower(rand.Text()[:12]), Name: name, As: email, Created: time.Now()}
	if t.Name == "" {
		t.Name = t.ID
	}
	if err := a.store.AddToken(ctx, t, hashOf(secret)); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"token": t.ID, "speaks_for": email}); err != nil {
		return err
	}
	fmt.Fprintf(inv.streams.Err, "Token %s speaks for %s; it is shown only now.\n", t.ID, email)
	_, err := fmt.Fprintln(inv.streams.Out, secret)
	return err
}
