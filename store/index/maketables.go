package index

import (
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// lookedUp is how many windows get their slots under one lock.
const lookedUp = 512

// makeTables makes missing tables and drops those of segments that are gone. Searches
// go on meanwhile. A version that is dropped while its table is made was deleted from
// the text before: it gets no slot, and no snapshot that is taken from then on holds
// its windows.
func (x *Index) makeTables() (err error) {
	snap, err := x.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(snap, err) }()
	made := map[uint64]*table{}
	for _, seg := range snap.Segments() {
		if x.tableOf(seg) != nil {
			continue
		}
		if made[seg.Id()], err = x.makeTable(seg); err != nil {
			return err
		}
	}
	return x.keepTables(made)
}

func (x *Index) tableOf(seg *scorch.SegmentSnapshot) *table {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.tables[seg.Id()]
}

// makeTable reads the keys of a segment's windows.
func (x *Index) makeTable(seg *scorch.SegmentSnapshot) (*table, error) {
	t := newTable(seg.Segment().Count())
	var at []int
	var keys []key
	find := func() {
		x.mu.RLock()
		defer x.mu.RUnlock()
		for n, k := range keys {
			t.set(at[n], x.facts.slotOf(k.name, k.generation), k.windowKey)
		}
		at, keys = at[:0], keys[:0]
	}
	err := eachKey(seg, func(i int, k key) {
		if at, keys = append(at, i), append(keys, k); len(keys) == lookedUp {
			find()
		}
	})
	find()
	return t, err
}

// keepTables puts tables beside those that there are, as far as their segments are in
// use now.
func (x *Index) keepTables(made map[uint64]*table) (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	snap, err := x.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(snap, err) }()
	live := make(map[uint64]*table, len(x.tables)+len(made))
	for _, seg := range snap.Segments() {
		id := seg.Id()
		if t := x.tables[id]; t != nil {
			live[id] = t
		} else if t := made[id]; t != nil {
			live[id] = t
		}
	}
	x.tables = live
	return nil
}
