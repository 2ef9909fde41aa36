package vector

import (
	"encoding/binary"
	"os"

	"github.com/footnote-bot/footnote/core"
)

// Put stores vectors durably. A passage that has one gets the new one; of several
// for one passage the last counts.
func (s *Set) Put(items []Item) error {
	items = lastOfEach(items)
	if len(items) == 0 {
		return nil
	}
	codes, err := s.append(items)
	if err != nil {
		return err
	}
	next, first := s.state.with(items, codes), uint32(s.state.rows)
	replaced := map[uint32]uint32{}
	s.mu.Lock()
	for i, it := range items {
		if old, ok := s.rows[it.Passage]; ok {
			replaced[old] = 0
		}
		s.rows[it.Passage] = first + uint32(i)
	}
	if len(replaced) > 0 {
		next = next.owned(replaced)
	}
	s.state = next
	s.mu.Unlock()
	if err := s.bury(replaced); err != nil {
		return err
	}
	return s.centre()
}

func lastOfEach(items []Item) []Item {
	last := make(map[core.PassageID]int, len(items))
	for i, it := range items {
		last[it.Passage] = i
	}
	out := make([]Item, 0, len(last))
	for i, it := range items {
		if last[it.Passage] == i {
			out = append(out, it)
		}
	}
	return out
}

// append writes values first and codes second: a row counts once its code is
// whole. What a failed write left behind the last row is cut off by the next one.
func (s *Set) append(items []Item) ([]uint64, error) {
	words := wordsFor(s.dimensions)
	codes := make([]uint64, len(items)*words)
	vsize, csize := valueSize(s.dimensions), codeSize(words)
	values, records := make([]byte, len(items)*vsize), make([]byte, len(items)*csize)
	for i, it := range items {
		code := codes[i*words : (i+1)*words]
		encode(code, it.Unit, s.state.mean)
		putValue(values[i*vsize:(i+1)*vsize], it.Passage, it.Unit)
		putCode(records[i*csize:(i+1)*csize], it.Passage, code)
	}
	end := codeHead(s.dimensions) + int64(s.state.rows)*int64(csize)
	if s.unclean {
		if err := s.codes.Truncate(end); err != nil {
			return nil, s.writeError("codes", err)
		}
	}
	s.unclean = true
	if err := writeAt(s.values, values, valueHead+int64(s.state.rows)*int64(vsize)); err != nil {
		return nil, s.writeError("values", err)
	}
	if err := writeAt(s.codes, records, end); err != nil {
		return nil, s.writeError("codes", err)
	}
	s.unclean = false
	return codes, nil
}

func writeAt(f *os.File, b []byte, at int64) error {
	if _, err := f.WriteAt(b, at); err != nil {
		return err
	}
	return f.Sync()
}

// bury notes durably that rows are dead.
func (s *Set) bury(rows map[uint32]uint32) error {
	var b []byte
	for row, owner := range rows {
		if owner == 0 {
			b = appendGone(b, row)
		}
	}
	if len(b) == 0 {
		return nil
	}
	end, err := s.gone.Seek(0, 2)
	if err == nil {
		end -= (end - goneHead) % goneSize // what a broken write left
		err = writeAt(s.gone, b, end)
	}
	if err != nil {
		return s.writeError("gone", err)
	}
	return nil
}

func appendGone(b []byte, row uint32) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, row)
	return binary.LittleEndian.AppendUint32(b, checksum(0, b[start:]))
}

// Change gives rows other owners. It is made ready, and its view may be taken,
// before it is in force.
type Change struct {
	set    *Set
	next   *state
	owners map[uint32]uint32 // by row
}

// Prepare makes a change of the owners of passages; owner 0 takes the vector out.
// Passages without a vector are passed over. The next write has to be its Apply,
// or none: then nothing changes.
func (s *Set) Prepare(owners map[core.PassageID]uint32) *Change {
	c := &Change{set: s, next: s.state, owners: map[uint32]uint32{}}
	s.mu.Lock()
	for p, owner := range owners {
		if row, ok := s.rows[p]; ok {
			c.owners[row] = owner
		}
	}
	s.mu.Unlock()
	if len(c.owners) > 0 {
		c.next = s.state.owned(c.owners)
	}
	return c
}

// View is the set as it will be.
func (c *Change) View() *View { return c.set.view(c.next) }

// Apply puts the change in force at once, in memory.
func (c *Change) Apply() {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	for row, owner := range c.owners {
		if owner == 0 {
			delete(c.set.rows, c.next.passage(row))
		}
	}
	c.set.state = c.next
}

// Save makes durable which vectors an applied change took out.
func (c *Change) Save() error { return c.set.bury(c.owners) }
