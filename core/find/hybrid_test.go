package find_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// vectors is an exhaustive hybrid index over a shelf, and the model of its queries.
// Vectors of passages are their cosine with every query's.
type vectors struct {
	*shelf
	cosine map[core.PassageID]float64
	set    core.VectorSet
	fail   error
	after  func(*vectors) // called when a query was embedded

	lock    sync.Mutex
	queries []string
}

func (v *vectors) Live() (core.VectorSet, bool) {
	v.lock.Lock()
	defer v.lock.Unlock()
	return v.set, v.set != core.VectorSet{}
}

func (v *vectors) Queries(ctx context.Context, _ core.VectorSet, texts []string) ([][]float32, error) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.queries = append(v.queries, texts...)
	if v.after != nil {
		v.after(v)
	}
	if v.fail != nil {
		return nil, v.fail
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.Repeat([][]float32{{1}}, len(texts)), nil
}

func (v *vectors) Hybrid(ctx context.Context, q core.HybridQuery) ([]core.HybridHit, error) {
	found, err := v.shelf.Keyword(ctx, q.KeywordQuery)
	score := map[core.PassageID]core.Hit{}
	for _, h := range found {
		score[h.Passage] = h
	}
	var out []core.HybridHit
	for id, r := range v.results {
		c, embedded := v.cosine[id]
		h, byWords := score[id]
		if !embedded && !byWords {
			continue
		}
		h.Passage, h.Document = id, r.Document.ID
		out = append(out, core.HybridHit{Hit: h, Keyword: h.Score, Vector: c, Embedded: embedded})
	}
	return out, err
}

func newVectors(names string) *vectors {
	return &vectors{shelf: newShelf(names), set: core.VectorSet{Model: "m", Dimensions: 1}, cosine: map[core.PassageID]float64{}}
}

func (v *vectors) finder(share float64) *find.Finder {
	return find.New(find.Options{Index: v.shelf, Gate: v.shelf, Hybrid: v, Embeddings: v, KeywordShare: share, EmbedPatience: time.Minute})
}

func (v *vectors) search(t *testing.T, share float64, queries ...string) ([]core.PassageID, string) {
	t.Helper()
	reason := ""
	got, err := v.finder(share).Search(t.Context(), find.Query{Queries: queries, WordsOnly: func(r string) { reason = r }})
	if err != nil {
		t.Fatal(err)
	}
	return ids(got), reason
}

func TestHybridSearch(t *testing.T) {
	v := newVectors("a1 b2 c3 d4")
	v.rankings = map[string][]core.PassageID{"q": {1, 2, 3}}
	v.cosine = map[core.PassageID]float64{1: 0.1, 2: 0.5, 3: 0.9, 4: 0.8}
	if got, why := v.search(t, 1, "q"); !slices.Equal(got, []core.PassageID{1, 2, 3}) || why != "" {
		t.Errorf("by words: %v, %q", got, why)
	}
	if got, _ := v.search(t, 0.01, "q"); !slices.Equal(got, []core.PassageID{3, 4, 2, 1}) {
		t.Errorf("by vectors: %v", got)
	}
	if len(v.queries) != 1 {
		t.Errorf("embedded %q", v.queries)
	}
}

// What only a vector found is offered and has no coverage, so that it is never
// quoted without a model.
func TestWhatOnlyAVectorFoundIsNotQuoted(t *testing.T) {
	v := newVectors("a1 b2")
	v.rankings, v.cosine = map[string][]core.PassageID{}, map[core.PassageID]float64{1: 0.99, 2: 0.2}
	got, err := v.finder(0.5).Search(t.Context(), find.Query{Queries: []string{"notice period"}})
	if err != nil || len(got) != 2 || got[0].Passage.ID != 1 || got[0].Coverage != 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if quoted := find.Answers("notice period", got); len(quoted) != 0 {
		t.Errorf("quoted %v", ids(quoted))
	}
}

func TestSearchGoesOnByWords(t *testing.T) {
	other := core.VectorSet{Model: "n", Dimensions: 1}
	for name, row := range map[string]struct {
		spoil func(*vectors)
		why   string
	}{
		"the endpoint is down": {func(v *vectors) {
			v.fail = core.Errorf(core.KindUnavailable, "no model answers at https://secret.example.com")
		}, "unavailable"},
		"no set yet":              {func(v *vectors) { v.set = core.VectorSet{} }, "no vectors"},
		"another set came in use": {func(v *vectors) { v.after = func(v *vectors) { v.set = other } }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVectors("a1 b2 c3")
			v.rankings = map[string][]core.PassageID{"q": {1, 2}}
			v.cosine = map[core.PassageID]float64{1: 0.1, 2: 0.5, 3: 0.9}
			row.spoil(v)
			got, why := v.search(t, 0.01, "q")
			if !slices.Equal(got, []core.PassageID{1, 2}) || !strings.Contains(why, row.why) || strings.Contains(why, "example.com") {
				t.Errorf("got %v, %q", got, why)
			}
		})
	}
}

// What is known of documents moves them within bounds, after queries were merged.
func TestFactorsMoveResults(t *testing.T) {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	v := newShelf("a1 b2 c3 d4 e5")
	v.rankings = map[string][]core.PassageID{"q PAY-77": {1, 2, 3, 4, 5}, "r": {1, 2, 3, 4, 5}}
	change := func(id core.PassageID, f func(*core.Result)) {
		r := v.results[id]
		f(&r)
		v.results[id] = r
	}
	change(1, func(r *core.Result) { r.Document.Updated = now.AddDate(-9, 0, 0) })
	change(4, func(r *core.Result) { r.Passage.Text = "as PAY-77 says" })
	change(5, func(r *core.Result) { r.Document.Updated = now })
	f := find.New(find.Options{Index: v, Gate: v, Curation: voted{"c": {Up: 5}}, Now: func() time.Time { return now }})
	got, err := f.Search(t.Context(), find.Query{Queries: []string{"q PAY-77", "r"}})
	if err != nil || !slices.Equal(ids(got), []core.PassageID{4, 3, 2, 5, 1}) {
		t.Errorf("got %v, %v", ids(got), err)
	}
}

type voted map[string]core.Standing

func (v voted) Standing(context.Context, []string) (map[string]core.Standing, error) { return v, nil }
