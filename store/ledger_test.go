package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/footnote-bot/footnote/core"
)

func backlog(t *testing.T, s *Store) core.Backlog {
	t.Helper()
	b, err := s.Backlog(t.Context(), 100, 1<<20)
	check(t, err)
	return b
}

// shape says what is in a backlog, shortly.
func shape(b core.Backlog) string {
	out := fmt.Sprint(b.Deleted)
	for _, f := range b.Facts {
		out += fmt.Sprintf(" facts %s %v", f.Document, f.Access)
	}
	for _, d := range b.Content {
		out += fmt.Sprintf(" put %s %v %d", d.Facts.Document, d.Facts.Access, len(d.Passages))
	}
	return out
}

func TestBacklog(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one", "two"), page("b", nil, "x"))
	first := backlog(t, s)
	diff(t, "[] put handbook/a [public] 2 put handbook/b [] 1", shape(first))

	// What happens between reading and confirming stays to be done.
	put(t, s, page("a", []core.Principal{core.Public}, "three"))
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{page("b", []core.Principal{core.Workspace}, "x")}}))
	check(t, s.Confirm(t.Context(), first))
	diff(t, "[] facts handbook/b [workspace] put handbook/a [public] 1", shape(backlog(t, s)))

	check(t, s.Confirm(t.Context(), backlog(t, s)))
	if b := backlog(t, s); !b.Empty() {
		t.Fatal(shape(b))
	}
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"a", "never"}}))
	deleted := backlog(t, s)
	diff(t, "[handbook/a]", shape(deleted))
	put(t, s, page("a", nil, "back"))
	diff(t, "[] put handbook/a [] 1", shape(backlog(t, s)))
	check(t, s.Confirm(t.Context(), deleted))
	diff(t, "[] put handbook/a [] 1", shape(backlog(t, s)))

	check(t, s.Confirm(t.Context(), backlog(t, s)))
	check(t, s.Unconfirm(t.Context()))
	diff(t, "[] put handbook/b [workspace] 1 put handbook/a [] 1", shape(backlog(t, s)))
	check(t, s.RemoveSource(t.Context(), "handbook"))
	diff(t, "[handbook/a handbook/b]", shape(backlog(t, s)))
}

func TestBacklogIsBounded(t *testing.T) {
	s := handbook(t)
	for i := range 10 {
		put(t, s, page(fmt.Sprint(i), nil, "0123456789"))
	}
	for _, c := range []struct{ limit, bytes, want int }{{3, 1000, 3}, {100, 25, 3}, {100, 1, 1}, {100, 1000, 10}} {
		b, err := s.Backlog(t.Context(), c.limit, c.bytes)
		check(t, err)
		if len(b.Content) != c.want || len(b.Marks) != c.want {
			t.Errorf("limit %d, %d bytes: %d documents, want %d", c.limit, c.bytes, len(b.Content), c.want)
		}
	}
}

func TestFactsOfAll(t *testing.T) {
	s := handbook(t)
	hidden := page("c", []core.Principal{core.Public}, "x")
	hidden.Document.Hidden = true
	put(t, s, page("a", []core.Principal{core.Workspace, core.Public}, "x"), page("b", nil, "x"), hidden)
	var got []core.Facts
	check(t, s.Facts(t.Context(), func(page []core.Facts) error { got = append(got, page...); return nil }))
	tags, updated := []string{"space=hr"}, hidden.Document.Updated
	diff(t, []core.Facts{
		{Document: "handbook/a", Source: "handbook", Title: "Page a", Kind: "page", Access: core.Access{core.Public, core.Workspace}, Tags: tags, Updated: updated},
		{Document: "handbook/b", Source: "handbook", Title: "Page b", Kind: "page", Tags: tags, Updated: updated},
		{Document: "handbook/c", Source: "handbook", Title: "Page c", Kind: "page", Access: core.Access{core.Public}, Hidden: true, Tags: tags, Updated: updated},
	}, got)
}

func TestKnownAndFailures(t *testing.T) {
	s := handbook(t)
	a := page("a", nil, "x")
	put(t, s, a)
	tried := core.Hash{1}
	failed := core.Batch{Source: "handbook", Failures: []core.FailedRead{
		{Content: tried, Failure: core.Failure{ExternalID: "a", Title: "A", Kind: core.KindInvalid, Detail: "broken"}},
		{Failure: core.Failure{ExternalID: "b", Kind: core.KindDenied, Detail: "no"}},
	}}
	check(t, s.Commit(t.Context(), failed))
	check(t, s.Commit(t.Context(), failed))
	known, err := s.Known(t.Context(), "handbook", []string{"a", "b", "c"})
	check(t, err)
	diff(t, map[string]core.Known{
		"a": {Stored: true, Content: a.Content, Facts: a.Facts, Failed: tried, Tries: 2}, "b": {Tries: 2},
	}, known)

	put(t, s, a)
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"b"}}))
	st, err := s.SourceStatus(t.Context(), "handbook")
	check(t, err)
	if len(st.Failures) != 0 {
		t.Fatalf("failures stayed: %+v", st.Failures)
	}
}

func TestSources(t *testing.T) {
	s := handbook(t)
	want := handbookSource(core.Workspace)
	got, err := s.Source(t.Context(), "handbook")
	check(t, err)
	diff(t, want, got)
	cursor := core.Cursor("c1")
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Cursor: &cursor}))
	state := func() string {
		st, err := s.SyncState(t.Context(), "handbook")
		check(t, err)
		return string(st.Cursor)
	}
	want.Every = time.Hour
	want.Config = []byte(`{ "dir": "docs" }`)
	check(t, s.PutSource(t.Context(), want))
	diff(t, "c1", state())
	want.Config = []byte(`{"dir":"other"}`)
	check(t, s.PutSource(t.Context(), want))
	diff(t, "", state())

	for _, config := range []string{`{`, `[]`, `"x"`} {
		want.Config = []byte(config)
		wantKind(t, s.PutSource(t.Context(), want), core.KindInvalid)
	}
	for _, name := range []string{"", "a/b", "Wiki", "a b", "wikí"} {
		wantKind(t, s.PutSource(t.Context(), core.Source{Name: name}), core.KindInvalid)
	}
	check(t, s.RemoveSource(t.Context(), "handbook"))
	wantKind(t, s.RemoveSource(t.Context(), "handbook"), core.KindNotFound)
	wantKind(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Content: []core.Entry{page("a", nil, "x")}}), core.KindNotFound)
	all, err := s.Sources(t.Context())
	check(t, err)
	if len(all) != 0 {
		t.Fatalf("left %+v", all)
	}
}

func TestRunsAndStatus(t *testing.T) {
	s := handbook(t)
	s.Now = func() time.Time { return time.UnixMicro(1e15).UTC() }
	put(t, s, page("a", nil, "x", "y"))
	run := core.SyncRun{Source: "handbook", Reason: core.SyncPoll, Started: time.UnixMicro(1e15).UTC()}
	for range keptRuns + 5 {
		id, err := s.SaveRun(t.Context(), run)
		check(t, err)
		run.ID = 0
		if id == 0 {
			t.Fatal("a run without a number")
		}
	}
	id, err := s.SaveRun(t.Context(), run)
	check(t, err)
	run.ID, run.Finished = id, run.Started.Add(time.Second)
	run.Counts, run.ErrorKind, run.Error, run.Notes = core.SyncCounts{Seen: 3, Held: 2}, core.KindAuth, "sign in", []string{"note"}
	_, err = s.SaveRun(t.Context(), run)
	check(t, err)
	held, huge := 2, core.Cursor(make([]byte, maxCursor+1))
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Held: &held}))
	wantKind(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Cursor: &huge}), core.KindInvalid)

	got, err := s.SourceStatus(t.Context(), "handbook")
	check(t, err)
	diff(t, Status{Source: handbookSource(core.Workspace), Documents: 1, Passages: 2, NotIndexed: 1, Held: 2, LastRun: &run,
		AccessChecked: s.Now()}, got)
	counts, err := s.Counts(t.Context())
	check(t, err)
	diff(t, Counts{Sources: 1, Documents: 1, Passages: 2, NotIndexed: 1}, counts)
	var runs int
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM sync_runs`).Scan(&runs)
	}))
	if runs != keptRuns {
		t.Fatalf("%d runs kept, want %d", runs, keptRuns)
	}
	_, err = s.SourceStatus(t.Context(), "nowhere")
	wantKind(t, err, core.KindNotFound)
}

func TestTurns(t *testing.T) {
	s := open(t, t.TempDir())
	first := core.Turn{ID: "t1", Thread: "th", Place: "console:1", Class: "dm", Scope: []core.Principal{core.Public},
		Asker: "ana@example.com", Account: "slack:T1/U1", Agent: "support", Used: []string{"wiki/z", "wiki/a"}, Question: "q", Started: time.UnixMicro(1e15).UTC(), Trace: []byte(`{"a":1}`),
		Answer: core.Answer{Text: "a [1]", Mode: core.ModeQuotes, TurnID: "t1", TookMS: 5, Usage: &core.Usage{PromptTokens: 3},
			Citations: []core.Citation{{Number: 1, Title: "T", URL: "u", DocumentID: "d", Passage: "p", Page: 2, PassageID: 77, Updated: time.UnixMicro(9e14).UTC()}}}}
	second := core.Turn{ID: "t2", Thread: "th", Parent: "t1", Started: first.Started.Add(time.Second), Answer: core.Answer{Stopped: true}}
	alone := core.Turn{ID: "t3", Started: first.Started}
	for _, turn := range []core.Turn{second, first, alone} {
		check(t, s.SaveTurn(t.Context(), turn))
	}
	first.Answer.Text, first.Answer.Citations[0].Title = "again", "New"
	first.Account, first.Agent, first.Used = "slack:T1/U2", "", []string{"wiki/b", "wiki/a", "", "wiki/b"}
	check(t, s.SaveTurn(t.Context(), first))
	first.Used = []string{"wiki/b", "wiki/a"}

	got, err := s.Turn(t.Context(), "t1")
	check(t, err)
	diff(t, first, got)
	thread, err := s.Thread(t.Context(), "th")
	check(t, err)
	if d := cmp.Diff([]core.Turn{first, second}, thread, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
	if thread[1].Answer.Citations == nil {
		t.Fatal("citations are nil, which JSON shows as null")
	}
	_, err = s.Turn(t.Context(), "t9")
	wantKind(t, err, core.KindNotFound)
}
