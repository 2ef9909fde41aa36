package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/plugins"
)

type syncFlags struct {
	full, retry, acceptDeletes, access, watch, asJSON bool

	list   bool            // only what is gone
	noList bool            // that is found out apart
	pause  <-chan struct{} // once closed, the sync stops at its next checkpoint
}

func (inv *invocation) syncCommand() *cobra.Command {
	var f syncFlags
	c := &cobra.Command{
		Use:   "sync [SOURCE]",
		Short: "Read what changed in the sources",
		Args:  atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.access && f.acceptDeletes {
				return core.Errorf(core.KindUsage, "--access reads no documents, so that there are no deletions to accept; leave out one of both")
			}
			if f.watch && (f.full || f.retry || f.access || f.acceptDeletes) {
				return core.Errorf(core.KindUsage, "--watch shows the syncs that run and starts none; leave out the other flags")
			}
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				if f.watch {
					return inv.watch(ctx, a, args, f.asJSON)
				}
				return inv.sync(ctx, a, args, f)
			})
		},
	}
	c.Flags().BoolVar(&f.full, "full", false, "read everything from the beginning, and try failed documents again")
	c.Flags().BoolVar(&f.retry, "retry", false, "try documents again that could not be read; the rest is compared only")
	c.Flags().BoolVar(&f.watch, "watch", false, "show the syncs that footnote serve runs, live, and start none; Ctrl-C ends it")
	c.Flags().BoolVar(&f.acceptDeletes, "accept-deletes", false, "let deletions through that were held because they are many")
	c.Flags().BoolVar(&f.access, "access", false, "read only who may read what, where the connector can tell that by itself")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object a source")
	return c
}

// sync reads the named source or all. One that fails does not stop the others.
func (inv *invocation) sync(ctx context.Context, a *app, names []string, f syncFlags) error {
	for _, name := range a.leftFile() {
		if !a.hasLeft(name) {
			break
		}
		fmt.Fprintf(inv.streams.Err, "note: source %s is no longer in the configuration file; its documents stay until: footnote source remove %s\n", name, name)
	}
	sources, err := a.chosen(ctx, names)
	if err != nil {
		return err
	}
	var first error
	if f.access && len(names) == 0 {
		if sources = a.granting(ctx, sources); len(sources) == 0 {
			fmt.Fprintln(inv.streams.Err, "no source tells who may read what by itself; their readers come with a plain footnote sync")
		}
	}
	if f.retry {
		if sources, err = inv.failing(ctx, a, sources); err != nil {
			return err
		}
		f.full = true // it is sent again only with all the others
	}
	for _, src := range sources {
		report, err := inv.syncOne(ctx, a, src, f)
		if showErr := inv.showReport(ctx, a, src, report, err, f.asJSON); showErr != nil {
			return showErr
		}
		if err != nil && first == nil {
			first = err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	inv.embedNow(ctx, a)
	if first != nil {
		return exited(exitCode(core.KindOf(first)))
	}
	return nil
}

// syncOne reads a source because somebody says so.
func (inv *invocation) syncOne(ctx context.Context, a *app, src core.Source, f syncFlags) (report ingest.Report, err error) {
	if err := a.host.Unpark(ctx, src.Name); err != nil {
		return report, err
	}
	bar := inv.progress(src.Name)
	defer bar.done()
	var last core.SyncProgress
	kind, started := core.JobSync, a.store.Now()
	if f.access {
		kind = core.JobAccess
	}
	report, err = a.syncOnce(ctx, src, f, func(p ingest.Progress) {
		last = p.SyncProgress
		bar.show(p)
	})
	if core.KindOf(err) != core.KindConflict { // another one runs, which tells by itself
		a.noteSynced(ctx, src, kind, started, err, last)
	}
	return report, err
}

// syncOnce reads a source. One whose connector rests after failures is left alone.
func (a *app) syncOnce(ctx context.Context, src core.Source, f syncFlags, show func(ingest.Progress)) (report ingest.Report, err error) {
	started := time.Now()
	defer func() { report.Took = time.Since(started) }()
	defer a.embeddings.embedder.Kick()
	defer a.contexts.situator.Kick()
	conn, err := a.sources.use(ctx, src)
	if err != nil {
		return report, a.noteFailedStart(ctx, src, started, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	opts := ingest.SyncOptions{Full: f.full, AcceptDeletes: f.acceptDeletes, Progress: show, NoList: f.noList, Pause: f.pause}
	switch {
	case f.access:
		return a.syncer.Grants(ctx, src, conn, opts)
	case f.list:
		return a.syncer.List(ctx, src, conn, opts)
	}
	return a.syncer.Sync(ctx, src, conn, opts)
}

// noteFailedStart keeps a connector that does not start visible in the status. One
// that was not even tried, because it rests, has told why before.
func (a *app) noteFailedStart(ctx context.Context, src core.Source, started time.Time, err error) error {
	if _, resting := plugins.Resting(err); resting || ctx.Err() != nil {
		return err
	}
	_, saveErr := countedRuns{a.store, a.meters}.SaveRun(ctx, core.SyncRun{
		Source: src.Name, Reason: core.SyncPoll, Started: started, Finished: time.Now(),
		ErrorKind: core.KindOf(err), Error: err.Error(),
	})
	return errors.Join(err, saveErr)
}

// reportView is a sync as --json prints it, one a line.
type reportView struct {
	Source string          `json:"source"`
	Reason core.SyncReason `json:"reason"`
	core.SyncCounts
	TookMS   int64         `json:"took_ms"`
	Notes    []string      `json:"notes"`
	Failures []failureView `json:"failures"`
	Error    string        `json:"error,omitempty"`
}

func (inv *invocation) showReport(ctx context.Context, a *app, src core.Source, r ingest.Report, err error, asJSON bool) error {
	v := reportView{
		Source: src.Name, Reason: r.Reason, SyncCounts: r.SyncCounts, TookMS: r.Took.Milliseconds(),
		Notes: append([]string{}, r.Notes...), Failures: []failureView{},
	}
	if err != nil {
		v.Error = err.Error()
	}
	if st, statusErr := a.store.SourceStatus(context.WithoutCancel(ctx), src.Name); statusErr == nil {
		v.Failures = shownSource(st).Failures
	}
	if asJSON {
		return inv.printJSON(v)
	}
	return inv.printReport(v)
}

// mostFailures is how many failed documents a report names.
const mostFailures = 10

func (inv *invocation) printReport(v reportView) error {
	for i, f := range v.Failures {
		if i == mostFailures {
			fmt.Fprintf(inv.streams.Err, "note: and %d more; see: footnote source show %s\n", len(v.Failures)-i, v.Source)
			break
		}
		fmt.Fprintf(inv.streams.Err, "note: could not read %s: %s\n", console.Clean(f.ID), console.Clean(f.Detail))
	}
	for _, n := range v.Notes {
		fmt.Fprintf(inv.streams.Err, "note: %s\n", console.Clean(n))
	}
	if v.Held > 0 {
		fmt.Fprintf(inv.streams.Err, "note: %s gone from %s; that is so much of it that nothing is deleted until you say so: footnote sync %s --accept-deletes\n",
			counted(v.Held, "document"), v.Source, v.Source)
	}
	if v.Error != "" {
		fmt.Fprintf(inv.streams.Err, "footnote: %s: %s\n", v.Source, console.Clean(v.Error))
	}
	_, err := fmt.Fprintf(inv.streams.Out, "%s: %s\n", v.Source, summary(v))
	return err
}

func summary(v reportView) string {
	parts := []string{
		fmt.Sprintf("%d seen", v.Seen), fmt.Sprintf("%d changed", v.Changed),
		fmt.Sprintf("%d extracted", v.Extracted), fmt.Sprintf("%d written", v.Written),
	}
	for _, extra := range []struct {
		n    int
		what string
	}{{v.AccessChanged, "access changed"}, {v.Groups, "groups changed"}, {v.Removed, "removed"}, {v.Held, "deletions held"}, {v.Failed, "failed"}} {
		if extra.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", extra.n, extra.what))
		}
	}
	return fmt.Sprintf("%s (%.1f s)", strings.Join(parts, ", "), float64(v.TookMS)/1000)
}
