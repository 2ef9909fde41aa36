package index

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// reach is the windows of the documents that the readers of a search may know,
// whatever it is narrowed to. Whether a word was ever seen, what resembles it and
// how much of a question hangs on it is decided by these alone: what is found, and
// whether it answers, must not tell of words in documents that are closed to who
// asks. Only the order of what is found goes by the rarity in all documents, which
// a few readable ones cannot tell.
type reach struct {
	segments []*roaring.Bitmap // by segment; nil where the readers may know all
	near     int               // windows
}

// rememberedReaches is of how many kinds of readers the reach is kept: one question
// asks several times, and most people of a team may know the same.
const rememberedReaches = 8

// reaches remembers the newest ones for as long as they hold.
type reaches struct {
	mu   sync.Mutex
	kept []measured // the newest last
}

// measured is never changed. It holds as long as the three that it was made of are
// the same.
type measured struct {
	known   slots
	tables  []*table
	deleted []uint64 // windows of each segment; their number only grows
	reach   reach
}

// of finds the windows that the view's readers may know.
func (m *reaches) of(v *view) reach {
	one := measured{known: v.known, tables: v.tables}
	for _, seg := range v.snap.Segments() {
		gone := uint64(0)
		if d := seg.Deleted(); d != nil {
			gone = d.GetCardinality()
		}
		one.deleted = append(one.deleted, gone)
	}
	m.mu.Lock()
	kept := slices.Clone(m.kept)
	m.mu.Unlock()
	for _, old := range kept {
		if slices.Equal(old.tables, one.tables) && slices.Equal(old.deleted, one.deleted) && slices.Equal(old.known, one.known) {
			return old.reach
		}
	}
	one.reach = v.measure()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = append(m.kept, one)
	m.kept = slices.Delete(m.kept, 0, max(0, len(m.kept)-rememberedReaches))
	return one.reach
}

func (v *view) measure() reach {
	out := reach{segments: make([]*roaring.Bitmap, len(v.tables))}
	for i, t := range v.tables {
		in := make(slots, len(t.slots)/64+1)
		for n, slot := range t.slots {
			if v.known.has(slot) {
				in.add(uint32(n))
			}
		}
		out.segments[i] = roaring.FromDense(in, true)
		if gone := v.snap.Segments()[i].Deleted(); gone != nil {
			out.segments[i].AndNot(gone)
		}
		out.near += int(out.segments[i].GetCardinality())
	}
	return out
}

// count is how many windows of a segment's list lie within reach.
func (r reach) count(list segment.PostingsList, i int) int {
	if r.segments == nil {
		return int(list.Count())
	}
	in := r.segments[i]
	it := list.Iterator(false, false, false, nil)
	if bits, ok := it.(segment.OptimizablePostingsIterator); ok {
		if n, one := bits.DocNum1Hit(); one {
			return int(in.AndCardinality(roaring.BitmapOf(uint32(n))))
		}
		if all := bits.ActualBitmap(); all != nil {
			return int(in.AndCardinality(all))
		}
	}
	return 0
}
