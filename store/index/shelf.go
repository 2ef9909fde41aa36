package index

import (
	"bytes"
	"maps"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

const (
	spareVersions = 512   // how many are allocated at once
	sampled       = 4_000 // documents, before it is guessed how many there are
)

// reading is what a start learns over all segments.
type reading struct {
	slots   uint32 // that are taken; their records are made when all are known
	windows int    // that were read
	all     int    // that there are
	roomy   bool   // there is room for all documents
}

// shelf reads the keys of one segment at a start. There are three for each two
// kilobytes of text: nothing is allocated for a single one where the windows of a
// document lie together, as they do in all segments that were written since they are
// sorted.
type shelf struct {
	facts    *facts
	entries  []entry    // in the order of the keys; versions hold parts of it
	versions []version  // to be used
	lists    []*version // likewise, one for each
	read     *reading
}

// readShelf registers the versions whose windows are in a segment. Their facts are
// unknown until SetFacts.
func (x *Index) readShelf(seg *scorch.SegmentSnapshot, read *reading) error {
	n := seg.Segment().Count()
	s, t := &shelf{facts: x.facts, entries: make([]entry, 0, n), read: read}, newTable(n)
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
		read.windows++
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
	others := s.facts.documents[string(k.name)]
	if v := ofGeneration(others, k.generation); v != nil {
		return v
	}
	if len(s.versions) == 0 {
		s.versions, s.lists = make([]version, spareVersions), make([]*version, spareVersions)
	}
	v, list := &s.versions[0], s.lists[:0:1]
	s.versions, s.lists = s.versions[1:], s.lists[1:]
	v.generation, v.slot = k.generation, s.read.slots
	s.read.slots++
	if len(others) > 0 {
		list = others
	}
	s.facts.documents[string(k.name)] = append(list, v)
	s.makeRoom()
	return v
}

// makeRoom makes room for as many documents as there will be if the rest of the
// windows is like the first of them. A map that grows with them is copied again and
// again, which was a tenth of a start.
func (s *shelf) makeRoom() {
	if s.read.roomy || len(s.facts.documents) < sampled {
		return
	}
	s.read.roomy = true
	all := len(s.facts.documents) * s.read.all / max(1, s.read.windows)
	roomy := make(map[string][]*version, all)
	maps.Copy(roomy, s.facts.documents)
	s.facts.documents = roomy
}
