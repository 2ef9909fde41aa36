package cli

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	// scheduleLook is how often it is looked which sources are due.
	scheduleLook = 10 * time.Second
	// leastEvery bounds how often a source is read.
	leastEvery = time.Minute
)

// scheduled tells which sources are due at the time: those with a schedule whose
// last sync began long enough ago, however it ended.
func scheduled(sources []core.Source, last map[string]time.Time, now time.Time) []core.Source {
	var due []core.Source
	for _, s := range sources {
		if s.Every <= 0 {
			continue
		}
		if started, ok := last[s.Name]; !ok || now.Sub(started) >= max(s.Every, leastEvery) {
			due = append(due, s)
		}
	}
	return due
}

// runSchedules reads sources when they are due, one after the other, until ctx
// ends. What goes wrong stands in the source's runs and in the log.
func (a *app) runSchedules(ctx context.Context) {
	begun := map[string]time.Time{}
	for {
		for _, src := range a.due(ctx, begun) {
			begun[src.Name] = time.Now()
			_, err := a.syncOnce(ctx, src, syncFlags{}, nil)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				a.log.Warn("a source could not be read", "source", src.Name, "kind", core.KindOf(err), "error", err)
			}
		}
		if pause(ctx, scheduleLook) != nil {
			return
		}
	}
}

// due are the sources to read now, in the order of their names.
func (a *app) due(ctx context.Context, begun map[string]time.Time) []core.Source {
	sources, err := a.store.Sources(ctx)
	if err != nil {
		a.log.Warn("the schedule cannot be read", "error", err)
		return nil
	}
	last := map[string]time.Time{}
	var listed []core.Source
	for _, s := range sources {
		if a.hasLeft(s.Name) {
			continue
		}
		listed = append(listed, s)
		if st, err := a.store.SourceStatus(ctx, s.Name); err == nil && st.LastRun != nil {
			last[s.Name] = st.LastRun.Started
		}
		if t, ok := begun[s.Name]; ok && t.After(last[s.Name]) {
			last[s.Name] = t
		}
	}
	return scheduled(listed, last, time.Now())
}
