package find_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/store/index"
)

const (
	townDocuments = 3000
	townGroups    = 60
	townUsers     = 300
	mostLost      = 0.005 // of the permitted documents that an exhaustive scan finds
)

// town is an install made up at random: documents of groups, people in groups.
// It is the gate too, whose facts may be newer than the index's.
type town struct {
	rng     *rand.Rand
	index   *index.Index
	finder  *find.Finder
	docs    map[core.PassageID]core.Facts
	members map[int]map[int]bool // group to users
	words   []string
	queries []string
}

func newTown(t *testing.T) *town {
	x, err := index.Open(t.Context(), t.TempDir(), index.Options{Install: "town"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &town{rng: rand.New(rand.NewPCG(3, 60)), index: x, docs: map[core.PassageID]core.Facts{}, members: map[int]map[int]bool{}}
	w.finder = find.New(find.Options{Index: x, Gate: w})
	for i := range 1500 {
		w.words = append(w.words, fmt.Sprintf("%c%cword%c%c", 'a'+i%23, 'a'+i%19, 'a'+i/60%26, 'a'+i%26))
	}
	for range 12 {
		w.queries = append(w.queries, w.text(4))
	}
	for u := range townUsers {
		for range 3 + w.rng.IntN(10) {
			w.join(u, w.rng.IntN(townGroups))
		}
		w.join(u, 0) // everybody's
	}
	var batch []core.IndexedDocument
	for i := range townDocuments {
		id := core.PassageID(i + 1)
		f := core.Facts{Document: fmt.Sprintf("town/%d", i), Source: "town", Access: w.access(), Hidden: w.rng.IntN(50) == 0}
		w.docs[id] = f
		batch = append(batch, core.IndexedDocument{Facts: f, Passages: []core.Passage{{ID: id, Document: f.Document, Text: w.text(40 + w.rng.IntN(60))}}})
	}
	if err := x.Put(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return w
}

// text has few frequent words and many rare ones.
func (w *town) text(n int) string {
	var b strings.Builder
	for range n {
		r := w.rng.Float64()
		b.WriteString(w.words[int(r*r*r*float64(len(w.words)))] + " ")
	}
	return b.String()
}

func (w *town) access() core.Access {
	switch w.rng.IntN(20) {
	case 0:
		return core.NewAccess(core.Public)
	case 1:
		return nil
	case 2:
		return core.NewAccess(person(w.rng.IntN(townUsers)), person(w.rng.IntN(townUsers)))
	}
	var list []core.Principal
	for range 1 + w.rng.IntN(4) {
		list = append(list, group(w.rng.IntN(townGroups)))
	}
	return core.NewAccess(list...)
}

func person(n int) core.Principal { return core.User(fmt.Sprintf("user%d@example.com", n)) }
func group(n int) core.Principal  { return core.Group("town", fmt.Sprint(n)) }

func (w *town) join(user, group int) {
	if w.members[group] == nil {
		w.members[group] = map[int]bool{}
	}
	w.members[group][user] = true
}

// holds is what a user holds at the moment.
func (w *town) holds(user int) []core.Principal {
	out := []core.Principal{core.Public, person(user)}
	for g := range townGroups {
		if w.members[g][user] {
			out = append(out, group(g))
		}
	}
	return out
}

func (w *town) Visible(_ context.Context, f core.Filter, ids []core.PassageID) (out []core.Result, _ error) {
	for _, id := range ids {
		if d, ok := w.docs[id]; ok && f.Allows(d) {
			out = append(out, core.Result{Document: core.Document{ID: d.Document}, Passage: core.Passage{ID: id, Text: fmt.Sprintf("text %d of the town", id)}})
		}
	}
	return out, nil
}

func (w *town) Around(context.Context, core.Filter, []core.Window) ([][]core.Result, error) {
	return nil, nil
}

// filters are some single users, and some groups of people of each size.
func (w *town) filters() map[string]core.Filter {
	out := map[string]core.Filter{}
	for n := range 12 {
		out[fmt.Sprintf("one, %d", n)] = core.Filter{Principals: w.holds(w.rng.IntN(townUsers))}
	}
	for _, size := range []int{2, 20, 200} {
		for n := range 3 {
			var f core.Filter
			for _, u := range w.rng.Perm(townUsers)[:size] {
				f.Readers = append(f.Readers, w.holds(u))
			}
			out[fmt.Sprintf("all of %d, %d", size, n)] = f
		}
	}
	return out
}

// scan is the exhaustive way: everything that matches, best first, and of it
// what the filter allows by its definition.
func (w *town) scan(t *testing.T, query string, f core.Filter, k int) []core.PassageID {
	hits, err := w.index.Keyword(t.Context(), core.KeywordQuery{Text: query, Filter: core.Filter{Bypass: true, IncludeHidden: true}, Limit: townDocuments})
	if err != nil {
		t.Fatal(err)
	}
	var out []core.PassageID
	for _, h := range hits {
		if d, ok := w.docs[h.Passage]; ok && f.Allows(d) && len(out) < k {
			out = append(out, h.Passage)
		}
	}
	return out
}

// check asks all queries with all filters. Nothing may come out that the filter
// does not allow, and hardly anything be missing that a scan finds.
func (w *town) check(t *testing.T) {
	t.Helper()
	wanted, lost := map[int]int{}, map[int]int{}
	for name, f := range w.filters() {
		for _, q := range w.queries {
			hits, err := w.index.Keyword(t.Context(), core.KeywordQuery{Text: q, Filter: f, Limit: townDocuments})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				if d, ok := w.docs[h.Passage]; !ok || !f.Allows(d) {
					t.Errorf("%s: the index leaks passage %d", name, h.Passage)
				}
			}
			for _, k := range []int{10, 50} {
				want := w.scan(t, q, f, k)
				got := w.search(t, q, f, k)
				wanted[k] += len(want)
				for _, id := range want {
					if !slices.Contains(got, id) {
						lost[k]++
					}
				}
			}
		}
	}
	for k, n := range wanted {
		share := float64(lost[k]) / float64(n)
		t.Logf("k = %d: %d wanted, %.4f lost", k, n, share)
		if n < 500 || share > mostLost {
			t.Errorf("k = %d: %.4f of %d permitted documents are not found, want at most %.3f", k, share, n, mostLost)
		}
	}
}

func (w *town) search(t *testing.T, query string, f core.Filter, k int) []core.PassageID {
	found, err := w.finder.Search(t.Context(), find.Query{Queries: []string{query}, Filter: f, Limit: k})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found {
		if d, ok := w.docs[r.Passage.ID]; !ok || !f.Allows(d) {
			t.Errorf("a search leaks passage %d", r.Passage.ID)
		}
	}
	return ids(found)
}

// TestNoLeakAndNoLoss holds searches of many readers against exhaustive scans,
// also after documents moved between groups and people too.
func TestNoLeakAndNoLoss(t *testing.T) {
	w := newTown(t)
	w.check(t)
	all := slices.Sorted(maps.Keys(w.docs))

	t.Log("documents get other readers")
	var moved []core.Facts
	for range townDocuments / 5 {
		id := all[w.rng.IntN(len(all))]
		f := w.docs[id]
		f.Access, f.Hidden = w.access(), w.rng.IntN(20) == 0
		w.docs[id] = f
		moved = append(moved, f)
	}
	// The ledger knows first: until the index follows only the gate holds.
	for _, f := range w.filters() {
		w.search(t, w.queries[0], f, 50)
	}
	if err := w.index.SetFacts(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	w.check(t)

	t.Log("documents go")
	var gone []string
	for range townDocuments / 10 {
		id := all[w.rng.IntN(len(all))]
		if f, ok := w.docs[id]; ok {
			gone = append(gone, f.Document)
			delete(w.docs, id)
		}
	}
	for _, f := range w.filters() {
		w.search(t, w.queries[1], f, 50)
	}
	if err := w.index.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	w.check(t)

	t.Log("people change groups")
	for g := range townGroups / 2 {
		for _, u := range slices.Sorted(maps.Keys(w.members[g])) {
			if w.rng.IntN(3) == 0 {
				delete(w.members[g], u)
				w.join(u, w.rng.IntN(townGroups))
			}
		}
	}
	w.check(t)
}
