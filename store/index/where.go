package index

import (
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/footnote-bot/footnote/core"
)

// where is the slots of a set that meet a condition, by the rules of core.Where.
// What many documents have in common is judged once for each name, however many
// hold it; titles and times are judged for each slot of the set. The result may be
// changed, the set is not.
func (f *facts) where(w core.Where, among *roaring.Bitmap) *roaring.Bitmap {
	switch w.Op {
	case core.WhereAnd:
		out := among.Clone()
		for _, p := range w.Parts {
			out = f.where(p, out)
		}
		return out
	case core.WhereOr:
		out := roaring.New()
		for _, p := range w.Parts {
			out.Or(f.where(p, among))
		}
		return out
	case core.WhereNot:
		if len(w.Parts) != 1 {
			return roaring.New()
		}
		return roaring.AndNot(among, f.where(w.Parts[0], among))
	}
	switch w.Field {
	case core.WhereSource:
		return f.sources.passing(w.PassesText, among)
	case core.WhereKind:
		return f.kinds.passing(w.PassesText, among)
	case core.WhereTitle:
		return f.each(among, func(r *record) bool { return w.PassesText(r.title) })
	case core.WhereUpdated:
		return f.each(among, func(r *record) bool { return w.PassesTime(moment(r.updated)) })
	case core.WhereCreated:
		return f.each(among, func(r *record) bool { return w.PassesTime(moment(r.created)) })
	}
	if !w.Field.Meta {
		return roaring.New()
	}
	return f.tags.passing(w.PassesTag, among)
}

func (f *facts) each(among *roaring.Bitmap, pass func(*record) bool) *roaring.Bitmap {
	var passing []uint32
	some := make([]uint32, 1024)
	for it := among.ManyIterator(); ; {
		n := it.NextMany(some)
		if n == 0 {
			return roaring.BitmapOf(passing...)
		}
		for _, slot := range some[:n] {
			if pass(&f.records[slot]) {
				passing = append(passing, slot)
			}
		}
	}
}

func moment(seconds int64) time.Time {
	if seconds == undated {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// passing is the slots of a set that hold a name which passes.
func (f *family) passing(pass func(string) bool, among *roaring.Bitmap) *roaring.Bitmap {
	var found []*roaring.Bitmap
	for name, n := range f.numbers {
		if pass(name) {
			found = append(found, f.slots[n])
		}
	}
	out := roaring.FastOr(found...)
	out.And(among)
	return out
}

// under is the slots that lie in one of the scopes.
func (f *facts) under(scopes []core.FolderScope) *roaring.Bitmap {
	out := roaring.New()
	for _, s := range scopes {
		n, known := f.folders.numbers[s.Folder]
		switch {
		case !known:
		case s.Unbounded():
			out.Or(f.folders.slots[n])
		default:
			out.Or(f.each(f.folders.slots[n], func(r *record) bool {
				list := f.folders.held[r.folders]
				return len(list)-1-slices.Index(list, n) <= s.Levels
			}))
		}
	}
	return out
}
