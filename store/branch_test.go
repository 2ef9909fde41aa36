package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func saveTurns(t *testing.T, s *Store, turns ...core.Turn) {
	t.Helper()
	for i, turn := range turns {
		if turn.Thread == "" {
			turn.Thread = "thread"
		}
		// Clocks run backwards here: only parents give the order.
		turn.Place, turn.Started = "console:x", time.UnixMicro(int64(1000-i))
		turn.Answer.Citations = []core.Citation{}
		check(t, s.SaveTurn(t.Context(), turn))
	}
}

func TestBranch(t *testing.T) {
	s := open(t, t.TempDir())
	saveTurns(t, s,
		core.Turn{ID: "root"}, core.Turn{ID: "a", Parent: "root"}, core.Turn{ID: "b", Parent: "a"},
		core.Turn{ID: "a2", Parent: "root"}, core.Turn{ID: "orphan", Parent: "gone"},
		core.Turn{ID: "x", Parent: "y"}, core.Turn{ID: "y", Parent: "x"}, core.Turn{ID: "self", Parent: "self"},
		core.Turn{ID: "elsewhere", Thread: "other", Parent: "b"},
	)
	for _, row := range []struct{ id, want string }{
		{"root", "[root]"}, {"b", "[root a b]"}, {"a2", "[root a2]"}, {"orphan", "[orphan]"},
		{"y", "[x y]"}, {"self", "[self]"}, {"elsewhere", "[elsewhere]"},
	} {
		turns, err := s.Branch(t.Context(), row.id)
		check(t, err)
		var ids []string
		for _, turn := range turns {
			ids = append(ids, turn.ID)
		}
		diff(t, row.want, fmt.Sprint(ids))
	}
	_, err := s.Branch(t.Context(), "never")
	wantKind(t, err, core.KindNotFound)
}

func TestTurnKeepsItsCalls(t *testing.T) {
	s := open(t, t.TempDir())
	calls := []core.TurnCall{{Cycle: 1, Name: "internal_search", Arguments: `{"queries":["a"]}`}, {Cycle: 2, Name: "x", Arguments: `{}`}}
	saveTurns(t, s, core.Turn{ID: "a", Calls: calls}, core.Turn{ID: "b"})
	for id, want := range map[string][]core.TurnCall{"a": calls, "b": nil} {
		got, err := s.Turn(t.Context(), id)
		check(t, err)
		diff(t, want, got.Calls)
	}
}

func TestSummaries(t *testing.T) {
	s := open(t, t.TempDir())
	sum := func(id, last string, at int64) core.Summary {
		return core.Summary{ID: id, Thread: "thread", Last: last, Covers: []string{"root", last}, Text: "text of " + id,
			Class: "dm", Scope: []core.Principal{"public"}, Asker: "ann@example.com", Created: time.UnixMicro(at).UTC()}
	}
	second, first, other := sum("s2", "b", 20), sum("s1", "a", 10), sum("s3", "a2", 30)
	for _, one := range []core.Summary{second, first, other} {
		check(t, s.SaveSummary(t.Context(), one))
	}
	got, err := s.Summaries(t.Context(), []string{"root", "a", "b"})
	check(t, err)
	diff(t, []core.Summary{first, second}, got)
	got, err = s.Summaries(t.Context(), nil)
	check(t, err)
	diff(t, 0, len(got))
	first.Text = "again"
	check(t, s.SaveSummary(t.Context(), first))
	got, err = s.Summaries(t.Context(), []string{"a"})
	check(t, err)
	diff(t, []core.Summary{first}, got)
}

func TestPassageKeepsItsAnchor(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	e := page("a", []core.Principal{core.Public}, "one")
	e.Passages[0].Anchor = "opening-hours"
	put(t, s, e)
	diff(t, "opening-hours", around(t, s, "a")[0].Passage.Anchor)
}
