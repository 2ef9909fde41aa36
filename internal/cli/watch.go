package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// How often a watch looks.
const (
	watchLook  = 500 * time.Millisecond
	watchLines = 5 * time.Second // between two plain lines of a source
)

// watch shows the syncs that run in the process that holds the data folder, and
// starts none: until Ctrl-C, or, of one source, until its sync ends.
func (inv *invocation) watch(ctx context.Context, a *app, names []string, asJSON bool) error {
	if len(names) == 1 {
		if _, err := a.status(ctx, names[0]); err != nil {
			return err
		}
	}
	if inv.held == nil {
		fmt.Fprintln(inv.streams.Err, "nothing runs: no other footnote process holds the data folder; footnote serve reads sources on their schedules")
		return nil
	}
	w := &watching{inv: inv, only: strings.Join(names, ""), asJSON: asJSON, shown: map[string]ingest.Running{}, at: map[string]time.Time{}}
	for {
		all := a.syncer.Running()
		if err := w.show(all, time.Now()); err != nil {
			return err
		}
		if _, runs := runningOf(all, w.only); w.only != "" && !runs {
			return w.end(ctx, a)
		}
		if pause(ctx, watchLook) != nil {
			return nil // Ctrl-C is how a watch ends
		}
	}
}

// watching is one watch in progress.
type watching struct {
	inv    *invocation
	only   string // the source; "" for all
	asJSON bool
	drawn  int                       // lines on the terminal
	shown  map[string]ingest.Running // by source, as they were shown last
	at     map[string]time.Time      // when a source was shown last
}

// watchLine is a run as --json prints it.
type watchLine struct {
	Source string `json:"source"`
	runningView
	Ended bool `json:"ended,omitempty"`
}

func (w *watching) show(all []ingest.Running, now time.Time) error {
	var lines []string
	for _, r := range all {
		if w.only != "" && r.Source != w.only {
			continue
		}
		view := runningView{r.Reason, r.Started, r.SyncProgress}
		line := console.Clean(r.Source) + ": " + view.text(now)
		lines = append(lines, line)
		old, known := w.shown[r.Source]
		changed := !known || old != r
		switch {
		case w.inv.OutTTY && !w.asJSON:
		case w.asJSON && changed:
			if err := w.inv.printJSON(watchLine{Source: r.Source, runningView: view}); err != nil {
				return err
			}
		case !w.asJSON && (!known || changed && now.Sub(w.at[r.Source]) >= watchLines):
			if _, err := fmt.Fprintln(w.inv.streams.Out, line); err != nil {
				return err
			}
		default:
			continue
		}
		w.shown[r.Source], w.at[r.Source] = r, now
	}
	if err := w.ended(all); err != nil {
		return err
	}
	if !w.inv.OutTTY || w.asJSON {
		return nil
	}
	return w.draw(lines)
}

// ended tells of runs that were shown and are over.
func (w *watching) ended(all []ingest.Running) error {
	for source, r := range w.shown {
		if now, runs := runningOf(all, source); runs && now.Started.Equal(r.Started) {
			continue
		}
		delete(w.shown, source)
		switch {
		case w.asJSON:
			if err := w.inv.printJSON(watchLine{Source: source, runningView: runningView{r.Reason, r.Started, r.SyncProgress}, Ended: true}); err != nil {
				return err
			}
		case !w.inv.OutTTY && w.only == "":
			if _, err := fmt.Fprintf(w.inv.streams.Out, "%s: ended; see: footnote source show %s\n", console.Clean(source), source); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw puts the lines in place of those that were drawn before.
func (w *watching) draw(lines []string) error {
	if len(lines) == 0 {
		lines = []string{"no sync runs at the moment; Ctrl-C ends the watch"}
	}
	var b strings.Builder
	if w.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", w.drawn)
	}
	for _, l := range lines {
		if width := w.inv.Width; width > 0 && len([]rune(l)) > width {
			l = string([]rune(l)[:width-1]) + "…"
		}
		b.WriteString(l + "\n")
	}
	w.drawn = len(lines)
	_, err := fmt.Fprint(w.inv.streams.Out, b.String())
	return err
}

// end says how the one source's sync ended; its error is the command's.
func (w *watching) end(ctx context.Context, a *app) error {
	st, err := a.status(ctx, w.only)
	if err != nil {
		return err
	}
	v := a.scheduleOf(ctx, st)
	if !w.asJSON {
		for _, row := range append([][2]string{{"last sync", lastSync(st.LastRun)}}, v.rows(a.store.Now())...) {
			if _, err := fmt.Fprintf(w.inv.streams.Out, "%s: %s\n", row[0], console.Clean(row[1])); err != nil {
				return err
			}
		}
	}
	if st.LastRun != nil && st.LastRun.ErrorKind != "" && st.LastRun.ErrorKind != core.KindCancelled {
		fmt.Fprintf(w.inv.streams.Err, "footnote: %s: %s\n", w.only, console.Clean(st.LastRun.Error))
		return exited(exitCode(st.LastRun.ErrorKind))
	}
	return nil
}
