package find_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// shelf is an index and a gate over results with fixed rankings.
type shelf struct {
	rankings map[string][]core.PassageID // by query; the score falls by one each rank
	results  map[core.PassageID]core.Result
	denied   map[core.PassageID]bool
	closed   map[string]bool // documents, at Around only: they were closed after the search
	looks    int             // calls of Around
	mu       sync.Mutex
	asked    []int // limits of the index searches; guarded by mu
}

func (s *shelf) Keyword(ctx context.Context, q core.KeywordQuery) ([]core.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.asked = append(s.asked, q.Limit)
	s.mu.Unlock()
	ids := s.rankings[q.Text]
	var out []core.Hit
	for i, id := range ids[:min(q.Limit, len(ids))] {
		out = append(out, core.Hit{Passage: id, Document: s.results[id].Document.ID, Score: float64(len(ids) - i), Coverage: 0.5})
	}
	return out, nil
}

func (s *shelf) Visible(_ context.Context, _ core.Filter, ids []core.PassageID) ([]core.Result, error) {
	var out []core.Result
	for _, id := range ids {
		if r, ok := s.results[id]; ok && !s.denied[id] {
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *shelf) Around(_ context.Context, _ core.Filter, windows []core.Window) ([][]core.Result, error) {
	s.looks++
	return inWindows(maps.Values(s.results), windows, func(r core.Result) bool { return !s.closed[r.Document.ID] }), nil
}

// inWindows are those of the passages that lie in each window and may be read.
func inWindows(passages iter.Seq[core.Result], windows []core.Window, may func(core.Result) bool) [][]core.Result {
	out := make([][]core.Result, len(windows))
	for r := range passages {
		for i, w := range windows {
			if r.Document.ID == w.Document && w.From <= r.Passage.Ordinal && r.Passage.Ordinal <= w.To && may(r) {
				out[i] = append(out[i], r)
			}
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b core.Result) int { return a.Passage.Ordinal - b.Passage.Ordinal })
	}
	return out
}

// newShelf makes passages from words like "a1": document a, passage 1.
func newShelf(names string) *shelf {
	s := &shelf{rankings: map[string][]core.PassageID{}, results: map[core.PassageID]core.Result{}, denied: map[core.PassageID]bool{}}
	for _, name := range strings.Fields(names) {
		var id core.PassageID
		fmt.Sscanf(name[1:], "%d", &id)
		s.results[id] = core.Result{
			Document: core.Document{ID: name[:1]},
			Passage:  core.Passage{ID: id, Document: name[:1], Ordinal: int(id), Text: fmt.Sprintf("text of passage %d", id)},
		}
	}
	return s
}

func ids(results []core.Result) []core.PassageID {
	out := []core.PassageID{}
	for _, r := range results {
		out = append(out, r.Passage.ID)
	}
	return out
}

func TestSearch(t *testing.T) {
	for _, row := range []struct {
		name    string
		shelf   string
		queries map[string][]core.PassageID
		ask     []string
		denied  []core.PassageID
		limit   int
		want    []core.PassageID
	}{
		{"one query keeps its order", "a1 b2 c3", map[string][]core.PassageID{"q": {3, 1, 2}}, []string{"q"}, nil, 0, []core.PassageID{3, 1, 2}},
		{"nothing asked", "a1", nil, []string{"", "  "}, nil, 0, []core.PassageID{}},
		{"nothing found", "a1", nil, []string{"q"}, nil, 0, []core.PassageID{}},
		{"two queries agree", "a1 b2 c3", map[string][]core.PassageID{"q": {1, 2}, "r": {3, 2}}, []string{"q", "r"}, nil, 0, []core.PassageID{2, 3, 1}},
		{"a repeated query has two votes", "a1 b2 c3 d4", map[string][]core.PassageID{"q": {1}, "r": {2}, "R ": {3}}, []string{"q", "r", "R ", "Q"}, nil, 0, []core.PassageID{2, 1}},
		{"ties by passage", "a1 b2", map[string][]core.PassageID{"q": nil, "r": {2}, "s": {1}}, []string{"q", "r", "s"}, nil, 0, []core.PassageID{1, 2}},
		{"three of a document first", "a1 a2 a3 a4 a5 b6 c7", map[string][]core.PassageID{"q": {1, 2, 3, 4, 5, 6, 7}}, []string{"q"}, nil, 6, []core.PassageID{1, 2, 3, 6, 7, 4}},
		{"the gate has the last word", "a1 b2 c3", map[string][]core.PassageID{"q": {1, 2, 3}}, []string{"q"}, []core.PassageID{1, 3}, 0, []core.PassageID{2}},
		{"refilled after the gate", "a1 b2 c3 d4 e5", map[string][]core.PassageID{"q": {1, 2, 3, 4, 5}}, []string{"q"}, []core.PassageID{1, 2, 3}, 1, []core.PassageID{4}},
		{"unknown to the ledger", "a1", map[string][]core.PassageID{"q": {9, 1}}, []string{"q"}, nil, 0, []core.PassageID{1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShelf(row.shelf)
			s.rankings = row.queries
			for _, id := range row.denied {
				s.denied[id] = true
			}
			got, err := find.New(find.Options{Index: s, Gate: s}).Search(t.Context(), find.Query{Queries: row.ask, Limit: row.limit})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, ids(got)); diff != "" {
				t.Errorf("passages differ (-want +got):\n%s", diff)
			}
			if !slices.IsSortedFunc(got, func(a, b core.Result) int { return int((b.Score - a.Score) * 1e6) }) {
				t.Errorf("scores rise: %+v", got)
			}
		})
	}
}

// TestSearchDeeper hides the first hundred hits: the index is asked again for
// more until enough pass the gate.
func TestSearchDeeper(t *testing.T) {
	var names []string
	var ranking []core.PassageID
	for i := 1; i <= 150; i++ {
		names = append(names, fmt.Sprintf("%c%d", 'a'+i%26, i))
		ranking = append(ranking, core.PassageID(i))
	}
	s := newShelf(strings.Join(names, " "))
	s.rankings["q"] = ranking
	for i := range 100 {
		s.denied[core.PassageID(i+1)] = true
	}
	got, err := find.New(find.Options{Index: s, Gate: s}).Search(t.Context(), find.Query{Queries: []string{"q"}, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]core.PassageID{101, 102}, ids(got)); diff != "" {
		t.Errorf("passages differ (-want +got):\n%s", diff)
	}
	if len(s.asked) != 2 || s.asked[1] <= s.asked[0] {
		t.Errorf("the index was asked for %v hits, want a second, deeper search", s.asked)
	}
}

func TestNearDuplicates(t *testing.T) {
	long := strings.Repeat("Every robot returns to its dock when the battery falls under twenty per cent and waits there. ", 4)
	for _, row := range []struct {
		name string
		a, b string
		same bool
	}{
		{"equal", long, long, true},
		{"case and spaces", long, strings.ToUpper(strings.ReplaceAll(long, " ", "\n")), true},
		{"another topic", long, strings.Repeat("The canteen serves soup on Mondays and fish on Fridays, as it always has in this town of ours. ", 4), false},
		{"short and equal", "Ask your lead.", "ask your LEAD", true},
		{"short with another number", "Limit: 90 seconds", "Limit: 60 seconds", false},
		{"one much longer", long, long + strings.Repeat("More about this stands in the manual of the charging station. ", 9), false},
		{"empty", "", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShelf("a1 b2")
			older, newer := s.results[1], s.results[2]
			older.Passage.Text, newer.Passage.Text = row.a, row.b
			newer.Document.Updated = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
			s.results[1], s.results[2] = older, newer
			s.rankings["q"] = []core.PassageID{1, 2}
			got, err := find.New(find.Options{Index: s, Gate: s}).Search(t.Context(), find.Query{Queries: []string{"q"}})
			if err != nil {
				t.Fatal(err)
			}
			want := []core.PassageID{1, 2}
			if row.same {
				want = []core.PassageID{2} // the newer one
			}
			if diff := cmp.Diff(want, ids(got)); diff != "" {
				t.Errorf("passages differ (-want +got):\n%s", diff)
			}
		})
	}
}

// All is read at once: around several results, also of one document, and not around one
// whose document was closed meanwhile.
func TestExpand(t *testing.T) {
	s := newShelf("a0 a1 a2 a3 a4 b9 c5 c6")
	s.closed = map[string]bool{"b": true}
	f := find.New(find.Options{Index: s, Gate: s})
	got, err := f.Expand(t.Context(), find.Query{}, []core.Result{s.results[3], s.results[9], s.results[1], s.results[5]}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	var have [][]core.PassageID
	for _, list := range got {
		have = append(have, ids(list))
	}
	if diff := cmp.Diff([][]core.PassageID{{0, 1, 2, 3, 4}, {}, {0, 1, 2}, {5, 6}}, have); diff != "" || s.looks != 1 {
		t.Errorf("%d reads, passages differ (-want +got):\n%s", s.looks, diff)
	}
	if got, err := f.Expand(t.Context(), find.Query{}, nil, 3, 1); len(got) != 0 || err != nil || s.looks != 1 {
		t.Errorf("around nothing: %v, %v, %d reads", got, err, s.looks)
	}
}

func TestSearchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newShelf("a1")
	_, err := find.New(find.Options{Index: s, Gate: s}).Search(ctx, find.Query{Queries: []string{"q"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want cancelled", err)
	}
}

func result(id core.PassageID, score, coverage float64) core.Result {
	return core.Result{Passage: core.Passage{ID: id}, Score: score, Coverage: coverage}
}

func TestAnswers(t *testing.T) {
	for _, row := range []struct {
		name     string
		question string
		results  []core.Result
		want     []core.PassageID
	}{
		{"nothing found", "walrus", nil, []core.PassageID{}},
		{"covered", "walrus", []core.Result{result(1, 9, 0.9)}, []core.PassageID{1}},
		{"hardly covered", "walrus", []core.Result{result(1, 9, 0.2), result(2, 8, 0.3)}, []core.PassageID{}},
		{"only what is close to the best", "walrus", []core.Result{result(1, 9, 0.9), result(2, 8, 0.8), result(3, 4, 0.8), result(4, 8, 0.3)}, []core.PassageID{1, 2}},
		{"at most five", "walrus", []core.Result{result(1, 9, 1), result(2, 9, 1), result(3, 9, 1), result(4, 9, 1), result(5, 9, 1), result(6, 9, 1)}, []core.PassageID{1, 2, 3, 4, 5}},
		{"a question without words", "?!", []core.Result{result(1, 9, 1)}, []core.PassageID{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, ids(find.Answers(row.question, row.results))); diff != "" {
				t.Errorf("passages differ (-want +got):\n%s", diff)
			}
		})
	}
}
