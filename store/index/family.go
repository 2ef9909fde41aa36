package index

import (
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// family is one kind of name that documents hold: principals, sources, folders
// or tags. Names are numbered, and documents that hold the same names share one
// list of numbers: a million documents have far fewer different lists. What is
// no longer held is forgotten and its number used again.
type family struct {
	numbers   map[string]uint32
	names     []string          // by number
	slots     []*roaring.Bitmap // by number: who holds the name; nil for a free number
	lists     map[string]uint32 // by packed numbers
	held      [][]uint32        // by list: numbers, each once; list 0 is the empty one
	users     []int             // by list
	freeNames []uint32
	freeLists []uint32
	at        []uint32 // room for the numbers that are looked up
	key       []byte   // and for them packed
	latest    []string // names that were held last, whose list is latestOf; documents that follow each other often share theirs
	latestOf  uint32   // 0 if it is gone
}

func newFamily() *family {
	return &family{
		numbers: map[string]uint32{},
		lists:   map[string]uint32{},
		held:    make([][]uint32, 1),
		users:   make([]int, 1),
	}
}

// hold notes that a slot holds the names and gives the number of their list. At a
// start every document passes here: nothing is allocated for a list that is known.
func hold[S ~string](f *family, slot uint32, names ...S) uint32 {
	if isLatest(f, names) {
		return f.put(slot, f.latestOf)
	}
	numbered(f, names)
	slices.Sort(f.at)
	f.at = slices.Compact(f.at)
	return remember(f, names, f.put(slot, f.list()))
}

// holdInOrder is hold for names of which the order counts. Each occurs once.
func holdInOrder(f *family, slot uint32, names []string) uint32 {
	if isLatest(f, names) {
		return f.put(slot, f.latestOf)
	}
	numbered(f, names)
	return remember(f, names, f.put(slot, f.list()))
}

func isLatest[S ~string](f *family, names []S) bool {
	return f.latestOf > 0 && slices.EqualFunc(names, f.latest, func(a S, b string) bool { return string(a) == b })
}

func remember[S ~string](f *family, names []S, list uint32) uint32 {
	f.latest, f.latestOf = f.latest[:0], list
	for _, name := range names {
		f.latest = append(f.latest, string(name))
	}
	return list
}

func numbered[S ~string](f *family, names []S) {
	f.at = f.at[:0]
	for _, name := range names {
		f.at = append(f.at, f.number(string(name)))
	}
}

// put gives a slot a list.
func (f *family) put(slot, list uint32) uint32 {
	if list == 0 {
		return 0
	}
	for _, n := range f.held[list] {
		f.slots[n].Add(slot)
	}
	f.users[list]++
	return list
}

func (f *family) number(name string) uint32 {
	if n, ok := f.numbers[name]; ok {
		return n
	}
	n := uint32(len(f.names))
	if last := len(f.freeNames) - 1; last >= 0 {
		n, f.freeNames = f.freeNames[last], f.freeNames[:last]
		f.names[n], f.slots[n] = name, roaring.New()
	} else {
		f.names, f.slots = append(f.names, name), append(f.slots, roaring.New())
	}
	f.numbers[name] = n
	return n
}

// list is that of the numbers that were looked up last.
func (f *family) list() uint32 {
	if len(f.at) == 0 {
		return 0
	}
	f.key = packed(f.key[:0], f.at)
	if l, ok := f.lists[string(f.key)]; ok {
		return l
	}
	held, l := slices.Clone(f.at), uint32(len(f.held))
	if last := len(f.freeLists) - 1; last >= 0 {
		l, f.freeLists = f.freeLists[last], f.freeLists[:last]
		f.held[l] = held
	} else {
		f.held, f.users = append(f.held, held), append(f.users, 0)
	}
	f.lists[string(f.key)] = l
	return l
}

// remove takes a slot out that holds a list.
func (f *family) remove(slot, list uint32) {
	if list == 0 {
		return
	}
	for _, n := range f.held[list] {
		if f.slots[n].Remove(slot); f.slots[n].IsEmpty() {
			delete(f.numbers, f.names[n])
			f.names[n], f.slots[n] = "", nil
			f.freeNames = append(f.freeNames, n)
		}
	}
	if f.users[list]--; f.users[list] == 0 {
		f.key = packed(f.key[:0], f.held[list])
		delete(f.lists, string(f.key))
		f.held[list] = nil
		f.freeLists = append(f.freeLists, list)
		f.latestOf = 0
	}
}

// any is the set of slots that hold one of the names. It may be changed.
func (f *family) any(names ...string) *roaring.Bitmap {
	var found []*roaring.Bitmap
	for _, name := range names {
		if n, ok := f.numbers[name]; ok {
			found = append(found, f.slots[n])
		}
	}
	switch len(found) {
	case 0:
		return roaring.New()
	case 1:
		return found[0].Clone()
	}
	return roaring.FastOr(found...)
}

func packed(b []byte, numbers []uint32) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}
