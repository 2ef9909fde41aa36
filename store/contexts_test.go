package store

import (
	"context"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// lacking lists the rows of documents that lack their contexts.
func lacking(t *testing.T, s *Store, recipe int64) (out []core.UnplacedDocument) {
	t.Helper()
	out, err := s.NextWithoutContexts(t.Context(), recipe, core.UnplacedDocument{}, 100)
	check(t, err)
	return out
}

// place gives a document contexts, one for each passage.
func place(t *testing.T, s *Store, recipe int64, u core.UnplacedDocument, texts ...string) {
	t.Helper()
	p := core.PlacedDocument{Row: u.Row, Generation: u.Generation}
	for _, text := range texts {
		c := core.PassageContext{Key: core.TextHash(text), Text: text}
		check(t, s.PutContext(t.Context(), u.Row, c))
		p.Contexts = append(p.Contexts, c)
	}
	check(t, s.SetContexts(t.Context(), recipe, []core.PlacedDocument{p}))
}

func settle(t *testing.T, s *Store) core.Backlog {
	t.Helper()
	b, err := s.Backlog(t.Context(), 100, 1<<20)
	check(t, err)
	check(t, s.Confirm(t.Context(), b))
	return b
}

func rowCount(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n)
	}))
	return n
}

func TestContextsGoToTheIndexAndNowhereElse(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one", "two"), page("b", nil, "alone"))
	settle(t, s)
	before := around(t, s, "a", core.Public)
	recipe, err := s.WantContexts(t.Context(), "m \"1\"")
	check(t, err)
	list := lacking(t, s, recipe)
	if len(list) != 2 || !list[0].Several || list[1].Several {
		t.Fatalf("lacking: %+v", list)
	}
	place(t, s, recipe, list[0], "about one", "")
	place(t, s, recipe, list[1])
	if left := lacking(t, s, recipe); len(left) != 0 {
		t.Errorf("lacking still: %+v", left)
	}
	b := settle(t, s)
	if len(b.Content) != 1 || len(b.Content[0].Passages) != 2 || b.Content[0].Passages[0].Context != "about one" || b.Content[0].Passages[1].Context != "" {
		t.Fatalf("backlog = %+v", b.Content)
	}
	after := around(t, s, "a", core.Public)
	if after[0].Passage.ID <= before[1].Passage.ID {
		t.Errorf("passage %d has its number still", after[0].Passage.ID)
	}
	for i := range after {
		before[i].Passage.ID = after[i].Passage.ID
	}
	diff(t, before, after) // the text, the page and the anchor are as they were, and nothing else is let out
	// What is embedded takes it in.
	next, err := s.NextPassages(t.Context(), core.VectorSet{Model: "m", Dimensions: 2}, 0, 10)
	check(t, err)
	texts := map[string]bool{}
	for _, w := range next.Waiting {
		texts[w.Text] = true
	}
	if len(texts) != 3 || !texts["Page a\nH\nabout one\none"] || !texts["Page a\nH\ntwo"] {
		t.Errorf("embedded: %v", texts)
	}
	// The same contexts again change nothing.
	again, err := s.WantContexts(t.Context(), "m 2")
	check(t, err)
	if again != recipe+1 {
		t.Errorf("recipe %d follows %d", again, recipe)
	}
	place(t, s, again, lacking(t, s, again)[0], "about one", "")
	if b := settle(t, s); len(b.Content) != 0 {
		t.Errorf("indexed again: %+v", b.Content)
	}
	counts, err := s.ContextCounts(t.Context(), again, "handbook")
	check(t, err)
	diff(t, core.ContextCounts{Passages: 2, Placed: 1}, counts)
}

func TestContextsOfDocumentsThatChange(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", nil, "one", "two"))
	recipe, err := s.WantContexts(t.Context(), "m")
	check(t, err)
	old := lacking(t, s, recipe)[0]
	put(t, s, page("a", nil, "one", "three"))
	place(t, s, recipe, old, "about one", "about two") // too late
	if b := settle(t, s); b.Content[0].Passages[0].Context != "" {
		t.Errorf("contexts of the version before: %+v", b.Content[0].Passages)
	}
	place(t, s, recipe, lacking(t, s, recipe)[0], "about one", "about three")
	if n := rowCount(t, s, "passage_contexts"); n != 2 {
		t.Errorf("%d answers kept, want those of the new version", n)
	}
	// Facts leave contexts alone, content does not.
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{page("a", []core.Principal{core.Public}, "one", "three")}}))
	if left := lacking(t, s, recipe); len(left) != 0 {
		t.Errorf("lacking after a change of readers: %+v", left)
	}
	put(t, s, page("a", nil, "one", "four"))
	if left := lacking(t, s, recipe); len(left) != 1 {
		t.Errorf("lacking after a change: %+v", left)
	}
	// What is gone takes them along, also what comes in late.
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"a"}}))
	check(t, s.PutContext(t.Context(), old.Row, core.PassageContext{Key: core.TextHash("x"), Text: "x"}))
	if n := rowCount(t, s, "passage_contexts"); n != 0 {
		t.Errorf("%d answers of a document that is gone", n)
	}
	_, err = s.ContextDocument(t.Context(), old.Row)
	wantKind(t, err, core.KindNotFound)
}

func TestContextsAreForgotten(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", nil, "one", "two"), page("b", nil, "three", "four"))
	recipe, err := s.WantContexts(t.Context(), "m")
	check(t, err)
	for _, u := range lacking(t, s, recipe) {
		place(t, s, recipe, u, "about this", "about that")
	}
	settle(t, s)
	rounds := 0
	for more := true; more; rounds++ {
		more, err = s.ForgetContexts(t.Context(), 1)
		check(t, err)
	}
	b := settle(t, s)
	if rounds != 3 || len(b.Content) != 2 || b.Content[0].Passages[0].Context != "" || len(lacking(t, s, recipe)) != 2 {
		t.Errorf("%d rounds, %+v", rounds, b.Content)
	}
}

func TestCallsForContextsAreNoQuestions(t *testing.T) {
	s := handbook(t)
	now := time.Date(2026, 3, 2, 23, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { return now }
	cost := 0.5
	for _, c := range []core.ReadingCall{
		{Purpose: core.ForContexts, Model: "m", Usage: core.Usage{PromptTokens: 100, CompletionTokens: 10}, Cost: &cost},
		{Purpose: core.ForContexts, Model: "m", Failed: true}, {Purpose: core.ForPictures, Model: "seeing", Cost: &cost},
	} {
		check(t, s.CountReadingCall(t.Context(), c))
	}
	used, err := s.ModelUsages(t.Context(), now)
	check(t, err)
	diff(t, []ModelUsage{{Day: "2026-03-02", Model: "m", Calls: 2, Failed: 1, PromptTokens: 100, OutputTokens: 10, Cost: 0.5, Unpriced: 1},
		{Day: "2026-03-02", Model: "seeing", Calls: 1, Cost: 0.5}}, used)
	spent, err := s.Used(t.Context(), UsageQuery{To: now.Add(time.Hour)})
	check(t, err)
	if spent.Questions != 0 || spent.Tokens != 0 {
		t.Errorf("a quota counts %+v", spent)
	}
	today := func(ctx context.Context) int {
		n, err := s.ContextCalls(ctx)
		check(t, err)
		return n
	}
	if n := today(t.Context()); n != 2 {
		t.Errorf("%d calls today", n)
	}
	if now = now.Add(2 * time.Hour); today(t.Context()) != 0 {
		t.Errorf("%d calls on the next day", today(t.Context()))
	}
}
