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
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
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
	viewer, err := (&asking{as: as}).viewer(config.Members{})
	return viewer.Email, err
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
	fmt.Fprintf(inv.streams.Err, "Token %s speaks for %s; it is shown only now.\n", t.ID, email)
	_, err := fmt.Fprintln(inv.streams.Out, secret)
	return err
}

// shownToken is a token as token list --json prints it, one a line.
type shownToken struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	As       string      `json:"as"`
	Created  *time.Time  `json:"created,omitempty"`
	LastUsed *time.Time  `json:"last_used,omitempty"`
	From     core.Origin `json:"from"`
}

func (inv *invocation) tokenListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tokens, without their secrets",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				tokens, err := a.tokens(ctx)
				if err != nil {
					return err
				}
				return inv.showTokens(tokens, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// tokens lists those of footnote.yaml first.
func (a *app) tokens(ctx context.Context) ([]shownToken, error) {
	listed, err := listedTokens(a.cfg)
	if err != nil {
		return nil, err
	}
	var out []shownToken
	for _, t := range listed {
		out = append(out, shownToken{ID: t.id, Name: t.id, As: t.email, From: core.FromConfig})
	}
	kept, err := a.store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range kept {
		one := shownToken{ID: t.ID, Name: t.Name, As: t.As, Created: &t.Created, From: core.FromCommand}
		if !t.LastUsed.IsZero() {
			one.LastUsed = &t.LastUsed
		}
		out = append(out, one)
	}
	return out, nil
}

func (inv *invocation) showTokens(tokens []shownToken, asJSON bool) error {
	if asJSON {
		for _, t := range tokens {
			if err := inv.printJSON(t); err != nil {
				return err
			}
		}
		return nil
	}
	if len(tokens) == 0 {
		fmt.Fprintln(inv.streams.Err, "no token yet; make one with: footnote token create --as EMAIL")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tAS\tCREATED\tLAST USED\tFROM")
	for _, t := range tokens {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, console.Clean(t.Name), console.Clean(t.As),
			agoOr(t.Created, "-"), agoOr(t.LastUsed, "-"), t.From)
	}
	return table.Flush()
}

func agoOr(t *time.Time, otherwise string) string {
	if t == nil {
		return otherwise
	}
	return ago(*t)
}

func (inv *invocation) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Make a token useless",
		Args:  exactly(1, "the id of a token, as footnote token list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				if strings.HasPrefix(args[0], listedPrefix) {
					return core.Errorf(core.KindDenied, "token %q is listed in the configuration file and cannot be revoked by command; remove it there and start footnote serve again", args[0])
				}
				return a.store.RevokeToken(ctx, args[0])
			})
		},
	}
}

// listedToken is a token of footnote.yaml.
type listedToken struct {
	id, email, hash string
}

// listedTokens checks the tokens of footnote.yaml.
func listedTokens(cfg config.Config) ([]listedToken, error) {
	var out []listedToken
	seen := map[string]int{}
	for i, t := range cfg.Tokens {
		bad := func(key, why string) error {
			return core.Errorf(core.KindConfig, "%s: tokens[%d].%s: %s", cfg.File, i, key, why)
		}
		email, err := emailOf(t.As)
		if err != nil {
			return nil, bad("as", fmt.Sprintf("%q is not an e-mail address", t.As))
		}
		hash := strings.ToLower(strings.TrimSpace(t.TokenHash))
		if raw, err := hex.DecodeString(hash); err != nil || len(raw) != sha256.Size {
			return nil, bad("token_hash", "want 64 hexadecimal digits, as footnote token create --hash prints them")
		}
		if first, twice := seen[hash]; twice {
			return nil, bad("token_hash", fmt.Sprintf("is the same as that of tokens[%d]", first))
		}
		seen[hash] = i
		out = append(out, listedToken{listedPrefix + hash[:12], email, hash})
	}
	return out, nil
}
