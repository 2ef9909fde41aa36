package index

import (
	"errors"
	"math"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// An entry gives back what was packed into it.
func TestEntry(t *testing.T) {
	for _, k := range []windowKey{
		{},
		{passage: 1, length: 2, number: 3},
		{passage: lastPassage},
		{length: math.MaxUint16},
		{number: math.MaxUint8},
		{passage: lastPassage, length: math.MaxUint16, number: math.MaxUint8},
	} {
		if e := entryOf(k); e.passage() != k.passage || e.length() != k.length || e.number() != k.number {
			t.Errorf("%+v became %d, %d, %d", k, e.passage(), e.length(), e.number())
		}
	}
}

// A number that has no room is refused, and takes nothing of its document away.
func TestPassageWithoutRoom(t *testing.T) {
	x, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	put := func(id core.PassageID) error {
		return x.Put(t.Context(), []core.IndexedDocument{{Facts: core.Facts{Document: "s/a"}, Passages: []core.Passage{{ID: id, Document: "s/a", Text: "walrus"}}}})
	}
	if err := put(lastPassage); err != nil {
		t.Error(err)
	}
	for _, id := range []core.PassageID{lastPassage + 1, -1} {
		if err := put(id); !errors.Is(err, errPassage) {
			t.Errorf("passage %d: %v", id, err)
		}
	}
	if documents, passages := x.Count(); documents != 1 || passages != 1 {
		t.Errorf("%d documents and %d passages", documents, passages)
	}
}

// A document that is named twice is taken out once: the sum over the keys stays that of
// the text, which a start would call damaged otherwise.
func TestDeletedTwiceAtOnce(t *testing.T) {
	dir := t.TempDir()
	x, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Put(t.Context(), shelved(0, 20)); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(t.Context(), []string{"wiki/003", "wiki/004", "wiki/003"}); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if documents, _ := x.Count(); documents != 18 || x.Fresh() {
		t.Errorf("%d documents, want 18; fresh: %v", documents, x.Fresh())
	}
}
