package index

import (
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/vector"
)

// inflight is a write between its announcement and its end. A search meanwhile may
// see the text before it or after it: the seal of the text tells which, and the
// vectors have to be of the same moment.
type inflight struct {
	generation uint32
	vectors    *vector.Changes
}

// pending is the change of the vectors that goes with a state of the text; nil for
// none.
func (x *Index) pending(snap internals) (*vector.Changes, error) {
	if x.inflight == nil {
		return nil, nil
	}
	s, err := readSeal(snap)
	if err != nil || s.generation < x.inflight.generation {
		return nil, err
	}
	return x.inflight.vectors, nil
}

// moves says whose the vectors are after a write: of the new versions, or nobody's
// where their passage leaves the index.
func (x *Index) moves(old map[string][]*version, fresh []*version) map[core.PassageID]uint32 {
	if x.vectors.Empty() {
		return nil
	}
	owners := map[core.PassageID]uint32{}
	for _, versions := range old {
		for _, v := range versions {
			for _, e := range v.entries {
				owners[e.passage()] = 0
			}
		}
	}
	for _, v := range fresh {
		v.own(owners)
	}
	return owners
}

// settle forgets the old versions. After a failed write nobody can say which
// text the engine holds: both versions stay registered, so that the next write
// removes both, and neither is seen.
func (x *Index) settle(b *batch, old map[string][]*version, fresh []*version, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	vectors := x.inflight.vectors
	x.inflight = nil
	if err == nil {
		vectors.Apply()
		x.seal = b.seal
	} else {
		x.seal.known = false
	}
	for id, versions := range old {
		for _, v := range versions {
			if err == nil {
				x.facts.drop(id, v)
			} else {
				x.facts.unset(v)
			}
		}
	}
	if err != nil {
		for _, v := range fresh {
			x.facts.unset(v)
		}
	}
}

func (x *Index) writeError(err error) error {
	if isDisk(err) {
		return diskError(x.dir, err)
	}
	return core.Wrap(core.KindInternal, err, "The search index in "+x.dir+" could not be written.")
}
