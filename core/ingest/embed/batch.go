package embed

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
)

// leastText is how short a text is cut before it counts as refused, in bytes.
const leastText = 256

// embed gives passages their vectors, the same text once. What one batch brought
// is in the ledger before the next begins in its place.
func (e *Embedder) embed(ctx context.Context, waiting []core.UnembeddedPassage) error {
	batches := batchesOf(waiting, e.Batch)
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(e.Requests)
	var h holding
	for _, batch := range batches {
		g.Go(func() error {
			return e.guarded(running, func(ctx context.Context) error {
				if h.back(ctx, e.Held) {
					return nil // without an error, which would cut off those that run
				}
				return e.one(ctx, batch)
			})
		})
	}
	err := g.Wait()
	if err == nil {
		err = h.err
	}
	// Also what came before an error goes into the index.
	ids := make([]core.PassageID, len(waiting))
	for i, w := range waiting {
		ids[i] = w.Passage
	}
	if fillErr := e.fill(ctx, e.wanted, ids); err == nil {
		err = fillErr
	}
	return err
}

// holding is what holds batches back, once something does.
type holding struct {
	mu  sync.Mutex
	err error
}

func (h *holding) back(ctx context.Context, held func(context.Context) error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = held(ctx)
	}
	return h.err != nil
}

// text is one that is to be embedded.
type text struct {
	hash core.Hash
	text string
}

func batchesOf(waiting []core.UnembeddedPassage, size int) [][]text {
	var out [][]text
	seen := map[core.Hash]bool{}
	for _, w := range waiting {
		if seen[w.Hash] {
			continue
		}
		seen[w.Hash] = true
		if n := len(out); n == 0 || len(out[n-1]) == size {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], text{w.Hash, w.Text})
	}
	return out
}

// one embeds a batch and keeps its vectors. A batch that is refused for what one
// of its texts is goes in halves, so that each good text costs few more requests.
func (e *Embedder) one(ctx context.Context, batch []text) error {
	vectors, err := e.ask(ctx, batch)
	switch kind := core.KindOf(err); {
	case err == nil:
		return e.keep(ctx, vectors)
	case kind != core.KindTooLarge && kind != core.KindInvalid || ctx.Err() != nil:
		return err
	case len(batch) > 1:
		if err := e.one(ctx, batch[:len(batch)/2]); err != nil {
			return err
		}
		return e.one(ctx, batch[len(batch)/2:])
	case kind == core.KindTooLarge && len(batch[0].text) > leastText:
		// The hash stays: it is the passage's, however much of it a model takes.
		return e.one(ctx, []text{{batch[0].hash, cut(batch[0].text, len(batch[0].text)/2)}})
	}
	return e.refused(ctx, batch[0], err)
}

// refused parks a text that the model does not take, unless it takes nothing at
// all: then the fault is not the text's.
func (e *Embedder) refused(ctx context.Context, t text, reason error) error {
	if _, err := e.Model.Embed(ctx, []string{e.Prefix + probe}); err != nil {
		return err
	}
	e.Log.WarnContext(ctx, "a passage has no vector, because the model refuses its text", "kind", core.KindOf(reason), "error", reason)
	return e.keep(ctx, []core.TextVector{{Hash: t.hash, Reason: reason.Error()}})
}

func (e *Embedder) keep(ctx context.Context, vectors []core.TextVector) error {
	// What was paid for is kept also where the work is being stopped.
	return e.Ledger.PutVectors(context.WithoutCancel(ctx), e.wanted, vectors)
}

// ask embeds a batch and checks what comes back.
func (e *Embedder) ask(ctx context.Context, batch []text) ([]core.TextVector, error) {
	texts := make([]string, len(batch))
	for i, t := range batch {
		texts[i] = e.Prefix + t.text
	}
	vectors, err := e.Model.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, core.Errorf(core.KindUnavailable, "The embedding model gave %d vectors for %d texts.", len(vectors), len(texts))
	}
	out := make([]core.TextVector, len(batch))
	for i, v := range vectors {
		out[i] = core.TextVector{Hash: batch[i].hash, Vector: v}
		switch fault := faultOf(v, e.wanted.Dimensions); {
		case fault == noDirection:
			out[i].Vector, out[i].Reason = nil, "The model's vector of it is all zeros."
		case fault != "":
			return nil, core.Errorf(core.KindUnavailable,
				"The embedding model gave %s: set embeddings.name to the model that the other vectors were made with, or give the new one another name, and all passages are embedded with it.", fault)
		}
	}
	return out, nil
}

const noDirection = "a vector of zeros"

// faultOf says what makes a vector unusable, or nothing.
func faultOf(v []float32, dimensions int) string {
	if len(v) != dimensions {
		return fmt.Sprintf("a vector of %d numbers where %d are expected", len(v), dimensions)
	}
	zero := true
	for _, x := range v {
		if x != x || x-x != 0 { // none, or without end
			return "a vector with something in it that is no number"
		}
		zero = zero && x == 0
	}
	if zero {
		return noDirection
	}
	return ""
}

// cut shortens a text to so many bytes at most, at a blank where there is one.
func cut(s string, size int) string {
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	s = s[:size]
	if i := strings.LastIndexAny(s, " \n"); i > size/2 {
		s = s[:i]
	}
	return s
}
