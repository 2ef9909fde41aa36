package index

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/footnote-bot/footnote/core"
)

// allowed is the set of slots that a filter lets through, by the rules of
// core.Filter.
func (f *facts) allowed(q core.Filter) slots {
	set := f.visible.Clone()
	if !q.Bypass {
		set.And(f.readable(q.Principals))
	}
	if !q.IncludeHidden {
		set.AndNot(f.hidden)
	}
	if q.Sources != nil {
		set.And(f.ofSources(q.Sources))
	}
	if q.Documents != nil {
		set.And(f.ofDocuments(q.Documents))
	}
	return newSlots(set, f.next)
}

func (f *facts) readable(principals []core.Principal) *roaring.Bitmap {
	out := roaring.New()
	if b := f.readers[core.Public]; b != nil {
		out.Or(b)
	}
	for _, p := range principals {
		if b := f.readers[p]; b != nil {
			out.Or(b)
		}
	}
	return out
}

func (f *facts) ofSources(names []string) *roaring.Bitmap {
	out := roaring.New()
	for _, n := range names {
		if b := f.sources[n]; b != nil {
			out.Or(b)
		}
	}
	return out
}

func (f *facts) ofDocuments(ids []string) *roaring.Bitmap {
	out := roaring.New()
	for _, id := range ids {
		for _, v := range f.documents[id] {
			out.Add(v.slot)
		}
	}
	return out
}

// slots is a set of slots as plain bits: a search asks it for every posting.
type slots []uint64

func newSlots(set *roaring.Bitmap, size uint32) slots {
	out := make(slots, size/64+1)
	it := set.ManyIterator()
	buf := make([]uint32, 1024)
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, s := range buf[:n] {
			out[s>>6] |= 1 << (s & 63)
		}
	}
	return out
}

func (s slots) has(slot uint32) bool {
	i := slot >> 6
	return i < uint32(len(s)) && s[i]&(1<<(slot&63)) != 0
}
