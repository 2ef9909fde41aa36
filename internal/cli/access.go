package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
)

func (inv *invocation) accessCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "access",
		Short: "Explain who may read what, and what may be said where",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.accessWhyCommand(), inv.accessWhoCommand(), inv.accessPlaceCommand(), inv.accessCheckCommand())
	return c
}

// document finds a document by the id that a person typed.
func (a *app) document(ctx context.Context, id string) (core.Document, error) {
	d, err := a.store.Document(ctx, id)
	if core.KindOf(err) == core.KindNotFound {
		err = core.Errorf(core.KindNotFound,
			"there is no document %q; ids look like SOURCE/PATH, and footnote search QUERY --json and footnote audit show them", id)
	}
	return d, err
}

func joinPrincipals[T ~string](list []T, with string) string {
	var out []string
	for _, p := range list {
		out = append(out, string(p))
	}
	return strings.Join(out, with)
}

func (inv *invocation) accessWhoCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "who DOCUMENT",
		Short: "List who may read a document",
		Args:  exactly(1, "the id of a document, as footnote search --json shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.accessWho(ctx, a, args[0], asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// readersView is who may read a document, as --json prints it.
type readersView struct {
	Document string        `json:"document"`
	Title    string        `json:"title"`
	Hidden   bool          `json:"hidden,omitempty"`
	Access   core.Access   `json:"access"`           // as it counts now
	Show     string        `json:"show"`             // at most, by its source: link, number or nothing
	Closed   []string      `json:"closed,omitempty"` // stated, but stale
	Groups   []groupReader `json:"groups,omitempty"`
	Places   []string      `json:"granted_to,omitempty"`
}

type groupReader struct {
	Group   core.Principal   `json:"group"`
	Known   bool             `json:"known"`
	Members int              `json:"members"` // named directly
	Nested  []core.Principal `json:"nested,omitempty"`
}

func (inv *invocation) accessWho(ctx context.Context, a *app, id string, asJSON bool) error {
	v, err := a.readers(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return inv.printJSON(v)
	}
	if len(v.Access) == 0 {
		fmt.Fprintln(inv.streams.Out, "nobody")
	}
	for _, p := range v.Access {
		fmt.Fprintln(inv.streams.Out, console.Clean(string(p)+v.group(p)))
	}
	for _, p := range v.Closed {
		fmt.Fprintln(inv.streams.Out, console.Clean(p+" (not now: its source has not told who may read it for too long)"))
	}
	for _, p := range v.Places {
		fmt.Fprintln(inv.streams.Out, console.Clean("every reader of "+p+" (by a grant)"))
	}
	if v.Hidden {
		fmt.Fprintln(inv.streams.Out, "It is hidden from search.")
	}
	if v.Show != "link" {
		fmt.Fprintf(inv.streams.Out, "Its source lets it be shown as %s at most.\n", v.Show)
	}
	return nil
}

func (v readersView) group(p core.Principal) string {
	for _, g := range v.Groups {
		switch {
		case g.Group != p:
		case !g.Known:
			return " (not known: nobody is in it)"
		case len(g.Nested) > 0:
			return fmt.Sprintf(" (%s, and those of %s)", persons(g.Members), joinPrincipals(g.Nested, ", "))
		default:
			return fmt.Sprintf(" (%s)", persons(g.Members))
		}
	}
	return ""
}

func persons(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

func (a *app) readers(ctx context.Context, id string) (readersView, error) {
	stated, err := a.document(ctx, id)
	if err != nil {
		return readersView{}, err
	}
	now, err := a.store.DocumentNow(ctx, id)
	if err != nil {
		return readersView{}, err
	}
	v := readersView{Document: id, Title: now.Title, Hidden: now.Hidden, Access: append(core.Access{}, now.Access...), Show: discretionName(now.Discretion)}
	for _, p := range stated.Access {
		if !slices.Contains(now.Access, p) {
			v.Closed = append(v.Closed, string(p))
		}
		if !strings.HasPrefix(string(p), "group:") {
			continue
		}
		g, err := a.store.Group(ctx, p)
		if err != nil && core.KindOf(err) != core.KindNotFound {
			return v, err
		}
		v.Groups = append(v.Groups, groupReader{p, err == nil, len(g.Users), g.Groups})
	}
	grants, err := a.rights.grants(ctx, "")
	for _, g := range grants {
		if c, ok := a.rights.collection(g.Collection); ok && c.Holds(now.Facts()) {
			v.Places = append(v.Places, g.Place)
		}
	}
	return v, err
}
