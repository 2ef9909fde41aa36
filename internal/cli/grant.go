package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

func (inv *invocation) grantCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "grant",
		Short: "State that every reader of a place may know a collection",
		Long: `State that every reader of a place, now and later, may know what is in a
collection. Answers in that place may then use it, whoever asks.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.grantAddCommand(), inv.grantListCommand(), inv.grantConfirmCommand(), inv.grantRemoveCommand())
	return c
}

func (inv *invocation) grantAddCommand() *cobra.Command {
	var external bool
	c := &cobra.Command{
		Use:   "add PLACE COLLECTION",
		Short: "Grant a collection to a place",
		Args:  exactly(2, "the id of a place, such as slack:T1/C1, and the name of a collection"),
		RunE: func(c *cobra.Command, args []string) error {
			g := core.Grant{Place: args[0], Collection: args[1], External: external, Origin: core.FromCommand}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error { return inv.addGrant(ctx, a, g) })
		},
	}
	c.Flags().BoolVar(&external, "external", false, "outsiders may know it too: it counts in channels that are shared with other organisations")
	return c
}

func (inv *invocation) addGrant(ctx context.Context, a *app, g core.Grant) error {
	if err := config.CheckPlaceID(g.Place); err != nil {
		return core.Errorf(core.KindUsage, "%w", err)
	}
	if _, err := a.rights.chosen(g.Collection); err != nil {
		return err
	}
	met, err := a.rights.noted(ctx, g.Place)
	switch {
	case err == nil:
		g.Place = met.ID // as the platform writes it
	case core.KindOf(err) == core.KindNotFound:
		fmt.Fprintf(inv.streams.Err, "note: nothing was asked in %s yet; if that is its id, the grant counts from the first question on\n", console.Clean(g.Place))
	default:
		return err
	}
	if listed(a.current().Grants, g) {
		return core.Errorf(core.KindDenied, "the grant of %s to %s is listed in the configuration file%s; change it there", g.Collection, g.Place, inFile(a.cfg.File))
	}
	if err := a.store.PutGrant(ctx, g); err != nil {
		return err
	}
	if err := a.rights.stated(ctx, g); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditGrant, grantDetail(g, "added")); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.streams.Out, "every reader of %s may now know the collection %s%s; see what that means with: footnote access place %s\n",
		g.Place, g.Collection, outsiders(g), g.Place)
	return err
}

func listed(grants []config.Grant, g core.Grant) bool {
	return slices.ContainsFunc(grants, func(c config.Grant) bool {
		return strings.EqualFold(c.Place, g.Place) && c.Collection == g.Collection
	})
}

func grantDetail(g core.Grant, what string) map[string]string {
	return map[string]string{"grant": what, "place": g.Place, "collection": g.Collection, "external": strconv.FormatBool(g.External)}
}

func (inv *invocation) grantListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [PLACE]",
		Short: "List the grants",
		Args:  atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			place := strings.Join(args, "")
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				grants, err := a.rights.grants(ctx, place)
				if err != nil {
					return err
				}
				return inv.showGrants(a, grants, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// grantView is a grant as --json prints it.
type grantView struct {
	Place      string      `json:"place"`
	Collection string      `json:"collection"`
	External   bool        `json:"external"`
	From       core.Origin `json:"from"`
	Unknown    bool        `json:"unknown_collection,omitempty"` // it opens nothing
}

func (inv *invocation) showGrants(a *app, grants []core.Grant, asJSON bool) error {
	if len(grants) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no grant yet; make one with: footnote grant add PLACE COLLECTION")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "PLACE\tCOLLECTION\tOUTSIDERS\tFROM")
	}
	for _, g := range grants {
		_, known := a.rights.collection(g.Collection)
		v := grantView{g.Place, g.Collection, g.External, g.Origin, !known}
		var err error
		if asJSON {
			err = inv.printJSON(v)
		} else {
			name := console.Clean(v.Collection)
			if v.Unknown {
				name += " (there is no such collection: it opens nothing)"
			}
			_, err = fmt.Fprintf(table, "%s\t%s\t%v\t%s\n", console.Clean(v.Place), name, v.External, v.From)
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func (inv *invocation) grantConfirmCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "confirm PLACE COLLECTION",
		Short: "Stand by a grant after its place was opened to more people",
		Long: `Stand by a grant for the readers that its place has now. A grant that was made
while only some could read the place rests once everybody can.`,
		Args: exactly(2, "the id of a place and the name of a collection, as footnote grant list shows them"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error { return inv.confirmGrant(ctx, a, args[0], args[1]) })
		},
	}
}

func (inv *invocation) confirmGrant(ctx context.Context, a *app, place, collection string) error {
	grants, err := a.rights.grants(ctx, place)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(grants, func(g core.Grant) bool { return g.Collection == collection })
	if i < 0 {
		return core.Errorf(core.KindNotFound, "the collection %q is not granted to %s; footnote grant list shows all grants", collection, place)
	}
	if err := a.rights.stated(ctx, grants[i]); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditGrant, grantDetail(grants[i], "confirmed")); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.streams.Out, "every reader of %s as it is now may know the collection %s%s\n", console.Clean(place), collection, outsiders(grants[i]))
	return err
}

func (inv *invocation) grantRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove PLACE COLLECTION",
		Short: "Take a grant back",
		Args:  exactly(2, "the id of a place and the name of a collection, as footnote grant list shows them"),
		RunE: func(c *cobra.Command, args []string) error {
			g := core.Grant{Place: args[0], Collection: args[1]}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				if listed(a.current().Grants, g) {
					return core.Errorf(core.KindDenied, "the grant of %s to %s is listed in the configuration file%s; remove it there", g.Collection, g.Place, inFile(a.cfg.File))
				}
				if err := a.store.RemoveGrant(ctx, g.Place, g.Collection); err != nil {
					return err
				}
				if err := a.audit(ctx, core.AuditGrant, grantDetail(g, "removed")); err != nil {
					return err
				}
				_, err := fmt.Fprintf(inv.streams.Out, "%s no longer has the collection %s; what was said there stays\n", g.Place, g.Collection)
				return err
			})
		},
	}
}
