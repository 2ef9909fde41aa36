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
}

func newFamily() *family {
	return &family{
		numbers: map[string]uint32{},
		lists:   map[string]uint32{},
		held:    make([][]uint32, 1),
		users:   make([]int, 1),
	}
}

// add notes that a slot holds the names and gives the number of their list.
func (f *family) add(slot uint32, names ...string) uint32 {
	held := f.numbered(names)
	slices.Sort(held)
	return f.hold(slot, slices.Compact(held))
}

// addInOrder is add for names of which the order counts. Each occurs once.
func (f *family) addInOrder(slot uint32, names []string) uint32 {
	return f.hold(slot, f.numbered(names))
}

func (f *family) numbered(names []string) []uint32 {
	held := make([]uint32, 0, len(names))
	for _, name := range names {
		held = append(held, f.number(name))
	}
	return held
}

func (f *family) hold(slot uint32, held []uint32) uint32 {
	if len(held) == 0 {
		return 0
	}
	for _, n := range held {
		f.slots[n].Add(slot)
	}
	list := f.list(held)
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

func (f *family) list(held []uint32) uint32 {
	key := packed(held)
	if l, ok := f.lists[key]; ok {
		return l
	}
	l := uint32(len(f.held))
	if last := len(f.freeLists) - 1; last >= 0 {
		l, f.freeLists = f.freeLists[last], f.freeLists[:last]
		f.held[l] = held
	} else {
		f.held, f.users = append(f.held, held), append(f.users, 0)
	}
	f.lists[key] = l
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
		delete(f.lists, packed(f.held[list]))
		f.held[list] = nil
		f.freeLists = append(f.freeLists, list)
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

func packed(numbers []uint32) string {
	b := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return string(b)
}
