package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

func (inv *invocation) collectionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "collection",
		Short: "Name sets of documents, to narrow search to or to grant to places",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.collectionListCommand(), inv.collectionShowCommand(), inv.collectionAddCommand(), inv.collectionRemoveCommand())
	return c
}

// collectionView is a collection as --json prints it.
type collectionView struct {
	Name      string      `json:"name"`
	From      core.Origin `json:"from"`
	Sources   []string    `json:"sources,omitempty"`
	Folders   []string    `json:"folders,omitempty"`
	Tags      []string    `json:"tags,omitempty"`
	Documents int         `json:"documents"`
}

func (inv *invocation) viewOf(ctx context.Context, a *app, name string) (collectionView, error) {
	c, err := a.rights.chosen(name)
	if err != nil {
		return collectionView{}, err
	}
	n, err := a.store.CountDocuments(ctx, core.Filter{Bypass: true, IncludeHidden: true, Collections: []core.Collection{c}})
	return collectionView{Name: c.Name, From: c.Origin, Sources: c.Sources, Folders: c.Folders, Tags: c.Tags, Documents: n}, err
}

// chosen is the collection that a person names.
func (r *rights) chosen(name string) (core.Collection, error) {
	if c, ok := r.collection(name); ok {
		return c, nil
	}
	names := r.names()
	hint := "there is none yet; add one with: footnote collection add NAME --source SOURCE"
	if len(names) > 0 {
		hint = "the collections are: " + strings.Join(names, ", ")
	}
	if near := config.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return core.Collection{}, core.Errorf(core.KindNotFound, "there is no collection %q; %s", name, hint)
}

func (inv *invocation) collectionListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the collections",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.listCollections(ctx, a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func (inv *invocation) listCollections(ctx context.Context, a *app, asJSON bool) error {
	names := a.rights.names()
	if len(names) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no collection yet; add one with: footnote collection add NAME --source SOURCE")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "NAME\tDOCUMENTS\tFROM\tRULE")
	}
	for _, name := range names {
		v, err := inv.viewOf(ctx, a, name)
		if err != nil {
			return err
		}
		if asJSON {
			err = inv.printJSON(v)
		} else {
			_, err = fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", v.Name, v.Documents, v.From, console.Clean(v.rule()))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func (v collectionView) rule() string {
	var parts []string
	for _, list := range []struct {
		what  string
		items []string
	}{{"sources", v.Sources}, {"folders", v.Folders}, {"tags", v.Tags}} {
		if len(list.items) > 0 {
			parts = append(parts, list.what+" "+strings.Join(list.items, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func (inv *invocation) collectionShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show one collection and where it is granted",
		Args:  exactly(1, "the name of a collection"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.showCollection(ctx, a, args[0], asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (inv *invocation) showCollection(ctx context.Context, a *app, name string, asJSON bool) error {
	v, err := inv.viewOf(ctx, a, name)
	if err != nil {
		return err
	}
	if asJSON {
		return inv.printJSON(v)
	}
	fmt.Fprintf(inv.streams.Out, "name: %s\nfrom: %s\nrule: %s\ndocuments: %d\n", v.Name, v.From, console.Clean(v.rule()), v.Documents)
	grants, err := a.rights.grants(ctx, "")
	if err != nil {
		return err
	}
	for _, g := range grants {
		if g.Collection == name {
			fmt.Fprintf(inv.streams.Out, "granted to: %s%s\n", console.Clean(g.Place), outsiders(g))
		}
	}
	return nil
}

func outsiders(g core.Grant) string {
	if g.External {
		return " (outsiders may know it too)"
	}
	return ""
}

func (inv *invocation) collectionAddCommand() *cobra.Command {
	var one config.Collection
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a collection or replace one that was added by command",
		Long: `Add a collection. Of each kind of rule that is given one has to fit:
documents of one of the sources, in one of the folders, with one of the tags.`,
		Args: exactly(1, "a name"),
		RunE: func(c *cobra.Command, args []string) error {
			one.Name = args[0]
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.addCollection(ctx, a, one)
			})
		},
	}
	f := c.Flags()
	f.StringSliceVar(&one.Sources, "source", nil, "name of a source; may be repeated")
	f.StringArrayVar(&one.Folders, "folder", nil, "SOURCE/FOLDER, with all that lies below; may be repeated")
	f.StringArrayVar(&one.Tags, "tag", nil, "KEY=VALUE of a document's metadata; may be repeated")
	return c
}

func (inv *invocation) addCollection(ctx context.Context, a *app, listed config.Collection) error {
	if err := config.CheckCollectionName(listed.Name); err != nil {
		return core.Errorf(core.KindUsage, "%w", err)
	}
	if old, ok := a.rights.collection(listed.Name); ok && old.Origin == core.FromConfig {
		return core.Errorf(core.KindDenied, "collection %q is listed in the configuration file%s; change it there", listed.Name, inFile(a.cfg.File))
	}
	if err := config.CheckRule(listed); err != nil {
		return core.Errorf(core.KindUsage, "collection %q: %w", listed.Name, err)
	}
	one := listed.Core()
	sources := slices.Clone(one.Sources)
	for _, f := range one.Folders {
		source, _, _ := strings.Cut(f, "/")
		sources = append(sources, source)
	}
	for _, s := range sources {
		if _, err := a.status(ctx, s); err != nil {
			return err
		}
	}
	one.Origin = core.FromCommand
	if err := a.store.PutCollection(ctx, one); err != nil {
		return err
	}
	a.rights.put(one)
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"collection": one.Name, "rule": collectionView{Sources: one.Sources, Folders: one.Folders, Tags: one.Tags}.rule()}); err != nil {
		return err
	}
	v, err := inv.viewOf(ctx, a, one.Name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.streams.Out, "added collection %s: %s\n", v.Name, counted(v.Documents, "document"))
	return err
}

func (inv *invocation) collectionRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a collection that was added by command",
		Args:  exactly(1, "the name of a collection"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.removeCollection(ctx, a, args[0])
			})
		},
	}
}

func (inv *invocation) removeCollection(ctx context.Context, a *app, name string) error {
	old, err := a.rights.chosen(name)
	if err != nil {
		return err
	}
	if old.Origin == core.FromConfig {
		return core.Errorf(core.KindDenied, "collection %q is listed in the configuration file%s; remove it there", name, inFile(a.cfg.File))
	}
	if err := a.store.RemoveCollection(ctx, name); err != nil {
		return err
	}
	a.rights.drop(name)
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"collection": name, "removed": "yes"}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.streams.Out, "removed collection %s\n", name)
	return err
}
