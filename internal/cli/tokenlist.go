package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// shownToken is a token as token list --json prints it, one a line.
type shownToken struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	As       string      `json:"as,omitempty"`
	Source   string      `json:"source,omitempty"` // that it pushes to
	Expires  *time.Time  `json:"expires,omitempty"`
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
	listed, err := listedTokens(*a.current())
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
		one := shownToken{ID: t.ID, Name: t.Name, As: t.As, Source: t.Source, Created: &t.Created, From: core.FromCommand}
		if !t.LastUsed.IsZero() {
			one.LastUsed = &t.LastUsed
		}
		if !t.Expires.IsZero() {
			one.Expires = &t.Expires
		}
		out = append(out, one)
	}
	return out, nil
}

// does says in a word or two what a token is for.
func (t shownToken) does() string {
	if t.Source != "" {
		return "pushes to " + t.Source
	}
	return t.As
}

func (t shownToken) ends(now time.Time) string {
	switch {
	case t.Expires == nil:
		return "never"
	case !now.Before(*t.Expires):
		return "expired"
	}
	return t.Expires.UTC().Format(time.DateOnly)
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
	fmt.Fprintln(table, "ID\tNAME\tAS\tCREATED\tLAST USED\tENDS\tFROM")
	for _, t := range tokens {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, console.Clean(t.Name), console.Clean(t.does()),
			agoOr(t.Created, "-"), agoOr(t.LastUsed, "-"), t.ends(time.Now()), t.From)
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
				if err := a.store.RevokeToken(ctx, args[0]); err != nil {
					return err
				}
				return a.audit(ctx, core.AuditConfig, map[string]string{"token": args[0], "removed": "yes"})
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
