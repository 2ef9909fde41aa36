package index

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/footnote-bot/footnote/core"
)

// table maps the windows of one segment, by number, to what a search needs of
// them. Segments never change, so a table is made once.
type table struct {
	slots    []uint32
	passages []core.PassageID
	lengths  []uint16
}

func newTable(windows uint64) *table {
	return &table{slots: make([]uint32, windows), passages: make([]core.PassageID, windows), lengths: make([]uint16, windows)}
}

func (t *table) set(i int, slot uint32, k windowKey) {
	t.slots[i], t.passages[i], t.lengths[i] = slot, k.passage, k.length
}

// key is a window's, as a segment holds it: its bytes are the segment's.
type key struct {
	windowKey
	name []byte // of the document, in place of the string
	raw  []byte // the whole of it
}

// eachKey visits the windows of a segment that are not deleted.
func eachKey(seg *scorch.SegmentSnapshot, visit func(i int, k key)) error {
	deleted := seg.Deleted()
	for i := range seg.Segment().Count() {
		if deleted != nil && deleted.Contains(uint32(i)) {
			continue
		}
		raw, err := seg.DocID(i)
		if err != nil {
			return err
		}
		k := key{raw: raw}
		if k.windowKey, k.name, err = decodeKey(raw); err != nil {
			return err
		}
		if !fits(k.passage) {
			return errPassage
		}
		visit(int(i), k)
	}
	return nil
}

const languagesKey = "languages"

// readWindows learns from an opened engine which versions it holds. Their facts
// are unknown until SetFacts.
func (x *Index) readWindows(ctx context.Context) (err error) {
	defer faultsPanic()()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the segments cannot be read: %v", r)
		}
	}()
	snap, err := x.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(snap, err) }()
	if b, err := snap.GetInternal([]byte(languagesKey)); err == nil {
		for l := range strings.FieldsSeq(string(b)) {
			x.languages[l] = true
		}
	}
	x.seal = seal{known: true}
	read := &reading{slots: uint32(len(x.facts.records))}
	for _, seg := range snap.Segments() {
		read.all += int(seg.Count())
	}
	for _, seg := range snap.Segments() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.readShelf(seg, read); err != nil {
			return err
		}
	}
	x.facts.records = make([]record, read.slots)
	return x.compareSeal(snap)
}

// compareSeal compares what was read with what was written.
func (x *Index) compareSeal(snap internals) error {
	written, err := readSeal(snap)
	switch {
	case err != nil:
		return err
	case written.generation < x.newest():
		return errors.New("the text is gone, or that of an earlier time")
	case written.known && written.sum != x.seal.sum:
		return errors.New("windows are missing or come back from the dead")
	}
	x.generation = max(x.generation, written.generation)
	return nil
}

func closeAfter(snap *scorch.IndexSnapshot, err error) error {
	if cerr := snap.Close(); err == nil {
		return cerr
	}
	return err
}
