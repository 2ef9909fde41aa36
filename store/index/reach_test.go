package index_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
)

// Whatever stands in documents that are closed to who asks: what they find, and
// how much of their question it holds, is the same as without those documents.
func TestClosedDocumentsChangeNothing(t *testing.T) {
	open1, with := open(t, t.TempDir(), "a"), open(t, t.TempDir(), "a")
	readable := []core.IndexedDocument{
		text(1, "coffee", "The coffee machine bluefinn is on floor two. Beans are bought by the kitchen.", core.Workspace),
		text(2, "tea", "Tea is free on floor three. Ask the kitchen for cups and kettles.", core.Public),
		text(3, "own", "My notes on tea and the budget of the kitchen.", core.User("joe@example.com")),
	}
	var closed []core.IndexedDocument
	for n := range 40 {
		closed = append(closed, text(core.PassageID(100+n), fmt.Sprint("closed", n),
			"The project bluefin ends forty jobs; the kettle budget is cut, confidential, confidentially, confident.", core.Group("config", "hr")))
	}
	hidden := text(90, "hidden", "Bluefin again, with salaries and tea.", core.Public)
	hidden.Facts.Hidden = true
	put(t, open1, readable...)
	put(t, with, closed[:20]...)
	put(t, with, readable...)
	put(t, with, append(closed[20:], hidden)...)
	compare := func(when string) {
		t.Helper()
		joe := core.Filter{Principals: []core.Principal{core.Public, core.Workspace, core.User("joe@example.com")}}
		narrow := joe
		narrow.Sources = []string{"s"}
		together := core.Filter{Readers: [][]core.Principal{{core.Workspace}, {core.User("joe@example.com"), core.Workspace}}}
		for _, f := range []core.Filter{joe, narrow, {}, together, joe} {
			for _, q := range []string{"bluefin", "kettle", "budget", "tea budget", "project bluefin tea", "salaries tea", "confidentiality", "kitchens", "forty jobs on floor three"} {
				want, got := keyword(t, open1, q, f), keyword(t, with, q, f)
				if !slices.EqualFunc(byPassage(got), byPassage(want), sameHit) {
					t.Errorf("%s, %q: closed documents change what is found\n without %+v\n with    %+v", when, q, want, got)
				}
			}
		}
	}
	compare("at first")
	gone := []string{closed[0].Facts.Document, closed[25].Facts.Document}
	if err := with.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	compare("closed ones go")
	put(t, with, text(200, "late", "The bluefin kettle budget.", core.Group("config", "hr")))
	compare("a closed one comes")
	again := text(1, "coffee", "The tea machine is closed, bluefinns are not.", core.Workspace)
	put(t, open1, again)
	put(t, with, again)
	compare("a readable one changes")
	lost := readable[2].Facts
	lost.Access = core.NewAccess(core.Group("config", "hr"))
	for _, x := range []*index.Index{open1, with} {
		if err := x.SetFacts(t.Context(), []core.Facts{lost}); err != nil {
			t.Fatal(err)
		}
	}
	if err := open1.Delete(t.Context(), []string{lost.Document}); err != nil {
		t.Fatal(err)
	}
	compare("a readable one is closed")
}

// Of more words than are looked for the most frequent ones are left out. Which these
// are must not tell how often a word stands in closed documents.
func TestLongQuestionsTellNothing(t *testing.T) {
	var words []string
	for i := range 40 {
		words = append(words, fmt.Sprintf("%c%ctopic", 'a'+i%26, 'b'+i/26))
	}
	all := strings.Join(words, " ")
	open1, with := open(t, t.TempDir(), "a"), open(t, t.TempDir(), "a")
	readable := []core.IndexedDocument{
		text(1, "one", all, core.Public), text(2, "two", all, core.Public), text(3, "fish", "Only a zebrafish.", core.Public),
	}
	put(t, open1, readable...)
	put(t, with, readable...)
	for n := range 10 {
		put(t, with, text(core.PassageID(100+n), fmt.Sprint("closed", n), "zebrafish "+words[n], core.Group("config", "hr")))
	}
	want, got := keyword(t, open1, all+" zebrafish", core.Filter{}), keyword(t, with, all+" zebrafish", core.Filter{})
	if len(want) != 3 || !slices.EqualFunc(byPassage(got), byPassage(want), sameHit) {
		t.Errorf("closed documents change what is found\n without %+v\n with    %+v", want, got)
	}
}

func text(id core.PassageID, name, body string, reader core.Principal) core.IndexedDocument {
	doc := "s/" + name
	return core.IndexedDocument{
		Facts: core.Facts{Document: doc, Source: "s", Access: core.NewAccess(reader)}, Title: name,
		Passages: []core.Passage{{ID: id, Document: doc, Text: body}},
	}
}

func put(t *testing.T, x *index.Index, docs ...core.IndexedDocument) {
	t.Helper()
	if err := x.Put(t.Context(), docs); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func keyword(t *testing.T, x *index.Index, text string, f core.Filter) []core.Hit {
	t.Helper()
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: text, Filter: f})
	if err != nil {
		t.Fatalf("Keyword(%q): %v", text, err)
	}
	return hits
}

// byPassage leaves out of account the order, which goes by all documents.
func byPassage(hits []core.Hit) []core.Hit {
	slices.SortFunc(hits, func(a, b core.Hit) int { return cmp.Compare(a.Passage, b.Passage) })
	return hits
}

func sameHit(a, b core.Hit) bool {
	return a.Passage == b.Passage && a.Document == b.Document && math.Abs(a.Coverage-b.Coverage) < 1e-9
}
