package agent

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// withdrawn tells whether the turn was cancelled because it was made for fewer
// readers than there are.
func withdrawn(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), core.ErrWithdrawn)
}

// closedMeanwhile tells whether something that the answer may rest on was closed to
// its readers, or is gone, since it was found. What cannot be found out counts as
// closed.
func (t *turn) closedMeanwhile(ctx context.Context) bool {
	ids := slices.Clone(t.rests)
	for _, old := range t.q.History {
		own, _ := access.Documents(old)
		ids = append(ids, own...)
	}
	if t.opts.Documents == nil || len(ids) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	slices.Sort(ids)
	readable, err := access.ReadableNow(ctx, t.opts.Documents, t.q.Audience, slices.Compact(ids))
	if err != nil {
		t.report(slog.LevelWarn, "what an answer rests on cannot be looked up, taking it back", err)
		return true
	}
	return slices.ContainsFunc(ids, func(id string) bool { return id != "" && !readable[id] })
}

// withdraw ends the turn with its question alone: nothing that it said stays in
// the ledger, also where the answer was stored already.
func (t *turn) withdraw(ctx context.Context) (core.Turn, error) {
	t.traceBegin() // queries and candidates are part of what was thrown away
	open := t.open()
	if err := t.save(ctx, open); err != nil {
		t.report(slog.LevelError, "answer that was withdrawn not taken out of the ledger", err)
	}
	open.Used = t.used() // for the audit
	return open, core.ErrWithdrawn
}

// used are the ids of all documents that the answer may rest on: those that tools
// brought in any cycle, also where they did not fit, and those behind the earlier
// turns that the model read, whose answers it may have repeated. What the ledger
// does not hold is among them: nobody may be shown to know it later.
func (t *turn) used() []string {
	out := append(t.numbers.ids(), t.outside...)
	for _, old := range t.q.History {
		ids, _ := access.Documents(old)
		out = append(out, ids...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
