package index

import (
	"fmt"
	"testing"
	"unsafe"

	zap "github.com/blevesearch/zapx/v17"

	"github.com/footnote-bot/footnote/core"
)

// residentOf tells how many bytes of a mapping count as memory of this process.
func residentOf(t *testing.T, mapped []byte) int64 {
	t.Helper()
	said, err := mappings()
	if err != nil {
		t.Fatal(err)
	}
	return resident(said, mapped)
}

// What the system does not tell of counts as nothing.
func TestResident(t *testing.T) {
	mapped := make([]byte, 1<<20) // not on the stack, which moves
	begin := fmt.Sprintf("%x-ffff r--s 0 00:1 7 /a.zap\nSize: 20 kB\nRss:                  12 kB\nPss: 3 kB\n", uintptr(unsafe.Pointer(unsafe.SliceData(mapped))))
	for said, want := range map[string]int64{
		begin: 12 << 10, "1-2 r--p 0 00:1 3\nRss: 5 kB\n" + begin: 12 << 10,
		"": 0, "1-2 r--p\nRss: 5 kB\n": 0, begin[:40]: 0,
	} {
		if n := resident([]byte(said), mapped); n != want {
			t.Errorf("%d bytes, want %d, of %q", n, want, said)
		}
	}
}

// TestGiveBackTakesPages reads the text, which counts as memory then, and gives it back.
func TestGiveBackTakesPages(t *testing.T) {
	dir := t.TempDir()
	x := openKept(t, dir)
	docs := keptDocuments("still", 20, 1) // in one write, which leaves one segment and nothing to merge
	if err := x.Put(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = openKept(t, dir)
	x.keeper.stop() // the test alone gives back
	x.keeper = nil
	var facts []core.Facts
	for _, d := range docs {
		facts = append(facts, d.Facts)
	}
	if err := x.SetFacts(t.Context(), facts); err != nil {
		t.Fatal(err)
	}
	snap, err := x.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := snap.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, ok := snap.Segments()[0].Segment().(*zap.Segment)
	if !ok || len(snap.Segments()) != 1 {
		t.Fatalf("%d segments, the first one a %T", len(snap.Segments()), snap.Segments()[0].Segment())
	}
	sum := 0
	for _, b := range s.Data() {
		sum += int(b)
	}
	if n := residentOf(t, s.Data()); n == 0 {
		t.Fatal("what was read does not count")
	}
	if err := x.giveBack(); err != nil {
		t.Fatal(err)
	}
	if n := residentOf(t, s.Data()); n != 0 {
		t.Errorf("%d bytes still count", n)
	}
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Limit: 100})
	if err != nil || len(hits) != len(docs) {
		t.Errorf("%d passages are found, %v", len(hits), err)
	}
	for _, b := range s.Data() {
		sum -= int(b)
	}
	if sum != 0 {
		t.Error("the text is another one when it is read again")
	}
}
