package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
	"github.com/footnote-bot/footnote/store"
)

func (inv *invocation) sourceCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "source",
		Short: "Say where documents come from",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.sourceAddCommand(), inv.sourceListCommand(), inv.sourceShowCommand(), inv.sourceRemoveCommand())
	again := inv.syncCommand()
	again.Use = "sync [SOURCE]"
	c.AddCommand(again)
	return c
}

func (inv *invocation) sourceListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sources and how they stand",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.listSources(ctx, a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func (inv *invocation) listSources(ctx context.Context, a *app, asJSON bool) error {
	sources, err := a.store.Sources(ctx)
	if err != nil {
		return err
	}
	if len(sources) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no source yet; add one with: footnote source add files FOLDER")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "NAME\tCONNECTOR\tDOCUMENTS\tFAILED\tHELD\tLAST SYNC\tNEXT\tPROCESS\tFROM")
	}
	states := a.states(ctx)
	for _, s := range sources {
		st, err := a.store.SourceStatus(ctx, s.Name)
		if err != nil {
			return err
		}
		if asJSON {
			err = inv.printJSON(shownSource(st).with(states[s.Name]).on(a.scheduleOf(ctx, st)))
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", s.Name, s.Connector, st.Documents, len(st.Failures), st.Held,
				lastSync(st.LastRun), a.scheduleOf(ctx, st).next(a.store.Now()), stateText(states[s.Name]), a.originOf(s))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

// originOf says where a source is listed.
func (a *app) originOf(s core.Source) string {
	if a.hasLeft(s.Name) {
		return string(s.Origin) + ", no longer listed"
	}
	return string(s.Origin)
}

func lastSync(run *core.SyncRun) string {
	switch {
	case run == nil:
		return "never"
	case run.Finished.IsZero():
		return "unfinished"
	case run.ErrorKind == core.KindCancelled:
		return "stopped " + ago(run.Finished)
	case run.ErrorKind != "":
		return "failed " + ago(run.Finished)
	}
	return ago(run.Finished)
}

func ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.Format(time.DateOnly)
}

func (inv *invocation) sourceShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show everything about one source",
		Args:  exactly(1, "the name of a source"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				st, err := a.status(ctx, args[0])
				if err != nil {
					return err
				}
				state, plan := a.states(ctx)[args[0]], a.scheduleOf(ctx, st)
				counts, about, err := a.sourceVectors(ctx, args[0])
				if err != nil {
					return err
				}
				if asJSON {
					v := shownSource(st).with(state).on(plan)
					v.Waiting = counts.Waiting()
					return inv.printJSON(v)
				}
				placed, _, err := a.contextsText(ctx, args[0])
				if err != nil {
					return err
				}
				return inv.showSource(st, state, about, placed, plan.rows(a.store.Now()))
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (inv *invocation) showSource(st store.Status, state plugins.SourceState, vectors, contexts string, plan [][2]string) error {
	access := "nobody"
	if len(st.Source.Access) > 0 {
		access = joined(st.Source.Access)
	}
	rows := [][2]string{
		{"name", st.Source.Name}, {"connector", st.Source.Connector}, {"from", string(st.Source.Origin)},
		{"settings", string(redacted(st.Source.Config))}, {"access where the connector leaves it open", access},
		{"shown at most as", discretionName(st.Source.Discretion)}, {"stated access is trusted for", maxAge(st.Source).String()},
		{"documents", fmt.Sprint(st.Documents)}, {"passages", fmt.Sprint(st.Passages)},
		{"last sync", lastSync(st.LastRun)}, {"process", stateText(state)},
	}
	rows = append(rows, plan...)
	if st.LastAccess != nil {
		rows = append(rows, [2]string{"last reading of who may read what", lastSync(st.LastAccess)})
		if st.LastAccess.Error != "" {
			rows = append(rows, [2]string{"its error", st.LastAccess.Error})
		}
	}
	if state.Err != nil {
		rows = append(rows, [2]string{"its last failure", state.Err.Error()})
	}
	if st.LastList != nil && st.LastList.Error != "" {
		rows = append(rows, [2]string{"error of the last listing", st.LastList.Error})
	}
	if st.NotIndexed > 0 {
		rows = append(rows, [2]string{"not searchable yet", fmt.Sprint(st.NotIndexed)})
	}
	if vectors != "" {
		rows = append(rows, [2]string{"vectors", vectors})
	}
	if contexts != "" {
		rows = append(rows, [2]string{"contexts of passages", contexts})
	}
	if st.Held > 0 {
		rows = append(rows, [2]string{"deletions held", fmt.Sprintf("%d; let them through with: %s", st.Held, letThrough(st.Source))})
	}
	if st.LastRun != nil && st.LastRun.Error != "" {
		rows = append(rows, [2]string{"last error", st.LastRun.Error})
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(inv.streams.Out, "%s: %s\n", r[0], console.Clean(r[1])); err != nil {
			return err
		}
	}
	for _, f := range st.Failures {
		if _, err := fmt.Fprintf(inv.streams.Out, "could not read %s: %s\n", console.Clean(f.ExternalID), console.Clean(f.Detail)); err != nil {
			return err
		}
	}
	return nil
}

func (inv *invocation) sourceRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a source and all its documents",
		Args:  exactly(1, "the name of a source"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.removeSource(ctx, a, args[0])
			})
		},
	}
}

func (inv *invocation) removeSource(ctx context.Context, a *app, name string) error {
	st, err := a.status(ctx, name)
	if err != nil {
		return err
	}
	if st.Source.Origin == core.FromConfig && !slices.Contains(a.leftFile(), name) {
		return core.Errorf(core.KindDenied, "source %q is listed in the configuration file%s; remove it there", name, inFile(a.cfg.File))
	}
	if err := a.store.RemoveSource(ctx, name); err != nil {
		return err
	}
	if err := a.store.RevokeTokensOf(ctx, name); err != nil {
		return err
	}
	if err := a.sources.forget(ctx, name); err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(a.cfg.DataDir, sourcesDir, name)); err != nil {
		return core.Errorf(core.KindDisk, "the source is removed, but not what its connector kept: %w", err)
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"source": name, "removed": "yes"}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.streams.Out, "removed source %s with %s\n", name, counted(st.Documents, "document"))
	return err
}

func inFile(path string) string {
	if path == "" {
		return ""
	}
	return " " + path
}

// status finds a source; an unknown name gets the nearest one suggested.
func (a *app) status(ctx context.Context, name string) (store.Status, error) {
	st, err := a.store.SourceStatus(ctx, name)
	if core.KindOf(err) == core.KindNotFound {
		return st, a.noSource(ctx, name)
	}
	return st, err
}

func joined(access core.Access) string {
	parts := make([]string, len(access))
	for i, p := range access {
		parts[i] = string(p)
	}
	return strings.Join(parts, ", ")
}
