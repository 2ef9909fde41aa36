package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/vector"
)

// vectorFolder holds the vectors. They follow the text: which version of a document
// a vector belongs to is learned from the text at each start.
const vectorFolder = "vectors"

// putAtOnce is how many vectors are written together.
const putAtOnce = 4096

var _ core.VectorIndex = (*Index)(nil)

// PutVectors implements core.VectorIndex. A vector without a direction, because it
// is zero or holds something that is no number, is an error of kind invalid too;
// then none of the call is stored.
func (x *Index) PutVectors(ctx context.Context, set core.VectorSet, vectors []core.PassageVector) error {
	if err := checkSet(set); err != nil {
		return err
	}
	items := make([]vector.Item, len(vectors))
	for i, v := range vectors {
		unit, err := unitOf(set, v.Vector)
		if err != nil {
			return core.Errorf(core.KindInvalid, "The vector of passage %d of %s cannot be stored: %w", v.Passage, v.Document, err)
		}
		items[i] = vector.Item{Passage: v.Passage, Unit: unit}
	}
	if err := x.begin(ctx); err != nil {
		return err
	}
	defer x.running.Done()
	x.write.Lock()
	defer x.write.Unlock()
	if err := x.heal(); err != nil {
		return err
	}
	for part := range slices.Chunk(x.indexed(items, vectors), putAtOnce) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.putItems(set, part); err != nil {
			return err
		}
	}
	return x.vectorWork(x.vectors.Pack())
}

func checkSet(set core.VectorSet) error {
	switch {
	case set.Model == "":
		return core.Errorf(core.KindInvalid, "Vectors need the name of the model that they are of.")
	case set.Dimensions <= 0 || set.Dimensions > vector.MaxDimensions:
		return core.Errorf(core.KindInvalid, "Vectors of %s have %d numbers; 1 to %d can be kept.", set.Model, set.Dimensions, vector.MaxDimensions)
	}
	return nil
}

func unitOf(set core.VectorSet, v []float32) ([]float32, error) {
	if len(v) != set.Dimensions {
		return nil, core.Errorf(core.KindInvalid, "it has %d numbers and those of %s have %d.", len(v), set.Model, set.Dimensions)
	}
	unit, ok := vector.Unit(v)
	if !ok {
		return nil, core.Errorf(core.KindInvalid, "it has no direction, because it is zero or holds something that is no number.")
	}
	return unit, nil
}

// indexed keeps the vectors of passages that are indexed and gives them their
// owners.
func (x *Index) indexed(items []vector.Item, of []core.PassageVector) []vector.Item {
	x.mu.RLock()
	defer x.mu.RUnlock()
	owners, seen := map[core.PassageID]uint32{}, map[string]bool{}
	var out []vector.Item
	for i, it := range items {
		if doc := of[i].Document; !seen[doc] {
			seen[doc] = true
			for v := range x.facts.documents[doc].with() {
				v.own(owners)
			}
		}
		if it.Owner = owners[it.Passage]; it.Owner != 0 {
			out = append(out, it)
		}
	}
	return out
}

// own notes that the version owns its passages.
func (v *version) own(owners map[core.PassageID]uint32) {
	for _, e := range v.entries {
		owners[e.passage()] = v.slot
	}
}

// putItems stores vectors. A set that turns out damaged begins again.
func (x *Index) putItems(set core.VectorSet, items []vector.Item) (err error) {
	s := x.vectors.Get(set)
	if s == nil {
		if s, err = x.vectors.Begin(set); err != nil {
			return err
		}
	}
	if err = s.Put(items); !errors.Is(err, vector.ErrDamaged) {
		return x.vectorWork(err)
	}
	x.log.Warn("vectors are damaged and start empty", "dir", x.dir, "model", set.Model, "error", err)
	if s, err = x.vectors.Begin(set); err != nil {
		return err
	}
	return x.vectorWork(s.Put(items))
}

// Embedded implements core.VectorIndex.
func (x *Index) Embedded(ctx context.Context, set core.VectorSet) ([]core.PassageID, error) {
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	defer x.running.Done()
	if err := x.healIfIdle(); err != nil {
		return nil, err
	}
	s := x.vectors.Get(set)
	if s == nil {
		return nil, nil
	}
	return slices.Sorted(slices.Values(s.Passages())), nil
}

// UseVectors implements core.VectorIndex.
func (x *Index) UseVectors(ctx context.Context, use core.VectorSet, keep ...core.VectorSet) error {
	if use != (core.VectorSet{}) {
		if err := checkSet(use); err != nil {
			return err
		}
	}
	if err := x.begin(ctx); err != nil {
		return err
	}
	defer x.running.Done()
	x.write.Lock()
	defer x.write.Unlock()
	if err := x.heal(); err != nil {
		return err
	}
	return x.vectors.Use(use, keep...)
}

// openVectors reads the vectors and gives them to the versions of the text.
func (x *Index) openVectors(ctx context.Context) (err error) {
	if x.vectors, err = vector.OpenSets(ctx, x.path(vectorFolder), x.log); err != nil || x.vectors.Empty() {
		return err
	}
	owners := make(map[core.PassageID]uint32, x.facts.passages)
	for _, newest := range x.facts.documents {
		for v := range newest.with() {
			v.own(owners)
		}
	}
	return x.vectors.Adopt(owners)
}

// vectorWork gives an error of a write of vectors its words.
func (x *Index) vectorWork(err error) error {
	if err == nil || core.KindOf(err) != core.KindInternal {
		return err
	}
	return core.Wrap(core.KindInternal, fmt.Errorf("vectors: %w", err), "The vectors in "+x.path(vectorFolder)+" could not be written.")
}

// vectorsDamaged notes that a search met damaged vectors, and begins the set again
// if no write is running; else the next one of vectors does.
func (x *Index) vectorsDamaged(set core.VectorSet, cause error) error {
	x.mu.Lock()
	x.sick = append(x.sick, sickness{set, cause})
	x.mu.Unlock()
	err := core.Wrap(core.KindUnavailable, cause,
		"The vectors in "+x.path(vectorFolder)+" are damaged. They are thrown away and come back from the ledger.")
	return errors.Join(err, x.healIfIdle())
}

// sickness is a set that a search found damaged.
type sickness struct {
	set   core.VectorSet
	cause error
}

func (x *Index) healIfIdle() error {
	if !x.write.TryLock() {
		return nil
	}
	defer x.write.Unlock()
	return x.heal()
}

// heal begins the damaged sets again. The caller holds write.
func (x *Index) heal() error {
	x.mu.Lock()
	sick := x.sick
	x.sick = nil
	x.mu.Unlock()
	done := map[core.VectorSet]bool{}
	for _, s := range sick {
		if done[s.set] || x.vectors.Get(s.set) == nil {
			continue
		}
		done[s.set] = true
		x.log.Warn("vectors are damaged and start empty", "dir", x.dir, "model", s.set.Model, "error", s.cause)
		if _, err := x.vectors.Begin(s.set); err != nil {
			return err
		}
	}
	return nil
}
