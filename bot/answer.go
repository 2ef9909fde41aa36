package bot

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/prompts"
)

// mostAgain is how often a turn is answered anew because more people can read
// its place, or because a source of it was closed.
const mostAgain = 3

// answer runs the turn. Whatever the Answerer does, the turn has an end, and the
// audit knows of it.
func (d *Desk) answer(ctx context.Context, r *Running, q core.Question) {
	var t core.Turn
	defer func() {
		if fault := recover(); fault != nil {
			d.opts.Log.Error("a turn panicked", "turn_id", r.ID, "fault", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			r.end(core.Errorf(core.KindInternal, "the turn failed"))
		}
		d.audit(ctx, core.AuditAnswer, q, t, r.outcome())
	}()
	say := prompts.In(prompts.LanguageFor(q.Agent.Language, q.Text))
	if err := d.placeInThread(ctx, &q); err != nil {
		d.endUnread(ctx, r, err)
		return
	}
	for again := 0; ; again++ {
		q.Audience = d.audience(ctx, q.Place, q.Viewer)
		r.madeFor(q.Audience)
		switch {
		case ctx.Err() != nil:
			r.end(context.Cause(ctx))
			return
		case q.Audience.Silent:
			r.end(core.Errorf(core.KindDenied, "%s", say.Silent))
			return
		case again > mostAgain:
			r.end(core.Errorf(core.KindUnavailable, "%s", say.Unsettled))
			return
		}
		now := q
		var err error
		if now.History, err = d.history(ctx, q); err != nil {
			d.endUnread(ctx, r, err)
			return
		}
		var withdrawn bool
		if t, withdrawn = d.attempt(ctx, r, now, say); !withdrawn {
			r.rests(t)
			return
		}
		d.audit(ctx, core.AuditWithdraw, now, t, "withdrawn")
		t = core.Turn{}
	}
}

// endUnread ends a turn whose thread cannot be read.
func (d *Desk) endUnread(ctx context.Context, r *Running, err error) {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else {
		d.opts.Log.Warn("a thread cannot be read", "turn_id", r.ID, "error", err)
	}
	r.end(err)
}

// placeInThread finds the turn that the question follows where it names none. It
// is found once: a turn that is answered anew must not follow itself.
func (d *Desk) placeInThread(ctx context.Context, q *core.Question) error {
	if n := len(q.History); n > 0 && q.Parent == "" {
		q.Parent = q.History[n-1].ID // also where its audience may not know it
	}
	if q.History != nil || q.Parent != "" || q.Place.Thread == "" {
		return nil
	}
	turns, err := d.opts.Turns.Thread(ctx, q.Place.Thread)
	if n := len(turns); err == nil && n > 0 {
		q.Parent = turns[n-1].ID
	}
	return err
}

// history is the branch that the question continues, as far as its audience may
// know it now. It is not nil, so that nobody looks again.
func (d *Desk) history(ctx context.Context, q core.Question) ([]core.Turn, error) {
	before := q.History
	if before == nil && q.Place.Thread != "" && q.Parent != "" {
		branch, err := d.opts.Turns.Branch(ctx, q.Parent)
		if err != nil {
			return nil, err
		}
		for _, t := range branch {
			if t.Thread == q.Place.Thread {
				before = append(before, t)
			}
		}
	}
	return access.Known(ctx, d.opts.Documents, q.Audience, q.Viewer, before)
}
