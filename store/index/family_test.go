package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A family tells who holds a name as a plain map does, through any order of holding and
// letting go.
func TestFamilyAgainstAMap(t *testing.T) {
	f, r := newFamily(), rand.New(rand.NewPCG(3, 4))
	held, lists := map[uint32][]string{}, map[uint32]uint32{}
	names := make([]string, 6)
	for i := range names {
		names[i] = fmt.Sprint("name ", i)
	}
	for range 20_000 {
		slot := uint32(r.IntN(40))
		if _, ok := held[slot]; ok {
			f.remove(slot, lists[slot])
			delete(held, slot)
		}
		if r.IntN(3) > 0 {
			var of []string
			for range r.IntN(4) {
				of = append(of, names[r.IntN(len(names))])
			}
			if r.IntN(2) == 0 {
				slices.Sort(of)
				of = slices.Compact(of)
				lists[slot] = holdInOrder(f, slot, of)
			} else {
				lists[slot] = hold(f, slot, of...)
			}
			held[slot] = of
		}
		name := names[r.IntN(len(names))]
		for s := range uint32(40) {
			if got, want := f.any(name).Contains(s), slices.Contains(held[s], name); got != want {
				t.Fatalf("%d holds %q: %v, want %v", s, name, got, want)
			}
		}
	}
	for slot := range held {
		f.remove(slot, lists[slot])
	}
	if len(f.numbers) != 0 || len(f.lists) != 0 {
		t.Errorf("%d names and %d lists are left", len(f.numbers), len(f.lists))
	}
}
