package index

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// keptDocuments all say the same word.
func keptDocuments(kind string, n, first int) (out []core.IndexedDocument) {
	for i := range n {
		out = append(out, core.IndexedDocument{
			Facts: core.Facts{Document: fmt.Sprintf("%s/%d", kind, i), Source: "s", Access: core.NewAccess(core.Public)},
			Passages: []core.Passage{{
				ID: core.PassageID(first + i), Text: fmt.Sprintf("The walrus of %s number %d rests.", kind, i),
			}},
		})
	}
	return out
}

func openKept(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(t.Context(), dir, Options{Install: "a"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return x
}

// TestGiveBackBesideMerges gives pages back all the time while segments come, are merged
// and go: searches find all that was there before, and each write once it is made.
func TestGiveBackBesideMerges(t *testing.T) {
	x := openKept(t, t.TempDir())
	const still, moving = 20, 5
	if err := x.Put(t.Context(), keptDocuments("still", still, 1)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var beside sync.WaitGroup
	again := func(work func() error) {
		beside.Go(func() {
			for !t.Failed() {
				if err := work(); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	find := func() (int, error) {
		hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Limit: 1000})
		return len(hits), err
	}
	again(func() error {
		if !canGiveBack {
			return nil
		}
		return x.giveBack()
	})
	again(func() error {
		n, err := find()
		if err == nil && n < still {
			err = fmt.Errorf("%d of %d passages are found", n, still)
		}
		return err
	})
	for i := range 16 {
		if err := x.Put(t.Context(), keptDocuments(fmt.Sprintf("moving%d", i), moving, 1000+moving*i)); err != nil {
			t.Fatal(err)
		}
		if n, err := find(); err != nil || n != still+moving*(i+1) {
			t.Fatalf("after write %d: %d passages, %v", i, n, err)
		}
	}
	close(done)
	beside.Wait()
}

// TestKeeperWaitsForQuiet holds when pages are given back, on a clock of the test's own.
func TestKeeperWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, k := newPace(), newKeeper()
		var given atomic.Int32
		var full atomic.Bool
		go k.run(p, full.Load, func() { given.Add(1) })
		pass := func(d time.Duration) int32 {
			before := given.Load()
			time.Sleep(d)
			synctest.Wait()
			return given.Load() - before
		}
		if n := pass(firstLook); n != 1 {
			t.Errorf("after the index was opened: %d times", n)
		}
		full.Store(true)
		p.ask()()
		if n := pass(lookBusy); n != 1 {
			t.Errorf("a moment after searches began, and too much is held: %d times", n)
		}
		full.Store(false)
		done := p.ask()
		if n := pass(2 * leftForGood); n != 0 {
			t.Errorf("while somebody searches: %d times", n)
		}
		full.Store(true)
		if n := pass(3 * lookBusy); n != 3 {
			t.Errorf("while somebody searches and too much is held: %d times", n)
		}
		full.Store(false)
		done()
		if n := pass(leftForGood); n != 0 {
			t.Errorf("while the search is not long ago: %d times", n)
		}
		if n := pass(lookEvery); n != 1 {
			t.Errorf("when nobody has searched for long: %d times", n)
		}
		k.stop()
		if n := pass(leftForGood); n != 0 {
			t.Errorf("after its end: %d times", n)
		}
	})
}

// TestCloseEndsKeeper looks for what waits no more.
func TestCloseEndsKeeper(t *testing.T) {
	x := openKept(t, t.TempDir())
	if (x.keeper != nil) != canGiveBack {
		t.Fatalf("keeper %v where pages can be given back: %v", x.keeper, canGiveBack)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x.keeper == nil {
		return
	}
	select {
	case <-x.keeper.ended:
	default:
		t.Error("the keeper goes on after Close")
	}
}
