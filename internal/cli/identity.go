package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// linkLife is how long a code can be typed in.
const linkLife = 15 * time.Minute

func (inv *invocation) identityCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "identity",
		Short: "Say which person a chat account stands for",
		Long: `Say which person a chat account stands for. An account's e-mail address counts
by itself only in a home workspace, confirmed, of a full member and in one of
the listed domains; all others are linked by a code and read public documents
until then.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.identityListCommand(), inv.identityLinkCommand(), inv.identityUnlinkCommand())
	return c
}

func (inv *invocation) identityLinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "link EMAIL",
		Short: "Make a code that links a chat account to a person",
		Long: `Make a code that links a chat account to the person with the e-mail address.
Read it out to that person, who types "/footnote link CODE" in Slack or Discord.
It works once, within 15 minutes.`,
		Args: exactly(1, "an e-mail address"),
		RunE: func(c *cobra.Command, args []string) error {
			email, err := emailAddress("EMAIL", args[0])
			if err != nil {
				return err
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				code, err := a.store.NewLink(ctx, email, linkLife)
				if err != nil {
					return err
				}
				if err := a.audit(ctx, core.AuditIdentity, map[string]string{"code_for": email}); err != nil {
					return err
				}
				fmt.Fprintf(inv.streams.Err, "Read this code out to %s, who types \"/footnote link CODE\" within 15 minutes:\n", email)
				_, err = fmt.Fprintln(inv.streams.Out, code)
				return err
			})
		},
	}
}

// accountView is an account as --json prints it.
type accountView struct {
	Account string            `json:"account"`
	Name    string            `json:"name"`
	Class   core.AccountClass `json:"class"`
	Email   string            `json:"email,omitempty"`
	Linked  string            `json:"linked,omitempty"`
	Former  []string          `json:"former,omitempty"`
	Person  string            `json:"person,omitempty"` // whom it stands for
	Why     string            `json:"why"`
	Seen    time.Time         `json:"seen"`
}

func (a *app) accountView(acc core.Account) accountView {
	person, _, why := access.PersonOf(acc, a.rights.standing(acc))
	return accountView{
		Account: acc.Key(), Name: acc.Name, Class: acc.Class, Email: acc.Email, Linked: acc.Linked,
		Former: acc.Former, Person: person, Why: why, Seen: acc.Seen,
	}
}

func (inv *invocation) identityListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [EMAIL]",
		Short: "List chat accounts and the persons they stand for",
		Args:  atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			email := strings.ToLower(strings.TrimSpace(strings.Join(args, "")))
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.listAccounts(ctx, a, email, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func (inv *invocation) listAccounts(ctx context.Context, a *app, email string, asJSON bool) error {
	accounts, err := a.store.Accounts(ctx, email)
	if err != nil {
		return err
	}
	if len(accounts) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no chat account is known yet; they are noted when they first ask")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "ACCOUNT\tNAME\tCLASS\tPERSON\tWHY\tSEEN")
	}
	for _, acc := range accounts {
		v := a.accountView(acc)
		if asJSON {
			err = inv.printJSON(v)
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", console.Clean(v.Account), console.Clean(v.Name),
				cmp.Or(string(v.Class), "unknown"), console.Clean(cmp.Or(v.Person, "nobody")), console.Clean(v.Why), ago(v.Seen))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func (inv *invocation) identityUnlinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unlink ACCOUNT",
		Short: "Take back the link of a chat account to a person",
		Args:  exactly(1, "an account, as footnote identity list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				if err := a.store.Unlink(ctx, args[0]); err != nil {
					return err
				}
				if err := a.audit(ctx, core.AuditIdentity, map[string]string{"unlinked": args[0]}); err != nil {
					return err
				}
				_, err := fmt.Fprintf(inv.streams.Out, "%s is no longer linked by a code\n", console.Clean(args[0]))
				return err
			})
		},
	}
}

// emailAddress reads an address as people type it. Errors are of kind usage and
// name what it stands for.
func emailAddress(what, s string) (string, error) {
	name, domain, ok := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "@")
	if !ok || name == "" || domain == "" || strings.ContainsAny(s, " \t\n") || strings.Contains(domain, "@") {
		return "", core.Errorf(core.KindUsage, "%s: %q is not an e-mail address", what, s)
	}
	return name + "@" + domain, nil
}
