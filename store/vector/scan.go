package vector

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

const (
	// exactRows is up to how many rows are compared by their values at once: codes
	// would save nothing.
	exactRows = 2000
	// manyRows is from how many rows on a scan is worth several goroutines.
	manyRows = 200_000
)

// Mask says which owners may be known: bit n&63 of word n>>6 for owner n.
type Mask []uint64

func (m Mask) has(owner uint32) bool {
	i := owner >> 6
	return i < uint32(len(m)) && m[i]&(1<<(owner&63)) != 0
}

// few lists the rows that the mask lets through, false if there are too many to
// compare all of them exactly.
func (s *state) few(mask Mask) ([]uint32, bool) {
	var out []uint32
	for at, c := range s.chunks {
		for i, owner := range c.owners {
			if !mask.has(owner) {
				continue
			}
			if len(out) == exactRows {
				return nil, false
			}
			out = append(out, uint32(at*chunkRows+i))
		}
	}
	return out, true
}

// candidates are the rows inside the mask whose codes are nearest.
func (s *state) candidates(ctx context.Context, query [][planes]uint64, mask Mask, keep int) ([]uint32, error) {
	workers := 1
	if s.rows > manyRows {
		workers = min(runtime.GOMAXPROCS(0), len(s.chunks))
	}
	parts := make([]*nearest, workers)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		parts[w] = newNearest(keep, farthest(len(s.mean)))
		from, to := w*len(s.chunks)/workers, (w+1)*len(s.chunks)/workers
		part := func() { errs[w] = s.scan(ctx, from, to, query, mask, parts[w]) }
		if w < workers-1 {
			wg.Go(part)
		} else {
			part()
		}
	}
	wg.Wait()
	for w, err := range errs {
		if err != nil {
			return nil, err
		}
		if w > 0 {
			for _, f := range parts[w].found {
				parts[0].offer(f.row, f.away)
			}
		}
	}
	return parts[0].rows(), nil
}

func (s *state) scan(ctx context.Context, from, to int, query [][planes]uint64, mask Mask, best *nearest) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the scan of codes failed: %v", r)
		}
	}()
	words := len(query)
	for at := from; at < to; at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := s.chunks[at]
		for i, owner := range c.owners {
			if mask.has(owner) {
				best.offer(uint32(at*chunkRows+i), distance(query, c.codes[i*words:(i+1)*words]))
			}
		}
	}
	return nil
}
