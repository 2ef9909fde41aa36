package embed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/embed"
)

// While something holds the work no request begins; what the ledger has goes into the
// index all the same, those that run are not cut off, and afterwards it goes on.
func TestHeld(t *testing.T) {
	money := core.Errorf(core.KindBusy, "The money is gone.")
	for name, row := range map[string]struct {
		free       int // times that nothing holds it
		dimensions int
		asked      int
	}{
		"from the start":            {0, 2, 0},
		"before the length is told": {0, 0, 0},
		"after the length":          {1, 0, 1},
		"after two requests":        {2, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.put(map[string][]string{"a": some(3)})
			b.must(b.embedder(nil).CatchUp(t.Context(), nil))
			b.model.asked, b.index = 0, newIndex()
			b.put(map[string][]string{"b": some(20)})
			free := row.free
			e := b.embedder(func(o *embed.Options) {
				o.Dimensions = row.dimensions
				o.Held = func(context.Context) error {
					if free--; free < 0 {
						return money
					}
					return nil
				}
			})
			if row.dimensions == 0 {
				e.Name = "another" // whose length nobody knows
			}
			if err := e.CatchUp(t.Context(), nil); !errors.Is(err, money) || b.model.asked != row.asked || !errors.Is(e.Stopped(), money) {
				t.Errorf("%d requests, error %v, stopped by %v", b.model.asked, err, e.Stopped())
			}
			if want := 3 + 3 + 4*row.asked; row.dimensions == 2 && len(b.index.sets[m2]) != want {
				t.Errorf("%d vectors in the index, want %d", len(b.index.sets[m2]), want)
			}
			e.Held = func(context.Context) error { return nil }
			b.must(e.CatchUp(t.Context(), nil))
			if set, is := e.Live(); !is || len(b.index.sets[set]) != 23 || e.Stopped() != nil {
				t.Errorf("%d vectors afterwards, stopped by %v", len(b.index.sets[set]), e.Stopped())
			}
		})
	}
}

// A request that runs when the limit is reached ends by itself, and is kept.
func TestHeldCutsNothingOff(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(8)})
	held := make(chan struct{})
	first := true
	slow := cutOff{b.model, held}
	e := b.embedder(func(o *embed.Options) {
		o.Dimensions, o.Requests, o.Model = 2, 2, slow
		o.Held = func(context.Context) error { // called by one at a time
			if first {
				first = false
				return nil
			}
			close(held)
			return core.Errorf(core.KindBusy, "The money is gone.")
		}
	})
	if err := e.CatchUp(t.Context(), nil); core.KindOf(err) != core.KindBusy {
		t.Fatal(err)
	}
	if c := b.counts(m2); c.Embedded != 4 {
		t.Errorf("%+v", c)
	}
}

// cutOff answers once the next request was held back, unless its caller went away.
type cutOff struct {
	*model
	held chan struct{}
}

func (c cutOff) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	<-c.held
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.model.Embed(ctx, texts)
}
