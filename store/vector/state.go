package vector

import (
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// chunkRows is how many rows share an array: what a change of one owner copies.
const chunkRows = 4096

// state is what the set holds at one moment. It is never changed: a search goes on
// with the one that it began with while a writer makes the next.
type state struct {
	mean    []float32 // what the codes are centred on
	chunks  []*chunk
	rows    int    // stored ones, the dead included
	removed uint64 // counts rows that died: as long as it stands, no passage lost its row
}

// chunk is a run of rows, as parallel lists. Rows are only ever appended, which a
// state that counts fewer does not see.
type chunk struct {
	passages []core.PassageID
	owners   []uint32 // the slot that decides who may know it; 0 for nobody
	codes    []uint64
}

// with is the state after more rows.
func (s *state) with(items []Item, codes []uint64) *state {
	next := &state{mean: s.mean, chunks: slices.Clone(s.chunks), rows: s.rows, removed: s.removed}
	words := wordsFor(len(s.mean))
	for i, it := range items {
		if next.rows%chunkRows == 0 {
			next.chunks = append(next.chunks, &chunk{})
		}
		last := len(next.chunks) - 1
		if last < len(s.chunks) && next.chunks[last] == s.chunks[last] {
			c := *s.chunks[last]
			next.chunks[last] = &c
		}
		c := next.chunks[last]
		c.passages = append(c.passages, it.Passage)
		c.owners = append(c.owners, it.Owner)
		c.codes = append(c.codes, codes[i*words:(i+1)*words]...)
		next.rows++
	}
	return next
}

// owned is the state after rows got other owners. Owner 0 takes a row out.
func (s *state) owned(owners map[uint32]uint32) *state {
	next := &state{mean: s.mean, chunks: slices.Clone(s.chunks), rows: s.rows, removed: s.removed}
	for row, owner := range owners {
		at := row / chunkRows
		if next.chunks[at] == s.chunks[at] {
			c := *s.chunks[at]
			c.owners = slices.Clone(c.owners)
			next.chunks[at] = &c
		}
		if owner == 0 {
			next.removed++
		}
		next.chunks[at].owners[row%chunkRows] = owner
	}
	return next
}

func (s *state) passage(row uint32) core.PassageID {
	return s.chunks[row/chunkRows].passages[row%chunkRows]
}
func (s *state) owner(row uint32) uint32 { return s.chunks[row/chunkRows].owners[row%chunkRows] }
