package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestWhatWasUsedAddsUp(t *testing.T) {
	s := open(t, t.TempDir())
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { return day.Add(48 * time.Hour) }
	cost := 0.25
	put := func(turn, model, person, place string, at time.Time, tokens int, cost *float64) {
		check(t, s.PutSpent(t.Context(), Spent{Turn: turn, Model: model, Person: person, Place: place, At: at, Calls: 1, Tokens: tokens, Cost: cost}))
	}
	put("1", "small", "ann", "C1", day, 100, &cost)
	put("1", "large", "ann", "C1", day, 50, nil)
	put("1", "small", "ann", "C1", day, 10, &cost) // withdrawn and answered anew
	put("2", "small", "bob", "C1", day.Add(24*time.Hour-1000), 7, &cost)
	put("3", "small", "ann", "C2", day.Add(24*time.Hour), 1000, &cost) // the next day
	put("4", "", "ann", "C2", day.Add(-1000), 0, nil)                  // the day before
	all := UsageQuery{From: day, To: day.Add(24 * time.Hour)}
	for _, row := range []struct {
		q    UsageQuery
		want Usage
	}{
		{all, Usage{"", 2, 4, 167, 0.75, 1, ""}},
		{UsageQuery{From: day, To: all.To, Person: "ann"}, Usage{"", 1, 3, 160, 0.5, 1, ""}},
		{UsageQuery{From: day, To: all.To, Model: "small", Place: "C1"}, Usage{"", 2, 3, 117, 0.75, 0, ""}},
		{UsageQuery{From: day, To: all.To, Person: "eve"}, Usage{}},
	} {
		got, err := s.Used(t.Context(), row.q)
		check(t, err)
		diff(t, row.want, got)
	}
	got, err := s.UsageBy(t.Context(), all, "person")
	check(t, err)
	diff(t, []Usage{{"ann", 1, 3, 160, 0.5, 1, ""}, {"bob", 1, 1, 7, 0.25, 0, ""}}, got)
	_, err = s.UsageBy(t.Context(), all, "1; DROP TABLE spent")
	wantKind(t, err, core.KindInvalid)

	s.Now = func() time.Time { return day.Add(spentKept + 12*time.Hour) }
	put("5", "small", "ann", "C1", day.Add(spentKept), 1, nil)
	got, err = s.UsageBy(t.Context(), UsageQuery{To: day.Add(2 * spentKept)}, "place")
	check(t, err)
	diff(t, []Usage{{"C2", 1, 1, 1000, 0.25, 0, ""}, {"C1", 2, 2, 8, 0.25, 1, ""}}, got)
}
