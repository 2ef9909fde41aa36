package embed_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/embed"
)

var m2 = core.VectorSet{Model: "m", Dimensions: 2}

func TestEveryTextIsPaidOnce(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(9), "b": {"text number 3", "another"}})
	e := b.embedder(nil)
	b.must(e.CatchUp(t.Context(), nil))
	if live, is := e.Live(); !is || live != m2 || b.index.use != m2 || len(b.index.sets[m2]) != 11 {
		t.Fatalf("live %v %v, the index uses %v with %d vectors", live, is, b.index.use, len(b.index.sets[m2]))
	}
	paid := slices.Sorted(slices.Values(b.model.paid))
	if len(paid) != 11 || len(slices.Compact(paid)) != 11 || !slices.Contains(paid, "footnote") { // ten texts and the one that told the length
		t.Errorf("paid for %q", paid)
	}
	// The same text elsewhere, and again.
	b.put(map[string][]string{"a": some(9), "c": {"another", "text number 1"}})
	b.must(e.CatchUp(t.Context(), nil))
	if len(b.model.paid) != 11 {
		t.Errorf("paid again: %q", b.model.paid[11:])
	}
	for _, id := range []string{"docs/a", "docs/c"} {
		found, err := b.store.Around(t.Context(), core.Filter{Bypass: true}, []core.Window{{Document: id, To: 99}})
		b.must(err)
		for _, r := range found[0] {
			if b.index.sets[m2][r.Passage.ID] == nil {
				t.Errorf("passage %d of %s has no vector in the index", r.Passage.ID, id)
			}
		}
	}
}

// Vectors that the index loses while it is open come back without a restart and
// without being paid again, also those of the set in use while another one is made.
func TestWhatTheIndexLosesComesBack(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(300)})
	e := b.embedder(nil)
	b.must(e.CatchUp(t.Context(), nil))
	lose := func(of *embed.Embedder) {
		delete(b.index.sets, m2)
		of.Lost()
		paid := len(b.model.paid)
		_ = of.CatchUp(t.Context(), nil)
		if n := len(b.index.sets[m2]); n != 300 || len(b.model.paid) != paid {
			t.Errorf("%d vectors came back and %d texts were paid again", n, len(b.model.paid)-paid)
		}
	}
	lose(e)
	lose(e)
	next := b.embedder(func(o *embed.Options) { o.Name, o.Dimensions = "n", 2 })
	b.must(next.Restore(t.Context()))
	b.model.fail = down
	lose(next)
}

// damagedLedger gives a vector of zeros, and one that is too short.
type damagedLedger struct{ embed.Ledger }

func (d damagedLedger) PassageVectors(ctx context.Context, set core.VectorSet, ids []core.PassageID) ([]core.PassageVector, error) {
	out, err := d.Ledger.PassageVectors(ctx, set, ids)
	for i := range out {
		switch out[i].Passage {
		case 2:
			out[i].Vector = make([]float32, set.Dimensions)
		case 3:
			out[i].Vector = out[i].Vector[:1]
		}
	}
	return out, err
}

func TestDamagedVectorsOfTheLedgerArePassedOver(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(9)})
	b.must(b.embedder(nil).CatchUp(t.Context(), nil))
	b.index = newIndex()
	e := b.embedder(func(o *embed.Options) { o.Ledger = damagedLedger{b.store} })
	b.must(e.Restore(t.Context()))
	b.must(e.CatchUp(t.Context(), nil))
	if has := b.index.sets[m2]; len(has) != 7 || has[2] != nil || has[3] != nil {
		t.Errorf("%d vectors in the index, want all but the damaged ones", len(has))
	}
}

// A crash at any point costs the requests that were running and nothing else.
func TestCrashAtAnyPoint(t *testing.T) {
	for _, stop := range []int{0, 1, 3, 5} {
		b := newBench(t)
		b.put(map[string][]string{"a": some(20)})
		ctx, cancel := context.WithCancel(t.Context())
		b.model.fail = func([]string) error {
			if b.model.asked > stop {
				cancel()
				return context.Canceled
			}
			return nil
		}
		_ = b.embedder(nil).CatchUp(ctx, nil)
		cancel()
		b.model.fail = nil
		e := b.embedder(nil) // as after a restart, with an index that keeps what it has
		b.must(e.Restore(t.Context()))
		b.must(e.CatchUp(t.Context(), nil))
		texts := slices.DeleteFunc(slices.Clone(b.model.paid), func(s string) bool { return s == "footnote" })
		if len(texts) != 20 || b.counts(m2).Embedded != 20 || len(b.index.sets[m2]) != 20 {
			t.Errorf("stopped after %d requests: paid for %d texts, %+v, %d in the index", stop, len(texts), b.counts(m2), len(b.index.sets[m2]))
		}
	}
}

func TestAnEmptyIndexIsFilledFromTheLedger(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(600)})
	b.must(b.embedder(nil).CatchUp(t.Context(), nil))
	paid := len(b.model.paid)
	b.index = newIndex()
	e := b.embedder(nil)
	b.must(e.Restore(t.Context()))
	if live, is := e.Live(); !is || live != m2 || len(b.index.sets[m2]) != 600 || b.index.use != m2 {
		t.Errorf("live %v %v, %d vectors", live, is, len(b.index.sets[m2]))
	}
	// Single ones come with the next look.
	delete(b.index.sets[m2], slices.Min(slices.Collect(keysOf(b.index.sets[m2]))))
	puts := b.index.puts
	b.must(e.CatchUp(t.Context(), nil))
	if len(b.index.sets[m2]) != 600 || b.index.puts != puts+1 || len(b.model.paid) != paid {
		t.Errorf("%d vectors, %d puts, paid for %d more", len(b.index.sets[m2]), b.index.puts-puts, len(b.model.paid)-paid)
	}
	// What is lost later comes when somebody says so.
	delete(b.index.sets[m2], slices.Min(slices.Collect(keysOf(b.index.sets[m2]))))
	b.must(e.Recheck(t.Context()))
	b.must(e.CatchUp(t.Context(), nil))
	if len(b.index.sets[m2]) != 600 {
		t.Errorf("%d vectors after a recheck", len(b.index.sets[m2]))
	}
	// Without a model they are off, and kept.
	none := b.embedder(func(o *embed.Options) { o.Model = nil })
	b.must(none.Restore(t.Context()))
	b.must(none.CatchUp(t.Context(), nil))
	if _, is := none.Live(); is || b.index.use != (core.VectorSet{}) || b.counts(m2).Embedded != 600 {
		t.Error("vectors are on without a model, or gone from the ledger")
	}
}

func TestARefusedTextIsParkedAlone(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": append(some(9), "poison", strings.Repeat("long ", 300), "short but long")})
	b.model.fail = func(texts []string) error {
		for _, text := range texts {
			if len(text) > 900 {
				return core.Errorf(core.KindTooLarge, "the text is too long")
			}
		}
		return refusing(core.KindInvalid, "poison")(texts)
	}
	e := b.embedder(nil)
	b.must(e.CatchUp(t.Context(), nil))
	want := core.VectorCounts{Passages: 12, Embedded: 11, Refused: 1, Reason: "the model does not take poison"}
	if got := b.counts(m2); got != want {
		t.Errorf("got %+v", got)
	}
	asked := b.model.asked
	b.must(e.CatchUp(t.Context(), nil))
	if b.model.asked != asked {
		t.Error("the refused text is tried again at once")
	}
}

// What is wrong with all texts is not the text's fault: nothing is parked.
func TestWhatFailsForAllParksNothing(t *testing.T) {
	nan := func(m *model) {
		m.fail = func([]string) error { return core.Errorf(core.KindUnavailable, "a vector with NaN") }
	}
	for name, row := range map[string]struct {
		spoil func(*model)
		kind  core.Kind
	}{
		"busy":       {func(m *model) { m.fail = down }, core.KindBusy},
		"bad wire":   {func(m *model) { m.fail = refusing(core.KindInvalid, "") }, core.KindInvalid},
		"no key":     {func(m *model) { m.fail = refusing(core.KindAuth, "") }, core.KindAuth},
		"NaN":        {nan, core.KindUnavailable},
		"dimensions": {func(m *model) { m.dimensions = 3 }, core.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.put(map[string][]string{"a": some(6)})
			var told []error
			e := b.embedder(func(o *embed.Options) {
				o.Dimensions = 2
				o.Trouble = func(_ context.Context, err error) { told = append(told, err) }
			})
			row.spoil(b.model)
			for range 2 {
				if err := e.CatchUp(t.Context(), nil); core.KindOf(err) != row.kind {
					t.Errorf("got %v", err)
				}
			}
			if _, is := e.Live(); is || e.Stopped() == nil || len(told) != 1 {
				t.Errorf("live %v, stopped by %v, told %v", is, e.Stopped(), told)
			}
			if got, want := b.counts(m2), (core.VectorCounts{Passages: 6}); got != want {
				t.Errorf("got %+v", got)
			}
			b.model.fail, b.model.dimensions = nil, 2
			b.must(e.CatchUp(t.Context(), nil))
			if _, is := e.Live(); !is || e.Stopped() != nil || len(told) != 2 || told[1] != nil {
				t.Errorf("live %v, stopped by %v, told %v", is, e.Stopped(), told)
			}
		})
	}
}

func TestVectorsThatAreNoneAreRefused(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": {"one"}})
	for name, v := range map[string][]float32{"NaN": {1, float32(math.NaN())}, "endless": {1, float32(math.Inf(1))}} {
		e := b.embedder(func(o *embed.Options) { o.Dimensions, o.Model = 2, always(v) })
		if err := e.CatchUp(t.Context(), nil); core.KindOf(err) != core.KindUnavailable {
			t.Errorf("%s: got %v", name, err)
		}
	}
	b.must(b.embedder(func(o *embed.Options) { o.Dimensions, o.Model = 2, always{0, 0} }).CatchUp(t.Context(), nil))
	if got := b.counts(m2); got.Refused != 1 {
		t.Errorf("a vector of zeros: %+v", got)
	}
}

// always gives the same vector.
type always []float32

func (a always) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{a}, len(texts)), nil
}

func TestANewModelTakesOverWhenComplete(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(10)})
	b.must(b.embedder(nil).CatchUp(t.Context(), nil))
	other := &model{dimensions: 3, fail: refusing(core.KindBusy, "number 7")}
	n3 := core.VectorSet{Model: "n", Dimensions: 3}
	change := func(o *embed.Options) { o.Model, o.Name = other, "n" }
	e := b.embedder(change)
	b.must(e.Restore(t.Context()))
	if err := e.CatchUp(t.Context(), nil); core.KindOf(err) != core.KindBusy {
		t.Fatal(err)
	}
	if live, _ := e.Live(); live != m2 || b.index.use != m2 || len(b.index.sets[n3]) == 0 {
		t.Errorf("half way: live %v, in use %v, %d of the new", live, b.index.use, len(b.index.sets[n3]))
	}
	// A restart in between changes nothing.
	e = b.embedder(change)
	b.must(e.Restore(t.Context()))
	if len(b.index.sets[n3]) == 0 {
		t.Error("what was built is dropped by a restart")
	}
	// The index fails in the middle of the change: nobody searches by vector until it is done.
	other.fail, b.index.fail = nil, errors.New("disk")
	if err := e.CatchUp(t.Context(), nil); err == nil {
		t.Fatal("the failure of the index is lost")
	}
	if live, is := e.Live(); is {
		t.Errorf("live in the middle: %v", live)
	}
	e = b.embedder(change)
	b.must(e.Restore(t.Context()))
	b.must(e.CatchUp(t.Context(), nil))
	if live, _ := e.Live(); live != n3 || b.index.use != n3 || b.index.sets[m2] != nil || len(b.index.sets[n3]) != 10 {
		t.Errorf("live %v, in use %v, %d of the old, %d of the new", live, b.index.use, len(b.index.sets[m2]), len(b.index.sets[n3]))
	}
	// The old model again within a week costs nothing.
	paid := len(b.model.paid)
	e = b.embedder(nil)
	b.must(e.Restore(t.Context()))
	b.must(e.CatchUp(t.Context(), nil))
	if live, _ := e.Live(); live != m2 || len(b.model.paid) != paid {
		t.Errorf("live %v, paid for %d more", live, len(b.model.paid)-paid)
	}
}

// The worker rests where the model fails, goes on by itself, and wakes on a kick.
func TestRunRestsAndGoesOn(t *testing.T) {
	b := newBench(t)
	b.put(map[string][]string{"a": some(3)})
	b.model.fail = down
	var waits []time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	idle, done := make(chan struct{}, 1), make(chan struct{})
	e := b.embedder(func(o *embed.Options) {
		o.Dimensions = 2
		o.Pause = func(ctx context.Context, d time.Duration) error {
			if waits = append(waits, d); len(waits) < 4 {
				return nil
			}
			if len(waits) == 4 {
				b.model.mu.Lock()
				b.model.fail = nil
				b.model.mu.Unlock()
				return nil
			}
			idle <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
	})
	go func() { e.Run(ctx); close(done) }()
	<-idle
	if want := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute}; !slices.Equal(waits, want) {
		t.Errorf("waited %v", waits)
	}
	b.put(map[string][]string{"b": {"new"}})
	e.Kick()
	<-idle
	if got := b.counts(m2); got.Waiting() != 0 || got.Passages != 4 {
		t.Errorf("after a kick: %+v", got)
	}
	cancel()
	<-done
}
