package index

import (
	"bytes"
	"maps"
	"strings"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

const (
	spareVersions = 512   // how many are allocated at once
	namesTogether = 8_000 // bytes of names that are, likewise
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
	entries  []entry   // in the order of the keys; versions hold parts of it
	versions []version // to be used
	names    names
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
		s.entries = append(s.entries, entryOf(k.windowKey))
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
	other := s.facts.documents[string(k.name)]
	if v := other.ofGeneration(k.generation); v != nil {
		return v
	}
	if len(s.versions) == 0 {
		s.versions = make([]version, spareVersions)
	}
	v := &s.versions[0]
	s.versions = s.versions[1:]
	v.generation, v.slot, v.older = k.generation, s.read.slots, other
	s.read.slots++
	s.facts.documents[s.names.keep(k.name)] = v
	s.makeRoom()
	return v
}

// names keeps the names of documents in long texts, many in each. One that is still
// in use keeps its neighbours in memory; they are short.
type names struct{ text strings.Builder }

func (n *names) keep(name []byte) string {
	if n.text.Cap()-n.text.Len() < len(name) {
		n.text = strings.Builder{}
		n.text.Grow(max(namesTogether, len(name)))
	}
	from := n.text.Len()
	n.text.Write(name)
	return n.text.String()[from:]
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
	roomy := make(map[string]*version, all)
	maps.Copy(roomy, s.facts.documents)
	s.facts.documents = roomy
}
