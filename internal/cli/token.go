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

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
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
	var n newToken
	c := &cobra.Command{
		Use:   "create --as EMAIL | --source NAME",
		Short: "Make a token that speaks for a person, or pushes to a source",
		Long: `Make a bearer token that speaks for the person with the e-mail address, or, with
--source, one that may push documents into that source and do nothing else. It is
printed once and cannot be shown again: only its SHA-256 is kept.

With --hash nothing is kept; the line for footnote.yaml goes to standard output
and the token to standard error.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := n.check(); err != nil {
				return err
			}
			if n.source == "" {
				email, err := emailOf(n.as)
				if err != nil {
					return err
				}
				if n.as = email; n.hash {
					return inv.printListed(email)
				}
			}
			if err := checkTokenName(n.name); err != nil {
				return err
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.createToken(ctx, a, n)
			})
		},
	}
	c.Flags().StringVar(&n.as, "as", "", "e-mail address of the person that the token speaks for")
	c.Flags().StringVar(&n.source, "source", "", "source that the token may push documents to, instead of speaking for a person")
	c.Flags().StringVar(&n.name, "name", "", "what to call it in lists and logs (default its id)")
	c.Flags().DurationVar(&n.expires, "expires", 0, "how long it may be used, such as 720h (default for ever)")
	c.Flags().BoolVar(&n.hash, "hash", false, "only print the line for footnote.yaml")
	return c
}

func emailOf(as string) (string, error) {
	if strings.TrimSpace(as) == "" {
		return "", core.Errorf(core.KindUsage, "a token needs the person it speaks for, --as EMAIL, or the source it pushes to, --source NAME")
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
