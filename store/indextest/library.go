package indextest

import (
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// library is what an index should hold, beside it.
type library struct {
	index core.Index
	docs  map[string]core.Facts
	ids   map[string]core.PassageID
}

func newLibrary(x core.Index) *library {
	return &library{index: x, docs: map[string]core.Facts{}, ids: map[string]core.PassageID{}}
}

func (l *library) put(t *testing.T, all ...core.Facts) {
	t.Helper()
	var docs []core.IndexedDocument
	for _, f := range all {
		if l.ids[f.Document] == 0 {
			l.ids[f.Document] = core.PassageID(len(l.ids) + 1)
		}
		l.docs[f.Document] = f
		docs = append(docs, core.IndexedDocument{Facts: f, Passages: []core.Passage{{ID: l.ids[f.Document], Document: f.Document, Text: "walrus"}}})
	}
	put(t, l.index, docs...)
}

func (l *library) set(t *testing.T, all ...core.Facts) {
	t.Helper()
	for _, f := range all {
		if _, there := l.docs[f.Document]; there {
			l.docs[f.Document] = f
		}
	}
	if err := l.index.SetFacts(t.Context(), all); err != nil {
		t.Fatalf("SetFacts: %v", err)
	}
}

func (l *library) delete(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		delete(l.docs, id)
	}
	if err := l.index.Delete(t.Context(), ids); err != nil {
		t.Fatalf("Delete: %v", err)
	}
}

// check compares what the index finds with what the filter allows.
func (l *library) check(t *testing.T, f core.Filter) {
	t.Helper()
	want := []string{}
	for id, d := range l.docs {
		if f.Allows(d) {
			want = append(want, id)
		}
	}
	hits, err := l.index.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Filter: f, Limit: len(l.ids) + 1})
	if err != nil {
		t.Fatalf("Keyword: %v", err)
	}
	got := []string{}
	for _, h := range hits {
		got = append(got, h.Document)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("filter %+v\n got %v\nwant %v", f, got, want)
	}
}
