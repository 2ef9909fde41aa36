package typesense

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// PutVectors implements core.VectorIndex.
func (x *Index) PutVectors(ctx context.Context, set core.VectorSet, vectors []core.PassageVector) error {
	end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if set.Model == "" || set.Dimensions <= 0 || set.Dimensions > mostDimensions {
		return core.Errorf(core.KindInvalid, "A set of vectors needs a model and 1 to %d numbers for each vector, not %d of %q.", mostDimensions, set.Dimensions, set.Model)
	}
	for _, v := range vectors {
		if err := checkVector(set, v.Vector); err != nil {
			return err
		}
	}
	if len(vectors) == 0 {
		return nil
	}
	x.write.Lock()
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil {
		return err
	}
	kept, err := x.setFor(ctx, at, set)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(vectors, mostHits) {
		if err := x.putVectors(ctx, at.write, kept, some); err != nil {
			return err
		}
	}
	return nil
}

// mostDimensions is far beyond what models give.
const mostDimensions = 1 << 16

// checkVector refuses what has no direction or is not of the set.
func checkVector(set core.VectorSet, v []float32) error {
	if set.Dimensions <= 0 || len(v) != set.Dimensions {
		return core.Errorf(core.KindInvalid, "A vector of %d numbers does not belong to the set of %s, whose vectors have %d.", len(v), set.Model, set.Dimensions)
	}
	length := 0.0
	for _, n := range v {
		length += float64(n) * float64(n)
	}
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return core.Errorf(core.KindInvalid, "A vector of %s points nowhere: its numbers are all zero, or one is none.", set.Model)
	}
	return nil
}

// setFor finds a set, or begins it. The caller holds x.write.
func (x *Index) setFor(ctx context.Context, at place, set core.VectorSet) (vectorSet, error) {
	if s, ok := at.vectors.find(set); ok {
		return s, nil
	}
	state, s := at.vectors.with(set)
	if err := x.change(ctx, at.write, []vectorSet{s}, false); err != nil {
		return s, err
	}
	if err := x.saveState(ctx, at.write, state); err != nil {
		return s, err
	}
	x.setState(at.write, state)
	return s, nil
}

// setState remembers what a collection holds now.
func (x *Index) setState(collection string, v vectorState) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at == nil {
		return
	}
	next := *x.at
	if next.write == collection {
		next.vectors = v
	}
	if next.read == collection {
		next.searched = v
	}
	x.at = &next
}

func (x *Index) putVectors(ctx context.Context, collection string, set vectorSet, vectors []core.PassageVector) error {
	byPassage := map[int64]core.PassageVector{}
	numbers := make([]string, 0, len(vectors))
	for _, v := range vectors {
		byPassage[int64(v.Passage)] = v
		numbers = append(numbers, decimal(int64(v.Passage)))
	}
	var lines [][]byte
	filter := "live:=true && passage:=[" + strings.Join(sortedOnce(numbers), ",") + "]"
	err := x.askAll(ctx, collection, filter, "id,doc,passage", func(hits []hit) bool {
		for _, h := range hits {
			v := byPassage[h.Document.Passage]
			if key(v.Document) == h.Document.Doc {
				lines = append(lines, []byte(`{"id":"`+h.Document.ID+`","`+set.has()+`":true,"`+set.vector()+`":`+numbersOf(v.Vector)+`}`))
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	return x.send(ctx, collection, "update", lines)
}

// numbersOf writes a vector's direction, without exponents, which not every parser
// knows. Lengths that a server's arithmetic may not hold are gone before.
func numbersOf(v []float32) string {
	length := 0.0
	for _, n := range v {
		length += float64(n) * float64(n)
	}
	length = math.Sqrt(length)
	b := []byte{'['}
	for i, n := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(n)/length, 'f', 8, 64)
	}
	return string(append(b, ']'))
}

// Embedded implements core.VectorIndex.
func (x *Index) Embedded(ctx context.Context, set core.VectorSet) ([]core.PassageID, error) {
	end, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	x.write.Lock() // so that no passage is between two versions
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil {
		return nil, err
	}
	s, ok := at.vectors.find(set)
	if !ok {
		return nil, nil
	}
	var out []core.PassageID
	err = x.askAll(ctx, at.write, "live:=true && "+s.has()+":=true", "passage", func(hits []hit) bool {
		for _, h := range hits {
			out = append(out, core.PassageID(h.Document.Passage))
		}
		return true
	})
	return out, err
}

// UseVectors implements core.VectorIndex.
func (x *Index) UseVectors(ctx context.Context, use core.VectorSet, keep ...core.VectorSet) error {
	end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	x.write.Lock()
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil {
		return err
	}
	var used vectorSet
	if use != (core.VectorSet{}) {
		if used, err = x.setFor(ctx, at, use); err != nil {
			return err
		}
		if at, err = x.now(); err != nil {
			return err
		}
	}
	state := at.vectors
	var gone, stay []vectorSet
	for _, s := range state.Sets {
		if s.N == used.N || slices.Contains(keep, s.VectorSet) {
			stay = append(stay, s)
		} else {
			gone = append(gone, s)
		}
	}
	if state.Use == used.N && len(gone) == 0 {
		return nil
	}
	// First no search asks for what is dropped then.
	next := vectorState{Use: used.N, Last: state.Last, Sets: stay}
	if err := x.saveState(ctx, at.write, next); err != nil {
		return err
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	x.setState(at.write, next)
	return x.change(ctx, at.write, gone, true)
}

// carried are the vectors of passages that are put again as they were.
func (x *Index) carried(ctx context.Context, at place, names []string) (map[string]string, error) {
	if len(at.vectors.Sets) == 0 {
		return nil, nil
	}
	fields := []string{"passage", "sum"}
	for _, s := range at.vectors.Sets {
		fields = append(fields, s.vector())
	}
	out := map[string]string{}
	err := x.askAll(ctx, at.write, string(and(anyOf("doc", names), "live:=true")), strings.Join(fields, ","), func(hits []hit) bool {
		for _, h := range hits {
			var all map[string]json.RawMessage
			if json.Unmarshal(h.Document.raw, &all) != nil {
				continue // then they are put again
			}
			text := ""
			for _, s := range at.vectors.Sets {
				if v, ok := all[s.vector()]; ok {
					text += `,"` + s.has() + `":true,"` + s.vector() + `":` + string(v)
				}
			}
			out[decimal(h.Document.Passage)+" "+h.Document.Sum] = text
		}
		return true
	})
	return out, err
}
