package index

import (
	"bytes"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// spareVersions is how many versions are allocated at once.
const spareVersions = 512

// shelf reads the keys of one segment at a start. There are three for each two
// kilobytes of text: nothing is allocated for a single one.
type shelf struct {
	facts    *facts
	owners   []*version // by window, nil for one that is deleted
	entries  []entry    // likewise
	versions []version  // to be used
	lists    []*version // likewise, one for each
	slots    *uint32    // so many are taken; their records are made when all are known
}

// readShelf registers the versions whose windows are in a segment. Their facts are
// unknown until SetFacts.
func (x *Index) readShelf(seg *scorch.SegmentSnapshot, slots *uint32) error {
	n := seg.Segment().Count()
	s := &shelf{facts: x.facts, owners: make([]*version, n), entries: make([]entry, n), slots: slots}
	t := newTable(n)
	var last *version
	var of []byte
	err := eachKey(seg, func(i int, k key) {
		if last == nil || k.generation != last.generation || !bytes.Equal(k.name, of) {
			last, of = s.version(k), k.name
			x.generation = max(x.generation, k.generation)
		}
		last.coming++
		s.owners[i], s.entries[i] = last, entry{passage: k.passage, length: k.length, number: k.number}
		t.set(i, last.slot, k.windowKey)
		x.seal.sum += keySum(k.raw)
	})
	if err != nil {
		return err
	}
	s.handOut()
	x.tables[seg.Id()] = t
	return nil
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

// handOut gives the versions their entries, which share one piece of memory.
func (s *shelf) handOut() {
	room := make([]entry, len(s.entries))
	for i, v := range s.owners {
		if v == nil {
			continue
		}
		if n := int(v.coming); n > 0 && len(v.entries) == 0 {
			v.entries, room = room[:0:n], room[n:]
		}
		v.coming = 0
		s.facts.extend(v, s.entries[i])
	}
}
