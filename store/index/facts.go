package index

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/footnote-bot/footnote/core"
)

// version is one state of a document's text. Each write makes a new one with
// facts of its own, so that a search which still reads the old text decides by
// the old facts, and one that reads the new text by the new.
type version struct {
	generation uint32
	slot       uint32
	entries    []entry
	older      *version // of the same document, only while a write runs or after one that failed
}

// with are a version and the older ones of its document. It may be nil.
func (v *version) with() iter.Seq[*version] {
	return func(yield func(*version) bool) {
		for ; v != nil && yield(v); v = v.older {
		}
	}
}

// record is what is known of the document in a slot, beside the sets.
type record struct {
	created, updated              int64  // seconds; undated if not known
	access, source, folders, tags uint32 // lists of the families
	kind                          uint32
	title                         string
}

// undated stands for a time that is not known.
const undated = math.MinInt64

// facts keeps, outside the text, what filters decide on. Every version has a
// slot; each principal, source, folder and tag has the set of its slots. Slot 0
// belongs to no version and is never allowed.
type facts struct {
	documents map[string]*version // the newest of each
	records   []record            // by slot
	access    *family
	sources   *family
	folders   *family
	tags      *family
	kinds     *family
	visible   *roaring.Bitmap // slots whose facts are known; nobody sees the others
	hidden    *roaring.Bitmap
	free      []uint32
	changes   uint64 // counts all changes of facts
	together  *together
	passages  int
	windows   int
	words     int // of all windows
}

func newFacts() *facts {
	return &facts{
		documents: map[string]*version{},
		records:   make([]record, 1),
		access:    newFamily(),
		sources:   newFamily(),
		folders:   newFamily(),
		tags:      newFamily(),
		kinds:     newFamily(),
		visible:   roaring.New(),
		hidden:    roaring.New(),
		together:  &together{},
	}
}

// add makes a version of a document, unseen until its facts are set.
func (f *facts) add(document string, generation uint32) *version {
	v := &version{generation: generation, slot: f.takeSlot(), older: f.documents[document]}
	f.documents[document] = v
	return v
}

func (f *facts) takeSlot() uint32 {
	if n := len(f.free); n > 0 {
		s := f.free[n-1]
		f.free = f.free[:n-1]
		return s
	}
	f.records = append(f.records, record{})
	return uint32(len(f.records) - 1)
}

// extend counts a window to a version.
func (f *facts) extend(v *version, e entry) {
	v.entries = append(v.entries, e)
	f.count(e, 1)
}

func (f *facts) count(e entry, sign int) {
	f.words += sign * int(e.length())
	f.windows += sign
	if e.number() == 0 {
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
	newest := f.documents[document]
	switch {
	case newest != v:
		for o := range newest.with() {
			if o.older == v {
				o.older = v.older
			}
		}
	case v.older != nil:
		f.documents[document] = v.older
	default:
		delete(f.documents, document)
	}
}

// set gives a version its facts.
func (f *facts) set(v *version, d core.Facts) {
	f.unset(v)
	f.records[v.slot] = record{
		created: seconds(d.Created),
		updated: seconds(d.Updated),
		access:  hold(f.access, v.slot, d.Access...),
		source:  hold(f.sources, v.slot, d.Source),
		folders: holdInOrder(f.folders, v.slot, core.FoldersOnce(d.Folders)),
		tags:    hold(f.tags, v.slot, folded(d.Tags)...),
		title:   strings.ToLower(d.Title), // as conditions compare it
	}
	if d.Kind != "" {
		f.records[v.slot].kind = hold(f.kinds, v.slot, d.Kind)
	}
	f.visible.Add(v.slot)
	if d.Hidden {
		f.hidden.Add(v.slot)
	}
}

// unset makes a version invisible.
func (f *facts) unset(v *version) {
	f.changes++
	if !f.visible.Contains(v.slot) {
		return
	}
	r := f.records[v.slot]
	f.access.remove(v.slot, r.access)
	f.sources.remove(v.slot, r.source)
	f.folders.remove(v.slot, r.folders)
	f.tags.remove(v.slot, r.tags)
	f.kinds.remove(v.slot, r.kind)
	f.visible.Remove(v.slot)
	f.hidden.Remove(v.slot)
	f.records[v.slot] = record{}
}

// setDocument gives all versions of a document their facts. A document that is
// not there yet comes with facts of its own.
func (f *facts) setDocument(d core.Facts) {
	for v := range f.documents[d.Document].with() {
		f.set(v, d)
	}
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return undated
	}
	return t.Unix()
}

func texts[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// folded is the list itself where nothing in it has capitals.
func folded(list []string) []string {
	if !slices.ContainsFunc(list, func(s string) bool { return strings.ToLower(s) != s }) {
		return list
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

func (f *facts) slotOf(document []byte, generation uint32) uint32 {
	if v := f.versionOf(document, generation); v != nil {
		return v.slot
	}
	return 0
}

// versionOf is nil where there is none. The name is of bytes because most lookups are
// by keys of segments.
func (f *facts) versionOf(document []byte, generation uint32) *version {
	return f.documents[string(document)].ofGeneration(generation)
}

// ofGeneration is the version itself or an older one, nil where there is none.
func (v *version) ofGeneration(generation uint32) *version {
	for v != nil && v.generation != generation {
		v = v.older
	}
	return v
}
