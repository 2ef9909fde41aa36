package vector

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// How many of the nearest codes are compared by their values: enough that the best
// by value are among them (the benchmarks print the recall).
const (
	minCandidates   = 500
	perResult       = 5   // for each wanted one
	shortDimensions = 256 // codes of fewer bits tell less
	moreIfShort     = 4   // times as many candidates then
)

// readRows is how many neighbouring rows are read at once.
const readRows = 64

// Match is a found passage.
type Match struct {
	Passage core.PassageID
	Owner   uint32
	Cosine  float64
}

// View is a set as it was when the view was taken. Release it after use.
type View struct {
	set   *Set
	state *state
}

// Release lets go of the set's files.
func (v *View) Release() { v.set.release() }

// Search returns the passages inside the mask that are nearest to a unit vector of
// the set's length, the best first, equal ones by id.
func (v *View) Search(ctx context.Context, unit []float32, mask Mask, limit int) ([]Match, error) {
	rows, few := v.state.few(mask)
	if !few {
		var err error
		if rows, err = v.state.candidates(ctx, planesOf(unit, v.state.mean), mask, enough(limit, len(unit))); err != nil {
			return nil, err
		}
	}
	out := make([]Match, 0, len(rows))
	err := v.eachValue(ctx, rows, func(row uint32, rec []byte) {
		out = append(out, Match{Passage: v.state.passage(row), Owner: v.state.owner(row), Cosine: cosine(rec, unit)})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Passage, b.Passage))
	})
	return out[:min(limit, len(out))], nil
}

func enough(limit, dimensions int) int {
	n := max(minCandidates, perResult*limit)
	if dimensions < shortDimensions {
		n *= moreIfShort
	}
	return n
}

// Cosines compares a unit vector with those of the passages. Passages without a
// vector are missing from the answer.
func (v *View) Cosines(ctx context.Context, unit []float32, passages []core.PassageID) (map[core.PassageID]float64, error) {
	rows := v.rowsOf(passages)
	out := make(map[core.PassageID]float64, len(rows))
	err := v.eachValue(ctx, rows, func(row uint32, rec []byte) { out[v.state.passage(row)] = cosine(rec, unit) })
	return out, err
}

// rowsOf finds the rows that the passages have in the view, in order. The table of
// rows is the newest state's; where rows died since, what it lacks is looked for.
func (v *View) rowsOf(passages []core.PassageID) []uint32 {
	var out []uint32
	missing := map[core.PassageID]bool{}
	v.set.mu.Lock()
	changed := v.set.state.removed != v.state.removed
	for _, p := range passages {
		row, ok := v.set.rows[p]
		if ok && int(row) < v.state.rows && v.state.owner(row) != 0 {
			out = append(out, row)
		} else if changed {
			missing[p] = true
		}
	}
	v.set.mu.Unlock()
	if len(missing) > 0 {
		for at, c := range v.state.chunks {
			for i, p := range c.passages {
				if c.owners[i] != 0 && missing[p] {
					out = append(out, uint32(at*chunkRows+i))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// eachValue visits the stored values of rows, which are in order.
func (v *View) eachValue(ctx context.Context, rows []uint32, visit func(row uint32, rec []byte)) error {
	size := valueSize(v.set.dimensions)
	buf := make([]byte, readRows*size)
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := 1
		for n < len(rows) && n < readRows && rows[n] == rows[0]+uint32(n) {
			n++
		}
		if _, err := v.set.values.ReadAt(buf[:n*size], valueHead+int64(rows[0])*int64(size)); err != nil {
			return v.set.readError("values", err)
		}
		for i, row := range rows[:n] {
			rec := buf[i*size : (i+1)*size]
			if !goodValue(rec, v.state.passage(row)) {
				return fmt.Errorf("%w: row %d of the values", ErrDamaged, row)
			}
			visit(row, rec)
		}
		rows = rows[n:]
	}
	return nil
}
