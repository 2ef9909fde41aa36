package store

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

var small = core.VectorSet{Model: "small", Dimensions: 2}

// indexed notes that the index holds all that the ledger does.
func indexed(t *testing.T, s *Store) {
	t.Helper()
	b, err := s.Backlog(t.Context(), 1000, 1<<30)
	check(t, err)
	check(t, s.Confirm(t.Context(), b))
}

func next(t *testing.T, s *Store, set core.VectorSet, after core.PassageID, limit int) core.EmbeddingPage {
	t.Helper()
	page, err := s.NextPassages(t.Context(), set, after, limit)
	check(t, err)
	return page
}

// embedAll keeps a vector of everything that waits.
func embedAll(t *testing.T, s *Store, set core.VectorSet) int {
	t.Helper()
	page := next(t, s, set, 0, 100)
	var vectors []core.TextVector
	for i, w := range page.Waiting {
		vectors = append(vectors, core.TextVector{Hash: w.Hash, Vector: []float32{1, float32(i)}})
	}
	check(t, s.PutVectors(t.Context(), set, vectors))
	return len(vectors)
}

func texts(page core.EmbeddingPage) string {
	out := ""
	for _, w := range page.Waiting {
		out += fmt.Sprintf("%q ", w.Text)
	}
	return out
}

func TestVectorsFollowTheText(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one", "two"), page("b", []core.Principal{core.Public}, "three"))
	if got := next(t, s, small, 0, 100); len(got.Waiting) != 0 || got.More {
		t.Errorf("the index has nothing yet, and %s waits", texts(got))
	}
	indexed(t, s)
	first := next(t, s, small, 0, 2)
	if len(first.Waiting) != 2 || !first.More {
		t.Fatalf("first page: %+v", first)
	}
	if rest := next(t, s, small, first.Last, 2); len(rest.Waiting) != 1 || rest.More {
		t.Errorf("second page: %+v", rest)
	}
	if got := embedAll(t, s, small); got != 3 {
		t.Fatalf("%d texts embedded", got)
	}
	// Only access changed, the same text came again, and it came as another document.
	again := page("a", []core.Principal{core.Workspace}, "one", "two")
	put(t, s, again)
	moved := page("c", []core.Principal{core.Public}, "three")
	moved.Document.Title = page("b", nil).Document.Title
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"b"}, Content: []core.Entry{moved}}))
	indexed(t, s)
	got := next(t, s, small, 0, 100)
	if len(got.Waiting) != 0 || len(got.Ready) != 3 {
		t.Errorf("%s wait, %d are ready", texts(got), len(got.Ready))
	}
	vectors, err := s.PassageVectors(t.Context(), small, got.Ready)
	check(t, err)
	if len(vectors) != 3 || vectors[2].Document != "handbook/c" || len(vectors[0].Vector) != 2 {
		t.Errorf("vectors: %+v", vectors)
	}
	// Of another set there is none.
	if got := next(t, s, core.VectorSet{Model: "large", Dimensions: 2}, 0, 100); len(got.Waiting) != 3 {
		t.Errorf("another set: %+v", got)
	}
	// A new title is a new text.
	titled := page("c", []core.Principal{core.Public}, "three")
	titled.Document.Title, titled.Content = "Another title", core.Hash{9}
	put(t, s, titled)
	indexed(t, s)
	if got := next(t, s, small, 0, 100); texts(got) != `"Another title\nH\nthree" ` {
		t.Errorf("after a new title: %s", texts(got))
	}
}

func TestPassagesStopBeforeWhatTheIndexLacks(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one"))
	indexed(t, s)
	put(t, s, page("b", []core.Principal{core.Public}, "two"))
	got := next(t, s, small, 0, 100)
	if len(got.Waiting) != 1 || got.More || got.Last != got.Waiting[0].Passage {
		t.Errorf("got %+v", got)
	}
}

func TestVectorCountsAndRefusals(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one", "two", "three"))
	indexed(t, s)
	w := next(t, s, small, 0, 100).Waiting
	check(t, s.PutVectors(t.Context(), small, []core.TextVector{
		{Hash: w[0].Hash, Vector: []float32{1, 0}}, {Hash: w[1].Hash, Reason: "too long"}}))
	for source, want := range map[string]core.VectorCounts{
		"": {Passages: 3, Embedded: 1, Refused: 1, Reason: "too long"}, "handbook": {Passages: 3, Embedded: 1, Refused: 1, Reason: "too long"}, "other": {},
	} {
		got, err := s.VectorCounts(t.Context(), small, source)
		check(t, err)
		diff(t, want, got)
	}
	wantKind(t, s.PutVectors(t.Context(), small, []core.TextVector{{Vector: []float32{1}}}), core.KindInvalid)
}

func TestSweepForgetsWhatNothingNeeds(t *testing.T) {
	s := handbook(t)
	now := at(2026, 3)
	s.Now = func() time.Time { return now }
	put(t, s, page("a", []core.Principal{core.Public}, "one"), page("b", []core.Principal{core.Public}, "two"))
	indexed(t, s)
	embedAll(t, s, small)
	large := core.VectorSet{Model: "large", Dimensions: 2}
	check(t, s.UseVectors(t.Context(), small))
	embedAll(t, s, large)
	check(t, s.UseVectors(t.Context(), large))
	sets, err := s.VectorSets(t.Context())
	check(t, err)
	diff(t, core.VectorSets{Live: large, Known: []core.VectorSet{large, small}}, sets)
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"b"}}))
	left := func() (n int) {
		t.Helper()
		for after, turn := int64(0), 0; turn == 0 || after != 0; turn++ {
			var err error
			after, err = s.SweepVectors(t.Context(), after, 1)
			check(t, err)
		}
		check(t, s.read(t.Context(), func(tx *session) error {
			return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM vectors`).Scan(&n)
		}))
		return n
	}
	if n := left(); n != 4 {
		t.Errorf("%d vectors at once", n)
	}
	now = now.Add(6 * 24 * time.Hour)
	put(t, s, page("b", []core.Principal{core.Public}, "two"))
	indexed(t, s)
	if got := next(t, s, large, 0, 10); len(got.Waiting) != 0 {
		t.Errorf("after it came again: %+v", got)
	}
	left()
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"b"}}))
	now = now.Add(2 * 24 * time.Hour)
	if n := left(); n != 2 {
		t.Errorf("%d vectors after the set before was gone for a week", n)
	}
	now = now.Add(8 * 24 * time.Hour)
	if n := left(); n != 1 {
		t.Errorf("%d vectors after the text was gone for a week", n)
	}
	sets, err = s.VectorSets(t.Context())
	check(t, err)
	diff(t, core.VectorSets{Live: large, Known: []core.VectorSet{large}}, sets)
}

func TestPackedVectorsKeepTheirDirection(t *testing.T) {
	for _, v := range [][]float32{{1, 0, -1}, {0.001, -0.0005, 0.00025}, {3e4, -2e4, 1}, {0, 0}} {
		got := unpackVector(packVector(v))
		var dot, a, b float64
		for i := range v {
			dot += float64(v[i]) * float64(got[i])
			a += float64(v[i]) * float64(v[i])
			b += float64(got[i]) * float64(got[i])
		}
		if a > 0 && dot/math.Sqrt(a*b) < 1-1e-8 {
			t.Errorf("%v became %v", v, got)
		}
	}
}

func TestStanding(t *testing.T) {
	s := handbook(t)
	for _, v := range []core.DocumentVote{{Document: "a", Account: "x", Up: true}, {Document: "a", Account: "y", Up: true}, {Document: "a", Account: "z"}, {Document: "b", Account: "x"}} {
		check(t, s.PutDocumentVote(t.Context(), v))
	}
	got, err := s.Standing(t.Context(), []string{"a", "b", "c"})
	check(t, err)
	diff(t, map[string]core.Standing{"a": {Up: 2, Down: 1}, "b": {Down: 1}}, got)
}
