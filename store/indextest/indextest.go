// Package indextest is the contract of core.Index as tests. Every
// implementation runs it.
package indextest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// Run checks an implementation. Each test calls open for an index of its own;
// reopen closes an index and opens it again from what it stored, and may be nil
// where that makes no sense.
func Run(t *testing.T, open func(t *testing.T) core.Index, reopen func(t *testing.T, x core.Index) core.Index) {
	tests := map[string]func(*testing.T, core.Index){
		"finds what was put":                   testFind,
		"filters agree with their definition":  testFilters,
		"each fact can change":                 testFactsChange,
		"random facts, filters and changes":    testRandomFilters,
		"unknown facts are invisible":          testUnknownFacts,
		"facts change without text":            testSetFacts,
		"put replaces the whole document":      testReplace,
		"repeating a put changes nothing":      testRepeat,
		"deleted documents are gone":           testDelete,
		"equal scores are ordered by passage":  testTies,
		"the limit holds inside the filter":    testLimit,
		"titles and headings count":            testTitles,
		"contexts count":                       testContexts,
		"coverage":                             testCoverage,
		"words, scripts and identifiers match": testText,
		"odd queries do no harm":               testOddQueries,
		"long documents are found everywhere":  testLongDocuments,
		"reads beside writes":                  testConcurrent,
		"a cancelled context":                  testCancelled,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	if reopen != nil {
		t.Run("what was put survives", func(t *testing.T) { testReopen(t, open(t), reopen) })
	}
}

// Document makes a readable one-passage document for tests.
func Document(id string, passage core.PassageID, text string) core.IndexedDocument {
	return core.IndexedDocument{
		Facts:    core.Facts{Document: id, Source: "s", Access: core.NewAccess(core.Public)},
		Language: "en",
		Passages: []core.Passage{{ID: passage, Document: id, Text: text}},
	}
}

func put(t *testing.T, x core.Index, docs ...core.IndexedDocument) {
	t.Helper()
	if err := x.Put(t.Context(), docs); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func search(t *testing.T, x core.Index, text string, f core.Filter) []core.Hit {
	t.Helper()
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: text, Filter: f})
	if err != nil {
		t.Fatalf("Keyword(%.40q): %v", text, err)
	}
	return hits
}

func passages(hits []core.Hit) []core.PassageID {
	out := []core.PassageID{}
	for _, h := range hits {
		out = append(out, h.Passage)
	}
	return out
}

func wantPassages(t *testing.T, hits []core.Hit, want ...core.PassageID) {
	t.Helper()
	if want == nil {
		want = []core.PassageID{}
	}
	if diff := cmp.Diff(want, passages(hits)); diff != "" {
		t.Errorf("passages differ (-want +got):\n%s", diff)
	}
}

func wantSet(t *testing.T, hits []core.Hit, want ...core.PassageID) {
	t.Helper()
	got := slices.Sorted(slices.Values(passages(hits)))
	if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("passages = %v, want %v", got, want)
	}
}

func testFind(t *testing.T, x core.Index) {
	put(t, x,
		Document("s/a", 1, "The espresso machine is descaled every Friday."),
		Document("s/b", 2, "Travel expenses are paid back within ten days."))
	hits := search(t, x, "When is the espresso machine descaled?", core.Filter{})
	if len(hits) == 0 || hits[0].Passage != 1 || hits[0].Document != "s/a" {
		t.Fatalf("hits = %+v, want passage 1 of s/a first", hits)
	}
	wantPassages(t, search(t, x, "zeppelin", core.Filter{}))
}

func testUnknownFacts(t *testing.T, x core.Index) {
	put(t, x, Document("s/a", 1, "walrus"))
	noAccess := Document("s/b", 2, "walrus")
	noAccess.Facts.Access = nil
	put(t, x, noAccess)
	wantSet(t, search(t, x, "walrus", core.Filter{Principals: []core.Principal{core.Workspace}}), 1)
	wantSet(t, search(t, x, "walrus", core.Filter{Bypass: true}), 1, 2)
}

func testSetFacts(t *testing.T, x core.Index) {
	doc := Document("s/a", 1, "walrus")
	if err := x.SetFacts(t.Context(), []core.Facts{{Document: "s/a", Source: "s", Access: core.NewAccess(core.Public)}}); err != nil {
		t.Fatal(err)
	}
	wantSet(t, search(t, x, "walrus", core.Filter{}))
	put(t, x, doc)
	wantSet(t, search(t, x, "walrus", core.Filter{}), 1)
	alice := core.User("alice@example.com")
	narrow := core.Facts{Document: "s/a", Source: "s", Access: core.NewAccess(alice)}
	if err := x.SetFacts(t.Context(), []core.Facts{narrow}); err != nil {
		t.Fatal(err)
	}
	wantSet(t, search(t, x, "walrus", core.Filter{}))
	wantSet(t, search(t, x, "walrus", core.Filter{Principals: []core.Principal{alice}}), 1)
	put(t, x, doc)
	wantSet(t, search(t, x, "walrus", core.Filter{}), 1)
}

func testReplace(t *testing.T, x core.Index) {
	doc := Document("s/a", 1, "walrus")
	doc.Passages = append(doc.Passages, core.Passage{ID: 2, Document: "s/a", Ordinal: 1, Text: "narwhal walrus"})
	put(t, x, doc)
	wantSet(t, search(t, x, "walrus", core.Filter{}), 1, 2)
	put(t, x, Document("s/a", 3, "penguin"))
	wantSet(t, search(t, x, "walrus narwhal", core.Filter{}))
	wantSet(t, search(t, x, "penguin", core.Filter{}), 3)
	empty := Document("s/a", 3, "")
	empty.Passages = nil
	put(t, x, empty)
	wantSet(t, search(t, x, "penguin", core.Filter{}))
}

func testRepeat(t *testing.T, x core.Index) {
	docs := []core.IndexedDocument{Document("s/a", 1, "walrus on ice"), Document("s/b", 2, "walrus at sea")}
	put(t, x, docs...)
	before := search(t, x, "walrus ice", core.Filter{})
	for range 3 {
		put(t, x, docs...)
	}
	if diff := cmp.Diff(before, search(t, x, "walrus ice", core.Filter{})); diff != "" {
		t.Errorf("a repeated Put changed the hits (-before +after):\n%s", diff)
	}
}

func testDelete(t *testing.T, x core.Index) {
	put(t, x, Document("s/a", 1, "walrus"), Document("s/b", 2, "walrus"))
	if err := x.Delete(t.Context(), []string{"s/a", "s/never"}); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	wantSet(t, search(t, x, "walrus", core.Filter{Bypass: true, IncludeHidden: true}), 2)
	put(t, x, Document("s/a", 9, "walrus"))
	wantSet(t, search(t, x, "walrus", core.Filter{}), 2, 9)
}

func testTies(t *testing.T, x core.Index) {
	for _, id := range []core.PassageID{7, 3, 9, 1, 5} {
		put(t, x, Document(fmt.Sprintf("s/%d", 10-id), id, "walrus"))
	}
	wantPassages(t, search(t, x, "walrus", core.Filter{}), 1, 3, 5, 7, 9)
}

func testLimit(t *testing.T, x core.Index) {
	var docs []core.IndexedDocument
	for i := range 60 {
		d := Document(fmt.Sprintf("s/secret%d", i), core.PassageID(i+1), "walrus walrus walrus")
		d.Facts.Access = core.NewAccess(core.User("boss@example.com"))
		docs = append(docs, d)
	}
	put(t, x, append(docs, Document("s/open", 100, "one walrus among many other words that are of no use"))...)
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	wantPassages(t, hits, 100)
	if all := search(t, x, "walrus", core.Filter{Bypass: true}); len(all) != 50 {
		t.Errorf("%d hits without a limit, want 50", len(all))
	}
}

func testTitles(t *testing.T, x core.Index) {
	a, b := Document("s/a", 1, "Ask your lead."), Document("s/b", 2, "Ask your lead.")
	a.Title, b.Passages[0].Heading = "Sabbatical policy", "People › Sabbatical"
	put(t, x, a, b, Document("s/c", 3, "Ask your lead."))
	wantPassages(t, search(t, x, "sabbatical", core.Filter{}), 1, 2)
}

// A passage is found by what its context says, as by its heading path.
func testContexts(t *testing.T, x core.Index) {
	a, b := Document("s/a", 1, "Ask your lead."), Document("s/b", 2, "Ask your lead.")
	a.Passages[0].Context, b.Passages[0].Heading = "Sabbatical leave", "Sabbatical leave"
	put(t, x, a, b, Document("s/c", 3, "Ask your lead."))
	wantPassages(t, search(t, x, "sabbatical", core.Filter{}), 1, 2)
	a.Passages[0].Context = ""
	put(t, x, a)
	wantPassages(t, search(t, x, "sabbatical", core.Filter{}), 2)
}

func testCoverage(t *testing.T, x core.Index) {
	for i := range 20 {
		put(t, x, Document(fmt.Sprintf("s/%d", i), core.PassageID(i+1), "the common filler text of the handbook"))
	}
	put(t, x, Document("s/w", 100, "the walrus eats the herring"))
	for _, row := range []struct {
		query    string
		min, max float64
	}{
		{"walrus herring", 0.99, 1},
		{"the walrus", 0.9, 1},
		{"walrus zeppelin", 0.3, 0.6},
		{"walrus zeppelin dirigible balloon", 0.1, 0.35},
	} {
		hits := search(t, x, row.query, core.Filter{})
		if len(hits) == 0 || hits[0].Passage != 100 {
			t.Fatalf("%q: hits = %+v, want passage 100 first", row.query, hits)
		}
		if c := hits[0].Coverage; c < row.min || c > row.max {
			t.Errorf("%q: coverage %.3f, want %.2f to %.2f", row.query, c, row.min, row.max)
		}
	}
}

func testOddQueries(t *testing.T, x core.Index) {
	put(t, x, Document("s/a", 1, "walrus \x00 \xff\xfe broken \u202e text"))
	odd := []string{
		"", " ", "\x00", "\xff\xfe\xfd", "+-&|!(){}[]^\"~*?:\\/", "walrus AND (", "title:walrus^9", "\"walrus", "*", "?", "~",
		"walrus\u0000\u202e", strings.Repeat("walrus ", 8000), strings.Repeat("x", 50000), strings.Repeat("語", 20000),
		strings.Repeat("a.b_c-D", 5000), "👩‍👩‍👧", "'", "l'", "...", "a'b'c'd",
	}
	for _, q := range odd {
		hits := search(t, x, q, core.Filter{})
		if strings.HasPrefix(q, "walrus") && len(hits) != 1 {
			t.Errorf("%.20q: %d hits, want 1", q, len(hits))
		}
	}
}

func testLongDocuments(t *testing.T, x core.Index) {
	filler := strings.Repeat("lorem ipsum dolor sit amet ", 2000)
	put(t, x, Document("s/a", 1, filler+"walrus "+filler+" narwhal"))
	wantSet(t, search(t, x, "walrus", core.Filter{}), 1)
	wantSet(t, search(t, x, "narwhal", core.Filter{}), 1)
}

func testCancelled(t *testing.T, x core.Index) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Keyword(ctx, core.KeywordQuery{Text: "walrus"}); core.KindOf(err) != core.KindCancelled {
		t.Errorf("Keyword: %v, want a cancelled error", err)
	}
	if err := x.Put(ctx, []core.IndexedDocument{Document("s/a", 1, "walrus")}); core.KindOf(err) != core.KindCancelled {
		t.Errorf("Put: %v, want a cancelled error", err)
	}
}

// testConcurrent replaces two documents over and over. A search must see each
// wholly before or wholly after a write: one text, and the facts of that text.
func testConcurrent(t *testing.T, x core.Index) {
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	even, odd := core.User("even@example.com"), core.User("odd@example.com")
	filters := []core.Filter{
		{Principals: []core.Principal{even}}, {Principals: []core.Principal{odd}},
		{Readers: [][]core.Principal{{even}, {even, "user:a@example.com"}}}, {Readers: [][]core.Principal{{odd}, {odd, "user:a@example.com"}}},
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for n, f := range filters {
					hits, err := x.Keyword(context.Background(), core.KeywordQuery{Text: "walrus", Filter: f})
					if err != nil {
						t.Errorf("Keyword: %v", err)
						return
					}
					for _, h := range hits {
						if int(h.Passage/10)%2 != n%2 {
							t.Errorf("%+v sees passage %d", f, h.Passage)
						}
					}
					if len(hits) != 0 && len(hits) != 2 {
						t.Errorf("%d passages of a document of 2", len(hits))
					}
				}
			}
		})
	}
	for n := range rounds {
		d := Document("s/a", core.PassageID(n*10), "walrus")
		d.Facts.Access = core.NewAccess([]core.Principal{even, odd}[n%2])
		d.Passages = append(d.Passages, core.Passage{ID: core.PassageID(n*10 + 1), Document: "s/a", Text: "walrus again"})
		put(t, x, d)
	}
	close(done)
	readers.Wait()
}

func testReopen(t *testing.T, x core.Index, reopen func(*testing.T, core.Index) core.Index) {
	put(t, x, Document("s/a", 1, "walrus"), Document("s/b", 2, "walrus"))
	put(t, x, Document("s/b", 3, "narwhal"))
	if err := x.Delete(t.Context(), []string{"s/a"}); err != nil {
		t.Fatal(err)
	}
	x = reopen(t, x)
	// Until it is told the facts again, an index shows what it remembers them of.
	if hits := search(t, x, "walrus narwhal", core.Filter{Bypass: true, IncludeHidden: true}); len(hits) > 0 {
		wantSet(t, hits, 3)
	}
	facts := []core.Facts{Document("s/a", 1, "").Facts, Document("s/b", 1, "").Facts}
	if err := x.SetFacts(t.Context(), facts); err != nil {
		t.Fatal(err)
	}
	wantSet(t, search(t, x, "walrus narwhal", core.Filter{}), 3)
	put(t, x, Document("s/b", 4, "penguin"))
	wantSet(t, search(t, x, "walrus narwhal penguin", core.Filter{}), 4)
}
