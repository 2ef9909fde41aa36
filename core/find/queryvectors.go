package find

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	keptVectors = 512              // of queries
	longestText = 2000             // of a query, in bytes: more says nothing more about what is looked for
	afterFault  = 10 * time.Second // nothing is asked of an endpoint that failed
)

// QueryModel makes vectors of texts, one for each, in order.
type QueryModel interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// QueryVectors implements Embeddings over models, with a small cache. An endpoint
// that fails is left alone for a moment, so that searches do not wait for it.
type QueryVectors struct {
	live  func() (core.VectorSet, bool)
	model func(core.VectorSet) (m QueryModel, prefix string, err error)
	now   func() time.Time

	mu      sync.Mutex
	kept    map[keptKey][]float32
	order   []keptKey // oldest first
	resting time.Time // until then
	fault   error     // why
}

type keptKey struct {
	set  core.VectorSet
	text string
}

// NewQueryVectors makes one. Live tells the set in use; model gives the model of a
// set and what it wants before a query.
func NewQueryVectors(live func() (core.VectorSet, bool), model func(core.VectorSet) (QueryModel, string, error)) *QueryVectors {
	return &QueryVectors{live: live, model: model, now: time.Now, kept: map[keptKey][]float32{}}
}

// Live is the set in use.
func (v *QueryVectors) Live() (core.VectorSet, bool) { return v.live() }

// Queries returns a vector for each text.
func (v *QueryVectors) Queries(ctx context.Context, set core.VectorSet, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = upTo(text, longestText) // also what is kept does not grow with it
	}
	var missing []int
	v.mu.Lock()
	for i, text := range texts {
		if out[i] = v.kept[keptKey{set, text}]; out[i] == nil {
			missing = append(missing, i)
		}
	}
	fault := v.fault
	if !v.now().Before(v.resting) {
		fault = nil
	}
	v.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	if fault != nil {
		return nil, fault
	}
	found, err := v.ask(ctx, set, texts, missing)
	if err != nil {
		v.rest(ctx, err)
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for n, i := range missing {
		out[i] = found[n]
		v.keep(keptKey{set, texts[i]}, found[n])
	}
	return out, nil
}

func (v *QueryVectors) ask(ctx context.Context, set core.VectorSet, texts []string, missing []int) ([][]float32, error) {
	m, prefix, err := v.model(set)
	if err != nil {
		return nil, err
	}
	wanted := make([]string, len(missing))
	for n, i := range missing {
		wanted[n] = prefix + texts[i]
	}
	found, err := m.Embed(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if len(found) != len(wanted) {
		return nil, core.Errorf(core.KindUnavailable, "The embedding model gave %d vectors for %d queries.", len(found), len(wanted))
	}
	for _, one := range found {
		if len(one) != set.Dimensions {
			return nil, core.Errorf(core.KindUnavailable,
				"The embedding model gave the vector of a query %d numbers where the passages' have %d.", len(one), set.Dimensions)
		}
		if !directed(one) {
			return nil, core.Errorf(core.KindInvalid, "The embedding model gave a query a vector without a direction.")
		}
	}
	return found, nil
}

// directed tells whether a vector can be compared: it is not zero, and all in it is a
// number.
func directed(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum > 0 && !math.IsInf(sum, 0)
}

// rest notes a fault of the endpoint. What is wrong with the query alone, and a
// search that was stopped, are none.
func (v *QueryVectors) rest(ctx context.Context, err error) {
	switch core.KindOf(err) {
	case core.KindCancelled, core.KindTooLarge, core.KindInvalid, core.KindNotFound:
		return
	}
	if ctx.Err() == context.Canceled {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.resting, v.fault = v.now().Add(afterFault), err
}

func (v *QueryVectors) keep(key keptKey, vector []float32) {
	if v.kept[key] != nil {
		return
	}
	if len(v.order) >= keptVectors {
		delete(v.kept, v.order[0])
		v.order = v.order[1:]
	}
	v.kept[key], v.order = vector, append(v.order, key)
}

// upTo cuts a text to so many bytes at most, between characters.
func upTo(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && s[size]&0xC0 == 0x80 {
		size--
	}
	return s[:size]
}
