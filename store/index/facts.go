package index

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/footnote-bot/footnote/core"
)

// entry is one indexed window.
type entry struct {
	passage core.PassageID
	length  uint16
	number  uint8
}

// version is one state of a document's text. Each write makes a new one with
// facts of its own, so that a search which still reads the old text decides by
// the old facts, and one that reads the new text by the new.
type version struct {
	generation uint32
	slot       uint32
	entries    []entry
	facts      core.Facts
	known      bool // facts are set; without them nobody sees the document
}

// facts keeps, outside the text, what filters decide on. Every version has a
// slot; each principal and source has the set of its slots. Slot 0 belongs to
// no version and is never allowed.
type facts struct {
	documents map[string][]*version // the newest last; more than one only while a write runs
	pending   map[string]core.Facts // of documents that were not put yet
	readers   map[core.Principal]*roaring.Bitmap
	sources   map[string]*roaring.Bitmap
	visible   *roaring.Bitmap // slots whose facts are known and which are not hidden
	hidden    *roaring.Bitmap
	free      []uint32
	next      uint32
	passages  int
	windows   int
	words     int // of all windows
}

func newFacts() *facts {
	return &facts{
		documents: map[string][]*version{},
		pending:   map[string]core.Facts{},
		readers:   map[core.Principal]*roaring.Bitmap{},
		sources:   map[string]*roaring.Bitmap{},
		visible:   roaring.New(),
		hidden:    roaring.New(),
		next:      1,
	}
}

// add makes a version of a document, unseen until its facts are set.
func (f *facts) add(document string, generation uint32) *version {
	v := &version{generation: generation, slot: f.takeSlot()}
	f.documents[document] = append(f.documents[document], v)
	return v
}

func (f *facts) takeSlot() uint32 {
	if n := len(f.free); n > 0 {
		s := f.free[n-1]
		f.free = f.free[:n-1]
		return s
	}
	f.next++
	return f.next - 1
}

// extend counts a window to a version.
func (f *facts) extend(v *version, e entry) {
	v.entries = append(v.entries, e)
	f.count(e, 1)
}

func (f *facts) count(e entry, sign int) {
	f.words += sign * int(e.length)
	f.windows += sign
	if e.number == 0 {
		f.passages += sign
	}
}

// drop forgets a version. A search that began before has its own copy of the
// allowed set, so the slot can be used again at once.
func (f *facts) drop(document string, v *version) {
	f.unset(v)
	for _, e := range v.entries {
		f.count(e, -1)
	}
	f.free = append(f.free, v.slot)
	rest := slices.DeleteFunc(f.documents[document], func(o *version) bool { return o == v })
	if len(rest) == 0 {
		delete(f.documents, document)
		return
	}
	f.documents[document] = rest
}

// set gives a version its facts.
func (f *facts) set(v *version, d core.Facts) {
	f.unset(v)
	v.facts, v.known = d, true
	for _, p := range d.Access {
		insert(f.readers, p, v.slot)
	}
	insert(f.sources, d.Source, v.slot)
	f.visible.Add(v.slot)
	if d.Hidden {
		f.hidden.Add(v.slot)
	}
}

// unset makes a version invisible.
func (f *facts) unset(v *version) {
	if !v.known {
		return
	}
	for _, p := range v.facts.Access {
		remove(f.readers, p, v.slot)
	}
	remove(f.sources, v.facts.Source, v.slot)
	f.visible.Remove(v.slot)
	f.hidden.Remove(v.slot)
	v.known = false
}

// setDocument gives all versions of a document their facts, or keeps them until
// the document comes.
func (f *facts) setDocument(d core.Facts) {
	versions := f.documents[d.Document]
	if len(versions) == 0 {
		f.pending[d.Document] = d
	}
	for _, v := range versions {
		f.set(v, d)
	}
}

func (f *facts) slotOf(document string, generation uint32) uint32 {
	for _, v := range f.documents[document] {
		if v.generation == generation {
			return v.slot
		}
	}
	return 0
}

func remove[K comparable](m map[K]*roaring.Bitmap, key K, slot uint32) {
	if b := m[key]; b != nil {
		if b.Remove(slot); b.IsEmpty() {
			delete(m, key)
		}
	}
}

func insert[K comparable](m map[K]*roaring.Bitmap, key K, slot uint32) {
	b := m[key]
	if b == nil {
		b = roaring.New()
		m[key] = b
	}
	b.Add(slot)
}
