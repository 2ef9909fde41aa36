package index

import (
	"math"
	"math/bits"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/footnote-bot/footnote/core"
)

// allowed is the set of slots that a filter lets through, by the rules of
// core.Filter.
func (f *facts) allowed(q core.Filter) slots { return f.narrowed(f.known(q), q) }

// known is the slots that the filter's readers may know, before it narrows. The
// caller may change the set.
func (f *facts) known(q core.Filter) *roaring.Bitmap {
	set := f.visible
	if q.Bypass {
		set = set.Clone()
	} else {
		set = roaring.And(f.readable(q), f.visible)
	}
	if !q.IncludeHidden {
		set.AndNot(f.hidden)
	}
	return set
}

// all tells whether a set of known slots is that of all that is indexed.
func (f *facts) all(known *roaring.Bitmap) bool {
	return known.GetCardinality() == uint64(len(f.records)-1-len(f.free))
}

// narrowed takes out of a set what the filter does not search.
func (f *facts) narrowed(set *roaring.Bitmap, q core.Filter) slots {
	if q.Sources != nil {
		set.And(f.sources.any(q.Sources...))
	}
	if q.Documents != nil {
		set.And(f.ofDocuments(q.Documents))
	}
	if q.Tags != nil {
		set.And(f.tagged(q.Tags, q.TagMode))
	}
	if q.Within != nil {
		set.And(f.ofCollections(q.Within))
	}
	if q.Asked != nil {
		set.And(f.ofCollections(q.Asked))
	}
	if q.Scoped() {
		set.And(f.inScope(q))
	}
	if q.Under != nil {
		set.And(f.under(q.Under))
	}
	if q.Where != nil {
		set = f.where(*q.Where, set)
	}
	out := newSlots(set, len(f.records))
	f.keepTimes(out, q)
	return out
}

// readable is the access clause.
func (f *facts) readable(q core.Filter) *roaring.Bitmap {
	out := f.access.any(append(texts(q.Principals), string(core.Public))...)
	if len(q.Granted) > 0 {
		out.Or(f.ofCollections(q.Granted))
	}
	if len(q.Readers) > 0 {
		out.Or(f.together.allRead(f, q.Readers))
	}
	return out
}

func (f *facts) inScope(q core.Filter) *roaring.Bitmap {
	out := f.ofCollections(q.Collections)
	out.Or(f.ofDocuments(q.Attached))
	out.Or(f.folders.any(q.Folders...))
	return out
}

func (f *facts) ofCollections(list []core.Collection) *roaring.Bitmap {
	out := roaring.New()
	for _, c := range list {
		out.Or(f.ofCollection(c))
	}
	return out
}

func (f *facts) ofCollection(c core.Collection) *roaring.Bitmap {
	if c.Empty() {
		return roaring.New()
	}
	out := f.visible.Clone()
	if len(c.Sources) > 0 {
		out.And(f.sources.any(c.Sources...))
	}
	if len(c.Folders) > 0 {
		out.And(f.folders.any(c.Folders...))
	}
	if len(c.Tags) > 0 {
		out.And(f.tags.any(folded(c.Tags)...))
	}
	return out
}

func (f *facts) tagged(tags []string, mode core.TagMode) *roaring.Bitmap {
	tags = folded(tags)
	if mode != core.TagPerKey {
		return f.tags.any(tags...)
	}
	byKey := map[string][]string{}
	for _, t := range tags {
		key, _, _ := strings.Cut(t, "=")
		byKey[key] = append(byKey[key], t)
	}
	out := roaring.New()
	first := true
	for _, values := range byKey {
		if first {
			out, first = f.tags.any(values...), false
			continue
		}
		out.And(f.tags.any(values...))
	}
	return out
}

func (f *facts) ofDocuments(ids []string) *roaring.Bitmap {
	out := roaring.New()
	for _, id := range ids {
		for v := range f.documents[id].with() {
			out.Add(v.slot)
		}
	}
	return out
}

// keepTimes takes out what lies outside the filter's ranges. Only what passed
// all other clauses is looked at.
func (f *facts) keepTimes(set slots, q core.Filter) {
	if !q.Updated.On() && !q.Created.On() {
		return
	}
	updated, created := spanOf(q.Updated), spanOf(q.Created)
	keepUndated := q.UndatedUpdated()
	set.keep(func(slot uint32) bool {
		r := &f.records[slot]
		if r.created != undated && !created.holds(r.created) {
			return false
		}
		if r.updated == undated {
			return keepUndated
		}
		return updated.holds(r.updated)
	})
}

// span is a range in seconds, both ends included.
type span struct{ from, to int64 }

func spanOf(r core.Range) span {
	s := span{from: math.MinInt64, to: math.MaxInt64}
	if !r.From.IsZero() {
		s.from = r.From.Unix()
	}
	if !r.To.IsZero() {
		s.to = r.To.Unix()
	}
	return s
}

func (s span) holds(t int64) bool { return s.from <= t && t <= s.to }

// slots is a set of slots as plain bits: a search asks it for every posting.
type slots []uint64

// newSlots writes a set as bits for the slots below size.
func newSlots(set *roaring.Bitmap, size int) slots {
	out := make(slots, max(size/64+1, int(set.DenseSize())))
	set.WriteDenseTo(out)
	return out
}

func (s slots) has(slot uint32) bool {
	i := slot >> 6
	return i < uint32(len(s)) && s[i]&(1<<(slot&63)) != 0
}

func (s slots) add(slot uint32) { s[slot>>6] |= 1 << (slot & 63) }

// keep takes out the slots for which the function is false.
func (s slots) keep(good func(uint32) bool) {
	for i, w := range s {
		for rest := w; rest != 0; rest &= rest - 1 {
			n := bits.TrailingZeros64(rest)
			if !good(uint32(i<<6 + n)) {
				s[i] &^= 1 << n
			}
		}
	}
}
