package index

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// shelved are documents of one to three passages, one of which fills three windows.
func shelved(from, to int) (all []core.IndexedDocument) {
	for i := from; i < to; i++ {
		d := core.IndexedDocument{Title: fmt.Sprint("Title ", i), Language: "en",
			Facts: core.Facts{Document: fmt.Sprintf("wiki/%03d", i), Source: "wiki", Access: core.Access{core.Public}}}
		for p := range i%3 + 1 {
			d.Passages = append(d.Passages, core.Passage{ID: core.PassageID(10*i + p + 1), Ordinal: p, Document: d.Facts.Document,
				Text: strings.Repeat("word ", 1+i%2*350)})
		}
		all = append(all, d)
	}
	return all
}

// known is what an index knows of its windows, in an order of its own.
func known(x *Index) map[string][]entry {
	out := map[string][]entry{}
	for name, newest := range x.facts.documents {
		for v := range newest.with() {
			entries := slices.Clone(v.entries)
			slices.SortFunc(entries, func(a, b entry) int {
				return cmp.Compare(a, b)
			})
			out[fmt.Sprint(name, " of ", v.generation)] = entries
		}
	}
	return out
}

// A start learns from the segments what the writes before it knew, over several of
// them and with deleted windows between others.
func TestStartKnowsWhatWasWritten(t *testing.T) {
	dir := t.TempDir()
	x, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, docs := range [][]core.IndexedDocument{shelved(0, 40), shelved(30, 700), shelved(5, 9)} {
		if err := x.Put(t.Context(), docs); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Delete(t.Context(), []string{"wiki/001", "wiki/333"}); err != nil {
		t.Fatal(err)
	}
	want, passages, windows, words := known(x), x.facts.passages, x.facts.windows, x.facts.words
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if got := known(x); !reflect.DeepEqual(got, want) {
		t.Errorf("after a start it knows %d versions and not the same %d", len(got), len(want))
	}
	if x.facts.passages != passages || x.facts.windows != windows || x.facts.words != words {
		t.Errorf("counts %d %d %d, want %d %d %d", x.facts.passages, x.facts.windows, x.facts.words, passages, windows, words)
	}
	// What is put next takes away what the start found, and nothing of its neighbours.
	if err := x.Put(t.Context(), shelved(200, 201)); err != nil {
		t.Fatal(err)
	}
	slots := map[uint32]bool{}
	for name, newest := range x.facts.documents {
		for v := range newest.with() {
			if slots[v.slot] || v.slot == 0 || int(v.slot) >= len(x.facts.records) {
				t.Errorf("%s has slot %d, which is another's or nobody's", name, v.slot)
			}
			slots[v.slot] = true
		}
	}
	if len(known(x)) != len(want) || x.facts.windows != windows {
		t.Errorf("%d versions and %d windows after one was put again, want %d and %d", len(known(x)), x.facts.windows, len(want), windows)
	}
}

// The windows of a document lie together in its segment.
func TestWindowsLieTogether(t *testing.T) {
	x, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Put(t.Context(), shelved(0, 300)); err != nil {
		t.Fatal(err)
	}
	snap, err := x.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	for _, seg := range snap.Segments() {
		var last []byte
		err := eachKey(seg, func(_ int, k key) {
			if bytes.Compare(last, k.raw) >= 0 {
				t.Errorf("%x comes after %x", k.raw, last)
			}
			last = bytes.Clone(k.raw)
		})
		if err != nil {
			t.Error(err)
		}
	}
}
