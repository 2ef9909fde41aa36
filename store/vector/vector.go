// Package vector is a flat index of passages' vectors on a folder of files.
//
// A search first compares 1-bit codes, which lie in memory, inside the caller's
// mask, and then the best few hundred by their stored values, which stay on disk.
// A set of a million vectors of 768 numbers takes about 130 MB of memory.
// Everything in the folder can be made again from the ledger: what is damaged is
// found by its checksum and thrown away.
package vector

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/footnote-bot/footnote/core"
)

// ErrDamaged says that a set's files do not hold what was written to them.
var ErrDamaged = errors.New("the files of the vectors are damaged")

// MaxDimensions is the longest vector that a set can have.
const MaxDimensions = 16384

// Item is a passage's vector to be stored.
type Item struct {
	Passage core.PassageID
	Owner   uint32    // the bit of masks that decides who may know it, from 1
	Unit    []float32 // of length 1, see Unit
}

// Set is the vectors of one model. Views may be taken and searched by several
// goroutines; writes are the caller's to order, one at a time.
type Set struct {
	dir        string
	dimensions int
	values     *os.File
	codes      *os.File
	gone       *os.File
	centred    int  // rows when the codes were centred last; 0 for never
	unclean    bool // a write failed and left something behind the last row

	mu      sync.Mutex // guards what follows
	state   *state
	rows    map[core.PassageID]uint32
	users   int    // views
	retired func() // called when the last view is released; nil while in use
}

// View takes a view of the newest state.
func (s *Set) View() *View { return s.view(nil) }

func (s *Set) view(at *state) *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == nil {
		at = s.state
	}
	s.users++
	return &View{set: s, state: at}
}

func (s *Set) release() {
	s.mu.Lock()
	s.users--
	end := s.retired
	if s.users > 0 {
		end = nil
	}
	s.mu.Unlock()
	if end != nil {
		end()
	}
}

// retire calls end as soon as no view is left. No more views may be taken.
func (s *Set) retire(end func()) {
	s.mu.Lock()
	s.retired = end
	idle := s.users == 0
	s.mu.Unlock()
	if idle {
		end()
	}
}

// Passages are those that have a vector, in no order.
func (s *Set) Passages() []core.PassageID {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]core.PassageID, 0, len(s.rows))
	for p := range s.rows {
		out = append(out, p)
	}
	return out
}

// close closes the files.
func (s *Set) close() error {
	return errors.Join(s.values.Close(), s.codes.Close(), s.gone.Close())
}

func (s *Set) path(name string) string { return filepath.Join(s.dir, name) }
