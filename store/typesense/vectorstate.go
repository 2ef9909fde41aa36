package typesense

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/typesense/typesense-go/v2/typesense/api"
	"github.com/typesense/typesense-go/v2/typesense/api/pointer"

	"github.com/footnote-bot/footnote/core"
)

// vectorState is which sets of vectors a collection holds. It is kept as a record of
// the state collection, since a collection itself has no place for notes.
type vectorState struct {
	Use  int         `json:"use"`  // number of the set that is searched; 0 is none
	Last int         `json:"last"` // number that was given last
	Sets []vectorSet `json:"sets"`
}

// vectorSet is a set with its number. A set that comes again gets a new number, so
// that nothing which Typesense still has on disk of the old one is taken for new.
type vectorSet struct {
	N int `json:"n"`
	core.VectorSet
}

// vector and has are the fields of a record: its vector, and that it has one, which a
// filter cannot tell of a vector itself.
func (s vectorSet) vector() string { return "v" + strconv.Itoa(s.N) }
func (s vectorSet) has() string    { return "has" + strconv.Itoa(s.N) }

func (v vectorState) find(set core.VectorSet) (vectorSet, bool) {
	for _, s := range v.Sets {
		if s.VectorSet == set {
			return s, true
		}
	}
	return vectorSet{}, false
}

func (v vectorState) used() (vectorSet, bool) {
	for _, s := range v.Sets {
		if s.N == v.Use {
			return s, true
		}
	}
	return vectorSet{}, false
}

// with is the state with another set. The sets of the old one are not changed.
func (v vectorState) with(set core.VectorSet) (vectorState, vectorSet) {
	v.Last++
	s := vectorSet{N: v.Last, VectorSet: set}
	v.Sets = append(slices.Clone(v.Sets), s)
	return v, s
}

// stateRecord is the record of a collection's state.
type stateRecord struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

func (x *Index) loadState(ctx context.Context, collection string) (v vectorState, err error) {
	asked := ctx
	ctx, cancel := x.limited(ctx, 1)
	defer cancel()
	got, err := x.client.Collection(x.stateCollection()).Document(collection).Retrieve(ctx)
	if missing(err) {
		return v, nil
	}
	if err != nil {
		return v, x.failure(asked, err)
	}
	text, _ := got["state"].(string)
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return vectorState{}, core.Wrap(core.KindUnavailable, err,
			"What "+x.stateCollection()+" on Typesense at "+x.where+" says of "+collection+" cannot be read. Run footnote reindex.")
	}
	return v, nil
}

// saveState is called by who holds x.write.
func (x *Index) saveState(ctx context.Context, collection string, v vectorState) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line, err := json.Marshal(stateRecord{collection, string(text)})
	if err != nil {
		return err
	}
	asked := ctx
	ctx, cancel := x.limited(ctx, 2)
	defer cancel()
	_, err = x.client.Collection(x.stateCollection()).Retrieve(ctx)
	if missing(err) {
		_, err = x.client.Collections().Create(ctx, stateSchema(x.stateCollection()))
	}
	if err != nil {
		return x.failure(asked, err)
	}
	return x.sendOnce(asked, x.stateCollection(), "upsert", [][]byte{line})
}

// change adds fields for sets to a collection, or drops them.
func (x *Index) change(ctx context.Context, collection string, sets []vectorSet, drop bool) error {
	if len(sets) == 0 {
		return nil
	}
	var fields []api.Field
	for _, s := range sets {
		if drop {
			fields = append(fields, api.Field{Name: s.vector(), Type: "float[]", Drop: pointer.True()}, api.Field{Name: s.has(), Type: "bool", Drop: pointer.True()})
			continue
		}
		fields = append(fields,
			api.Field{Name: s.vector(), Type: "float[]", NumDim: pointer.Int(s.Dimensions), Optional: pointer.True()},
			api.Field{Name: s.has(), Type: "bool", Optional: pointer.True()})
	}
	asked := ctx
	ctx, cancel := x.limited(ctx, slower)
	defer cancel()
	_, err := x.client.Collection(collection).Update(ctx, &api.CollectionUpdateSchema{Fields: fields})
	return x.failure(asked, err)
}

// takeOver gives a new collection the sets of the one that it follows, so that it is
// searched by vectors as soon as they are put again.
func (x *Index) takeOver(ctx context.Context, from, to string) error {
	v, err := x.loadState(ctx, from)
	if err != nil || len(v.Sets) == 0 {
		return err
	}
	if err := x.change(ctx, to, v.Sets, false); err != nil {
		return err
	}
	return x.saveState(ctx, to, v)
}
