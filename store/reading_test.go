package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestWhatReadingUsedIsNobodys(t *testing.T) {
	s := open(t, t.TempDir())
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	now := day
	s.Now = func() time.Time { return now }
	half := 0.5
	call := func(at time.Duration, purpose, model string, cost *float64) {
		now = day.Add(at)
		check(t, s.CountReadingCall(t.Context(), core.ReadingCall{Purpose: purpose, Model: model, Usage: core.Usage{PromptTokens: 90, CompletionTokens: 10}, Cost: cost}))
	}
	call(-time.Microsecond, core.ForContexts, "small", &half) // the day before
	call(0, core.ForContexts, "small", &half)
	call(15*time.Minute-1, core.ForContexts, "small", nil) // the same quarter of an hour; its price is gone
	call(time.Hour, core.ForContexts, "small", &half)
	call(time.Hour, core.ForContexts, "other", nil)
	call(time.Hour, core.ForPictures, "small", &half)
	check(t, s.PutSpent(t.Context(), Spent{Turn: "1", Model: "small", At: now, Person: "ann", Place: "C1", Calls: 2, Tokens: 7, Cost: &half}))
	q := UsageQuery{From: day, To: day.Add(24 * time.Hour)}
	with := func(change func(*UsageQuery)) UsageQuery {
		q := q
		change(&q)
		return q
	}
	for _, row := range []struct {
		name string
		q    UsageQuery
		want Usage
	}{
		{"questions alone", q, Usage{"", 1, 2, 7, 0.5, 0, ""}},
		{"of a model", with(func(q *UsageQuery) { q.Model = "small" }), Usage{"", 1, 2, 7, 0.5, 0, ""}},
		{"with reading", with(func(q *UsageQuery) { q.Reading = true }), Usage{"", 1, 7, 507, 2, 2, ""}},
		{"with reading of a model", with(func(q *UsageQuery) { q.Reading, q.Model = true, "small" }), Usage{"", 1, 6, 407, 2, 1, ""}},
		{"with reading of a person", with(func(q *UsageQuery) { q.Reading, q.Person = true, "ann" }), Usage{"", 1, 2, 7, 0.5, 0, ""}},
		{"with reading of a place", with(func(q *UsageQuery) { q.Reading, q.Place = true, "C1" }), Usage{"", 1, 2, 7, 0.5, 0, ""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := s.Used(t.Context(), row.q)
			check(t, err)
			diff(t, row.want, got)
		})
	}
	got, err := s.UsageBy(t.Context(), q, "purpose")
	check(t, err)
	diff(t, []Usage{{"contexts", 0, 3, 300, 1, 1, "small"}, {"contexts", 0, 1, 100, 0, 1, "other"}, {"pictures", 0, 1, 100, 0.5, 0, "small"}}, got)
	for _, by := range []string{"person", "place", "model"} {
		got, err := s.UsageBy(t.Context(), q, by)
		if check(t, err); len(got) != 1 || got[0].Tokens != 7 {
			t.Errorf("by %s: %+v", by, got)
		}
	}
	call(spentKept+30*time.Minute, core.ForPictures, "small", nil)
	got, err = s.UsageBy(t.Context(), UsageQuery{To: day.Add(2 * spentKept)}, "purpose")
	check(t, err)
	diff(t, []Usage{{"pictures", 0, 2, 200, 0.5, 1, "small"}, {"contexts", 0, 1, 100, 0, 1, "other"}, {"contexts", 0, 1, 100, 0.5, 0, "small"}}, got)
}

// Calls that are counted together are in the rows that single ones are in.
func TestReadingCallsCountedTogether(t *testing.T) {
	s := open(t, t.TempDir())
	now := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { return now }
	half := 0.5
	check(t, s.CountReadingCall(t.Context(), core.ReadingCall{Purpose: core.ForEmbeddings, Model: "small", Failed: true, Cost: &half}))
	var priced, free ModelUsage
	priced.Model, free.Model = "small", "small"
	for range 3 {
		priced.Add(core.ReadingCall{Usage: core.Usage{PromptTokens: 5}, Cost: &half})
	}
	free.Add(core.ReadingCall{Usage: core.Usage{PromptTokens: 2}, Failed: true})
	check(t, s.CountReading(t.Context(), core.ForEmbeddings, priced, free))
	got, err := s.UsageBy(t.Context(), UsageQuery{From: now, To: now.Add(time.Hour)}, "purpose")
	check(t, err)
	diff(t, []Usage{{"embeddings", 0, 5, 17, 2, 1, "small"}}, got)
	days, err := s.ModelUsages(t.Context(), now)
	check(t, err)
	diff(t, []ModelUsage{{Day: "2026-05-04", Model: "small", Calls: 5, Failed: 2, PromptTokens: 17, Cost: 2, Unpriced: 1}}, days)
	if n, err := s.ContextCalls(t.Context()); n != 0 || err != nil {
		t.Errorf("%d calls for contexts, %v", n, err)
	}
}

// A call counts everywhere or nowhere.
func TestACallThatCannotBeCountedLeavesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.write(t.Context(), func(tx *session) error {
		_, err := tx.ExecContext(t.Context(), `CREATE TRIGGER broken BEFORE INSERT ON spent BEGIN SELECT RAISE(ABORT, 'broken'); END`)
		return err
	}))
	if err := s.CountReadingCall(t.Context(), core.ReadingCall{Purpose: core.ForContexts, Model: "m"}); err == nil {
		t.Fatal("it was counted")
	}
	n, err := s.ContextCalls(t.Context())
	check(t, err)
	used, err := s.ModelUsages(t.Context(), s.Now().Add(-48*time.Hour))
	if check(t, err); n != 0 || len(used) != 0 {
		t.Errorf("%d calls, %+v", n, used)
	}
}
