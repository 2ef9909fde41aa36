package index

import (
	"bytes"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// spareVersions is how many versions are allocated at once.
const spareVersions = 512

// shelf reads the keys of one segment at a start. There are three for each two
// kilobytes of text: nothing is allocated for a single one where the windows of a
// document lie together, as they do in all segments that were written since they are
// sorted.
type shelf struct {
	facts    *facts
	entries  []entry    // in the order of the keys; versions hold parts of it
	versions []version  // to be used
	lists    []*version // likewise, one for each
	slots    *uint32    // so many are taken; their records are made when all are known
}

// readShelf registers the versions whose windows are in a segment. Their facts are
// unknown until SetFacts.
func (x *Index) readShelf(seg *scorch.SegmentSnapshot, slots *uint32) error {
	n := seg.Segment().Count()
	s, t := &shelf{facts: x.facts, entries: make([]entry, 0, n), slots: slots}, newTable(n)
	var last *version
	var name []byte // of its document
	first := 0      // of its entries that are not handed over yet
	err := eachKey(seg, func(i int, k key) {
		if last == nil || k.generation != last.generation || !bytes.Equal(k.name, name) {
			s.handOver(last, first)
			last, name, first = s.version(k), k.name, len(s.entries)
			x.generation = max(x.generation, k.generation)
		}
		s.entries = append(s.entries, entry{passage: k.passage, length: k.length, number: k.number})
		t.set(i, last.slot, k.windowKey)
		x.seal.sum += keySum(k.raw)
	})
	if err != nil {
		return err
	}
	s.handOver(last, first)
	x.tables[seg.Id()] = t
	return nil
}

// handOver gives a version the entries from the first on.
func (s *shelf) handOver(v *version, first int) {
	if v == nil {
		return
	}
	part := s.entries[first:len(s.entries):len(s.entries)]
	for _, e := range part {
		s.facts.count(e, 1)
	}
	if len(v.entries) == 0 {
		v.entries = part
		return
	}
	v.entries = append(v.entries, part...)
}

// version is the one that a window is of, registered if it is its first.
func (s *shelf) version(k key) *version {
	if v := s.facts.versionOf(k.name, k.generation); v != nil {
		return v
	}
	if len(s.versions) == 0 {
		s.versions, s.lists = make([]version, spareVersions), make([]*version, spareVersions)
	}
	v, list := &s.versions[0], s.lists[:0:1]
	s.versions, s.lists = s.versions[1:], s.lists[1:]
	v.generation, v.slot = k.generation, *s.slots
	*s.slots++
	if others, ok := s.facts.documents[string(k.name)]; ok {
		list = others
	}
	s.facts.documents[string(k.name)] = append(list, v)
	return v
}
