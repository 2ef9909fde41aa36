package embed

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// pageSize is how many passages are looked at at once.
const pageSize = 256

// behind is the share of passages that may still wait when a set comes into use,
// as one in so many: while sources are read there is always something that waits.
const behind = 50

// complete tells whether a set may take the place of the one before it.
func complete(c core.VectorCounts) bool { return c.Waiting()*behind <= c.Passages }

// known is a sorted list of passages that have a vector in the index.
type known struct{ ids []core.PassageID }

// lacks returns those of the passages, which are in order, that are not known.
// The lists that come one after the other are in order too.
func (k *known) lacks(passages []core.PassageID) []core.PassageID {
	var out []core.PassageID
	for _, p := range passages {
		for len(k.ids) > 0 && k.ids[0] < p {
			k.ids = k.ids[1:]
		}
		if len(k.ids) == 0 || k.ids[0] != p {
			out = append(out, p)
		}
	}
	return out
}

// compare asks the index what it has of a set, the first time.
func (e *Embedder) compare(ctx context.Context, set core.VectorSet) (*known, error) {
	if e.compared {
		return &known{}, nil
	}
	ids, err := e.Index.Embedded(ctx, set)
	return &known{ids}, err
}

// fill puts vectors of the ledger into the index.
func (e *Embedder) fill(ctx context.Context, set core.VectorSet, passages []core.PassageID) error {
	if len(passages) == 0 {
		return nil
	}
	vectors, err := e.Ledger.PassageVectors(ctx, set, passages)
	if err != nil {
		return err
	}
	// One that is none must not keep the others, or a start, waiting.
	vectors = slices.DeleteFunc(vectors, func(v core.PassageVector) bool {
		fault := faultOf(v.Vector, set.Dimensions)
		if fault != "" {
			e.Log.WarnContext(ctx, "a vector in the ledger cannot be used; its passage is found by words alone",
				"passage", v.Passage, "model", set.Model, "fault", fault)
		}
		return fault != ""
	})
	if len(vectors) == 0 {
		return nil
	}
	return e.Index.PutVectors(ctx, set, vectors)
}

// Restore brings the index to the set that the ledger says is in use, without
// asking the model: after it, searches use vectors as they did before. An index that
// lost them all gets them again from the ledger; single ones that it lacks come with
// the next CatchUp. Without a model vectors are turned off; the ledger keeps them.
func (e *Embedder) Restore(ctx context.Context) error {
	release, err := e.work.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if e.Model == nil {
		return e.Index.UseVectors(ctx, core.VectorSet{})
	}
	sets, err := e.Sets.VectorSets(ctx)
	if err != nil || sets.Live == (core.VectorSet{}) {
		return err
	}
	have, err := e.Index.Embedded(ctx, sets.Live)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		if err := e.fillAll(ctx, sets.Live); err != nil {
			return err
		}
	}
	return e.use(ctx, sets.Live, e.building(sets)...)
}

// regain begins again with what the index lost. Also the set that searches use while
// another one is made comes back.
func (e *Embedder) regain(ctx context.Context) (err error) {
	if !e.lost.Swap(false) {
		return nil
	}
	e.from, e.compared = 0, false
	live, is := e.Live()
	if !is || live == e.wanted {
		return nil
	}
	have, err := e.Index.Embedded(ctx, live)
	if err == nil && len(have) == 0 {
		err = e.fillAll(ctx, live)
	}
	if err != nil {
		e.lost.Store(true)
	}
	return err
}

func (e *Embedder) fillAll(ctx context.Context, set core.VectorSet) error {
	for after, more := core.PassageID(0), true; more; {
		page, err := e.Ledger.NextPassages(ctx, set, after, pageSize)
		if err != nil {
			return err
		}
		if err := e.fill(ctx, set, page.Ready); err != nil {
			return err
		}
		after, more = page.Last, page.More
	}
	return nil
}

// building are the sets of the configured model that are not in use yet.
func (e *Embedder) building(sets core.VectorSets) []core.VectorSet {
	var out []core.VectorSet
	for _, set := range sets.Known {
		if set.Model == e.Name && set != sets.Live {
			out = append(out, set)
		}
	}
	return out
}

// Recheck makes the next look compare the index with the ledger again.
func (e *Embedder) Recheck(ctx context.Context) error {
	release, err := e.work.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	e.from, e.compared = 0, false
	e.Kick()
	return nil
}

// goLive takes the wanted set into use if it is complete.
func (e *Embedder) goLive(ctx context.Context) error {
	if live, is := e.Live(); is && live == e.wanted {
		return nil
	}
	counts, err := e.Ledger.VectorCounts(ctx, e.wanted, "")
	if err != nil || counts.Embedded == 0 || !complete(counts) {
		return err
	}
	// Nobody searches by vector until both agree: the vector of a query means
	// nothing in another set. The ledger comes first, because of what it says the
	// index can be made again.
	e.live.Store(nil)
	if err := e.Sets.UseVectors(ctx, e.wanted); err != nil {
		return err
	}
	e.Log.InfoContext(ctx, "vectors in use", "model", e.wanted.Model, "dimensions", e.wanted.Dimensions, "passages", counts.Embedded)
	return e.use(ctx, e.wanted)
}

func (e *Embedder) use(ctx context.Context, set core.VectorSet, keep ...core.VectorSet) error {
	if err := e.Index.UseVectors(ctx, set, keep...); err != nil {
		return err
	}
	e.live.Store(&set)
	return nil
}
