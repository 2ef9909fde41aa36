package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestOutcomesAndUsageAddUp(t *testing.T) {
	s := open(t, t.TempDir())
	day := time.Date(2026, 5, 4, 23, 59, 0, 0, time.UTC)
	cost := 0.5
	put := func(id string, at time.Time, outcome string, priced *float64) {
		o := Outcome{TurnID: id, At: at, Platform: "slack", Outcome: outcome, Coverage: 0.3, TookMS: 100, Cost: priced, Models: []ModelUsage{
			{Model: "small", Calls: 2, Failed: 1, PromptTokens: 10, OutputTokens: 3, Cost: 0.25},
			{Model: "free", Calls: 1, Unpriced: 1},
		}}
		check(t, s.PutOutcome(t.Context(), o))
		check(t, s.PutOutcome(t.Context(), o)) // told twice, counted once
	}
	put("a", day, "answered", &cost)
	put("b", day, "answered", nil)
	put("c", day.Add(2*time.Minute), "failed", &cost)
	got, err := s.Outcomes(t.Context(), day.Add(-time.Hour))
	check(t, err)
	diff(t, []DayOutcomes{
		{"2026-05-04", "slack", "answered", 2, 200, 0.5},
		{"2026-05-05", "slack", "failed", 1, 100, 0.5},
	}, got)
	used, err := s.ModelUsages(t.Context(), day)
	check(t, err)
	diff(t, []ModelUsage{
		{"2026-05-04", "free", 2, 0, 0, 0, 0, 2}, {"2026-05-04", "small", 4, 2, 20, 6, 0.5, 0},
		{"2026-05-05", "free", 1, 0, 0, 0, 0, 1}, {"2026-05-05", "small", 2, 1, 10, 3, 0.25, 0},
	}, used)
}

func TestAskedHoldsWhatPeopleThought(t *testing.T) {
	s := open(t, t.TempDir())
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	turn := func(id string, at time.Time) {
		check(t, s.SaveTurn(t.Context(), core.Turn{ID: id, Place: "slack:T1/C1", Class: "public_channel", Question: "q " + id, Started: at, Used: []string{"handbook/a"}}))
	}
	turn("old", now.Add(-time.Hour))
	turn("new", now)
	check(t, s.PutOutcome(t.Context(), Outcome{TurnID: "new", At: now, Platform: "slack", Outcome: "unanswered", Coverage: 0.25, TookMS: 7}))
	check(t, s.PutVote(t.Context(), core.Vote{TurnID: "new", Account: "slack:T1/U1", Reason: "wrong", At: now}))
	check(t, s.PutVote(t.Context(), core.Vote{TurnID: "new", Account: "slack:T1/U2", Up: true, At: now}))
	check(t, s.PutHelp(t.Context(), core.HelpRequest{ID: "h", TurnID: "new", Place: "slack:T1/C1", Account: "slack:T1/U1", Opened: now}))
	want := Asked{TurnID: "new", At: now, Place: "slack:T1/C1", Class: "public_channel", Question: "q new", Outcome: "unanswered", Coverage: 0.25, TookMS: 7, Up: 1, Down: 1, Help: 1}
	got, err := s.Asked(t.Context(), AskedQuery{Since: now})
	check(t, err)
	diff(t, []Asked{want}, got)
	if all, err := s.Asked(t.Context(), AskedQuery{}); err != nil || len(all) != 2 || all[0].TurnID != "new" {
		t.Errorf("%v, %v", all, err)
	}
	one, err := s.AskedTurn(t.Context(), "new")
	check(t, err)
	diff(t, want, one)
	_, err = s.AskedTurn(t.Context(), "none")
	wantKind(t, err, core.KindNotFound)
	if used, err := s.UsedIn(t.Context(), "handbook/a", 1); err != nil || len(used) != 1 || used[0].TurnID != "new" {
		t.Errorf("%v, %v", used, err)
	}
	votes, err := s.VotesSince(t.Context(), now, 10)
	if check(t, err); len(votes) != 2 || votes[0].Question != "q new" || votes[0].Reason != "wrong" || votes[0].Vote.Up {
		t.Errorf("votes %+v", votes)
	}
	help, err := s.HelpSince(t.Context(), now, 10)
	if check(t, err); len(help) != 1 || help[0].Question != "q new" || !help[0].Resolved.IsZero() {
		t.Errorf("help %+v", help)
	}
}

func TestDocumentsAreListedByWords(t *testing.T) {
	s := handbook(t)
	put(t, s, page("parking_lot", []core.Principal{core.Public}, "x"), page("coffee 100%", nil, "x"), page("parkingXlot", nil, "x"))
	for _, row := range []struct {
		q    DocumentListQuery
		want []string
	}{
		{DocumentListQuery{}, []string{"handbook/coffee 100%", "handbook/parkingXlot", "handbook/parking_lot"}},
		{DocumentListQuery{Words: []string{"PAGE", "parking_"}}, []string{"handbook/parking_lot"}}, // no pattern of SQL
		{DocumentListQuery{Words: []string{"0%"}}, []string{"handbook/coffee 100%"}},
		{DocumentListQuery{Source: "other"}, nil}, {DocumentListQuery{Hidden: true}, nil},
		{DocumentListQuery{Offset: 1, Limit: 1}, []string{"handbook/parkingXlot"}},
	} {
		list, err := s.ListDocuments(t.Context(), row.q)
		check(t, err)
		var got []string
		for _, d := range list {
			got = append(got, d.ID)
		}
		diff(t, row.want, got)
	}
	if n, err := s.CountPassages(t.Context(), "handbook/parking_lot"); n != 1 || err != nil {
		t.Errorf("%d passages, %v", n, err)
	}
	counts, err := s.SourceCounts(t.Context())
	check(t, err)
	diff(t, []SourceCount{{"handbook", 3, 3, 0}}, counts)
}

func TestLatestAuditGoesBackwards(t *testing.T) {
	s := open(t, t.TempDir())
	for _, who := range []string{"ann", "bob", "ann"} {
		check(t, s.Audit(t.Context(), core.AuditEntry{Action: core.AuditConfig, Actor: who, Documents: []string{"d/" + who}, TurnID: who}))
	}
	numbers := func(q AuditQuery, before int64) (out []int64) {
		q.Limit = 2
		list, err := s.LatestAudit(t.Context(), q, before)
		check(t, err)
		for _, e := range list {
			out = append(out, e.N)
		}
		return out
	}
	diff(t, []int64{3, 2}, numbers(AuditQuery{}, 0))
	diff(t, []int64{1}, numbers(AuditQuery{}, 2))
	diff(t, []int64{3, 1}, numbers(AuditQuery{Actor: "ANN"}, 0))
	diff(t, []int64{2}, numbers(AuditQuery{Document: "d/bob"}, 0))
	diff(t, []int64{2}, numbers(AuditQuery{TurnID: "bob"}, 0))
	diff(t, []int64(nil), numbers(AuditQuery{Action: core.AuditLook}, 0))
}
