package agent

import (
	"context"
	"log/slog"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/model"
)

// Memory keeps what a conversation was about. *store.Store implements it.
type Memory interface {
	// Branch lists the turns from the root of the thread to the turn, oldest
	// first, whatever audience they were made for.
	Branch(ctx context.Context, turn string) ([]core.Turn, error)
	// Summaries lists the summaries whose newest turn is one of the turns.
	Summaries(ctx context.Context, turns []string) ([]core.Summary, error)
	SaveSummary(ctx context.Context, s core.Summary) error
}

// memory is what a turn knows of the branch before it.
type memory struct {
	summary   *core.Summary
	exchanges []*exchange // not in the summary, oldest first
}

func (m memory) text() string {
	if m.summary == nil {
		return ""
	}
	return untagged(m.summary.Text)
}

// tokens is the size of all of it.
func (m memory) tokens() int {
	n := tokens(m.text())
	for _, e := range m.exchanges {
		n += e.size()
	}
	return n
}

// calls are all tool calls that may stand in the context.
func (m memory) calls() []model.ToolCall {
	var out []model.ToolCall
	for _, e := range m.exchanges {
		for _, calls := range e.calls {
			out = append(out, calls...)
		}
	}
	return out
}

// remember makes the memory of turns that the audience may know, with the best
// of the summaries.
func remember(turns []core.Turn, summaries []core.Summary, audience core.Audience, viewer core.Viewer, cache *readCache) memory {
	m := memory{summary: choose(turns, summaries, audience, viewer)}
	for i, t := range turns {
		if m.summary == nil || !slices.Contains(m.summary.Covers, t.ID) {
			m.exchanges = append(m.exchanges, newExchange(i, t, cache))
		}
	}
	return m
}

// choose picks the summary that reaches farthest among those that the audience
// may know: every turn that it covers is among the turns that they may know, and
// so would be a turn with the summary's own class and scope.
func choose(turns []core.Turn, summaries []core.Summary, audience core.Audience, viewer core.Viewer) *core.Summary {
	at := map[string]int{}
	for i, t := range turns {
		at[t.ID] = i
	}
	best := -1
	var chosen *core.Summary
	for _, s := range summaries {
		last, onBranch := at[s.Last]
		// An asker without an address is told by their account, which a summary does
		// not keep: its turns are told apart by it.
		known := access.CanKnow(audience, core.Turn{Class: s.Class, Scope: s.Scope, Asker: s.Asker, Account: viewer.Account}, viewer)
		for _, id := range s.Covers {
			_, ok := at[id]
			known = known && ok
		}
		if onBranch && known && last >= best {
			best, chosen = last, &s
		}
	}
	return chosen
}

// strictest is the class, scope and asker that bind what was made of all the
// turns: who may know the result may know each of them.
func strictest(turns []core.Turn) (class string, scope []core.Principal, asker string) {
	for i, t := range turns {
		for _, p := range t.Scope {
			if !slices.Contains(scope, p) {
				scope = append(scope, p)
			}
		}
		switch {
		case access.AskerOnlyClass(t.Class):
			class, asker = t.Class, t.Asker
		case i == 0, access.NarrowerClass(t.Class, class):
			class = t.Class
		}
	}
	slices.Sort(scope)
	return class, scope, asker
}

// recall fills in the history and what summarises it. Whoever gave the history,
// only what the audience may know and still read stays.
func (t *turn) recall(ctx context.Context) error {
	store := t.opts.Memory
	if t.q.History == nil && t.q.Parent != "" && store != nil {
		branch, err := store.Branch(ctx, t.q.Parent)
		n := len(branch)
		switch {
		case err != nil && core.KindOf(err) != core.KindNotFound:
			return err
		case n == 0 || branch[n-1].Thread != t.q.Place.Thread:
			// A turn of another thread reads like one that does not exist.
			parent := t.q.Parent
			t.q.Parent = ""
			return core.Errorf(core.KindNotFound, "There is no turn %q in this thread; name one of its own turns, or none to begin anew.", parent)
		}
		t.q.History = branch
	}
	known, err := access.Known(ctx, t.opts.Documents, t.q.Audience, t.q.Viewer, t.q.History)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	t.q.History = known
	t.memory = t.summarised(ctx, t.q.History)
	return nil
}

// summarised reads the summaries of turns. Without them the oldest turns are
// cut, which is no reason to fail.
func (t *turn) summarised(ctx context.Context, turns []core.Turn) memory {
	var summaries []core.Summary
	if t.opts.Memory != nil && len(turns) > 0 {
		ids := make([]string, 0, len(turns))
		for _, old := range turns {
			ids = append(ids, old.ID)
		}
		var err error
		if summaries, err = t.opts.Memory.Summaries(ctx, ids); err != nil {
			t.report(slog.LevelWarn, "summaries not read", err)
		}
	}
	m := remember(turns, summaries, t.q.Audience, t.q.Viewer, &t.agent.read)
	if m.summary != nil {
		t.trace.Summary = m.summary.ID
	}
	return m
}
