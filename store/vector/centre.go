package vector

import (
	"bufio"
	"context"
	"errors"
	"os"
)

// The codes are centred on the mean of what the set holds when it has grown to
// centreFirst rows and again whenever it has grown centreGrowth times since. In
// all, that writes each code hardly more than once again.
const (
	centreFirst  = 1024
	centreGrowth = 8
	centreSample = 20_000 // vectors that the mean is taken of
)

// centre makes all codes anew if it is time to. Searches go on with the old ones
// meanwhile.
func (s *Set) centre() error {
	if s.state.rows < max(centreFirst, centreGrowth*s.centred) {
		return nil
	}
	mean, err := s.meanOf()
	if err != nil {
		return err
	}
	next, err := s.recode(mean)
	if next != nil {
		s.mu.Lock()
		s.state = next
		s.mu.Unlock()
	}
	return err
}

func (s *Set) meanOf() ([]float32, error) {
	v := &View{set: s, state: s.state}
	step := uint32(1 + s.state.rows/centreSample)
	var rows []uint32
	for row := uint32(0); int(row) < s.state.rows; row += step {
		if s.state.owner(row) != 0 {
			rows = append(rows, row)
		}
	}
	sum, unit := make([]float64, s.dimensions), make([]float32, s.dimensions)
	err := v.eachValue(context.Background(), rows, func(_ uint32, rec []byte) {
		valueOf(unit, rec)
		for i, x := range unit {
			sum[i] += float64(x)
		}
	})
	mean := make([]float32, s.dimensions)
	for i := range mean {
		mean[i] = float32(sum[i] / float64(max(1, len(rows))))
	}
	return mean, err
}

// recode writes a new file of codes and puts it in the place of the old one. The
// state that it gives is that of the file, also beside an error.
func (s *Set) recode(mean []float32) (*state, error) {
	f, err := os.OpenFile(s.path("codes.new"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, s.writeError("codes.new", err)
	}
	next, err := s.writeCodes(f, mean)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err = f.Sync(); err == nil {
		err = os.Rename(s.path("codes.new"), s.path("codes"))
	}
	if err != nil {
		return nil, errors.Join(s.writeError("codes", err), f.Close())
	}
	old := s.codes
	s.codes, s.centred, s.unclean = f, s.state.rows, false
	if err := errors.Join(syncFolder(s.dir), old.Close()); err != nil {
		return next, s.writeError("codes", err)
	}
	return next, nil
}

func (s *Set) writeCodes(f *os.File, mean []float32) (*state, error) {
	words := wordsFor(s.dimensions)
	next := &state{mean: mean, rows: s.state.rows, removed: s.state.removed}
	out := bufio.NewWriterSize(f, 1<<20)
	if _, err := out.Write(headOfCodes(mean, s.state.rows)); err != nil {
		return nil, s.writeError("codes.new", err)
	}
	unit, rec := make([]float32, s.dimensions), make([]byte, codeSize(words))
	v := &View{set: s, state: s.state}
	for at, old := range s.state.chunks {
		c := &chunk{passages: old.passages, owners: old.owners, codes: make([]uint64, len(old.codes))}
		next.chunks = append(next.chunks, c)
		rows := make([]uint32, len(c.passages))
		for i := range rows {
			rows[i] = uint32(at*chunkRows + i)
		}
		err := v.eachValue(context.Background(), rows, func(row uint32, value []byte) {
			i := int(row % chunkRows)
			valueOf(unit, value)
			encode(c.codes[i*words:(i+1)*words], unit, mean)
			putCode(rec, c.passages[i], c.codes[i*words:(i+1)*words])
			_, _ = out.Write(rec) // Flush tells
		})
		if err != nil {
			return nil, err
		}
	}
	if err := out.Flush(); err != nil {
		return nil, s.writeError("codes.new", err)
	}
	return next, nil
}
