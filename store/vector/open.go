package vector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/footnote-bot/footnote/core"
)

// create makes an empty set in a new folder.
func create(dir string, dimensions int) (*Set, error) {
	s := newSet(dir, dimensions)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, s.writeError("", err)
	}
	if err := s.openFiles(os.O_RDWR | os.O_CREATE | os.O_TRUNC); err != nil {
		return nil, err
	}
	err := errors.Join(
		writeAt(s.values, headOfValues(dimensions), 0),
		writeAt(s.gone, []byte(goneMagic), 0),
		writeAt(s.codes, headOfCodes(s.state.mean, 0), 0),
		syncFolder(dir))
	if err != nil {
		return nil, errors.Join(s.writeError("", err), s.close())
	}
	return s, nil
}

// open reads a set from its folder. Its rows belong to nobody until Adopt. The
// error is ErrDamaged where the files are not what was written, else of kind disk.
func open(dir string, dimensions int) (*Set, error) {
	s := newSet(dir, dimensions)
	if err := s.openFiles(os.O_RDWR); err != nil {
		return nil, err
	}
	err := s.readCodes()
	if err == nil {
		err = s.checkValues()
	}
	if err == nil {
		err = s.readGone()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// readCodes takes all codes into memory and cuts off an unfinished end.
func (s *Set) readCodes() error {
	if err := s.readHeadOfCodes(s.codes); err != nil {
		return err
	}
	words, st := wordsFor(s.dimensions), s.state
	n, err := eachRecord(s.codes, codeSize(words), func(rec []byte) bool {
		passage, end := core.PassageID(binary.LittleEndian.Uint64(rec)), len(rec)-4
		if binary.LittleEndian.Uint32(rec[end:]) != checksum(passage, rec[8:end]) {
			return false
		}
		if st.rows%chunkRows == 0 {
			st.chunks = append(st.chunks, &chunk{codes: make([]uint64, 0, chunkRows*words)})
		}
		c := st.chunks[len(st.chunks)-1]
		c.passages, c.owners = append(c.passages, passage), append(c.owners, 0)
		for i := range words {
			c.codes = append(c.codes, binary.LittleEndian.Uint64(rec[8+8*i:]))
		}
		st.rows++
		return true
	})
	if err != nil {
		return s.readError("codes", err)
	}
	return s.cut(s.codes, "codes", codeHead(s.dimensions)+int64(n)*int64(codeSize(words)))
}

// checkValues makes sure that each row has its values. Their checksums are
// compared when they are read.
func (s *Set) checkValues() error {
	head := make([]byte, valueHead)
	if _, err := io.ReadFull(s.values, head); err != nil {
		return s.readError("values", err)
	}
	if string(head) != string(headOfValues(s.dimensions)) {
		return fmt.Errorf("%w: the head of values", ErrDamaged)
	}
	return s.cut(s.values, "values", valueHead+int64(s.state.rows)*int64(valueSize(s.dimensions)))
}

// cut shortens a file; one that is shorter is damaged.
func (s *Set) cut(f *os.File, name string, size int64) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return s.readError(name, err)
	case info.Size() < size:
		return fmt.Errorf("%w: %s is cut short", ErrDamaged, name)
	case info.Size() == size:
		return nil
	}
	if err := f.Truncate(size); err != nil {
		return s.writeError(name, err)
	}
	return nil
}

// readGone leaves the dead rows out of the table of rows.
func (s *Set) readGone() error {
	head := make([]byte, goneHead)
	if _, err := io.ReadFull(s.gone, head); err != nil {
		return s.readError("gone", err)
	}
	if string(head) != goneMagic {
		return fmt.Errorf("%w: the head of gone", ErrDamaged)
	}
	dead := map[uint32]bool{}
	n, err := eachRecord(s.gone, goneSize, func(rec []byte) bool {
		good := binary.LittleEndian.Uint32(rec[4:]) == checksum(0, rec[:4])
		if good {
			dead[binary.LittleEndian.Uint32(rec)] = true
		}
		return good
	})
	if err != nil {
		return s.readError("gone", err)
	}
	for row := range dead {
		if int(row) >= s.state.rows {
			return fmt.Errorf("%w: gone names a row that codes lack", ErrDamaged)
		}
	}
	if err := s.cut(s.gone, "gone", goneHead+int64(n)*goneSize); err != nil {
		return err
	}
	return s.bury(s.tabulate(dead))
}

// tabulate makes the table of living rows. Of a passage with two, because a crash
// came between a new vector and the end of the old one, the later one lives.
func (s *Set) tabulate(dead map[uint32]bool) (replaced map[uint32]uint32) {
	replaced = map[uint32]uint32{}
	for at, c := range s.state.chunks {
		for i, p := range c.passages {
			row := uint32(at*chunkRows + i)
			if dead[row] {
				continue
			}
			if old, ok := s.rows[p]; ok {
				replaced[old] = 0
			}
			s.rows[p] = row
		}
	}
	return replaced
}

// Adopt gives the rows of an opened set their owners. Passages without one lose
// their vectors. It comes before the first view.
func (s *Set) Adopt(owners map[core.PassageID]uint32) error {
	lost := map[uint32]uint32{}
	for at, c := range s.state.chunks {
		for i, p := range c.passages {
			row := uint32(at*chunkRows + i)
			if living, ok := s.rows[p]; !ok || living != row {
				continue
			}
			if c.owners[i] = owners[p]; c.owners[i] == 0 {
				lost[row] = 0
				delete(s.rows, p)
			}
		}
	}
	return s.bury(lost)
}

// syncFolder makes the names of a folder's files durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
