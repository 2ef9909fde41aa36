package ingest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func (w *world) push(p core.Push) core.Pushed {
	w.t.Helper()
	got, err := w.sync.Push(w.t.Context(), w.src, p)
	w.check(err)
	return got
}

// outcomes are what a push said of each document.
func outcomes(p core.Pushed) map[string]core.PushOutcome {
	out := map[string]core.PushOutcome{}
	for id, d := range p.Documents {
		out[id] = d.Outcome
	}
	return out
}

func TestPushSaysWhatItDid(t *testing.T) {
	w := newWorld(t)
	file := core.Upsert{Document: core.Document{ExternalID: "f", Title: "F", Access: public, Files: []core.FileRef{{Ref: "1", Name: "f.txt", Size: 4}}}}
	missing := core.Upsert{Document: core.Document{ExternalID: "m", Title: "M", Access: public, Files: []core.FileRef{{Ref: "no", Name: "m.txt"}}}}
	files := map[string][]byte{"1": []byte("file")}
	for _, step := range []struct {
		name  string
		push  core.Push
		want  map[string]core.PushOutcome
		calls int64 // texts that were read
	}{
		{"new", core.Push{Changes: []core.Change{upsert("a", "alpha", core.Public), upsert("b", "bad", core.Public), file, core.Removal{ExternalID: "x"}}, Files: files},
			map[string]core.PushOutcome{"a": core.PushWritten, "b": core.PushFailed, "f": core.PushWritten, "x": core.PushAbsent}, 3},
		{"again", core.Push{Changes: []core.Change{upsert("a", "alpha", core.Public), file}, Files: files},
			map[string]core.PushOutcome{"a": core.PushUnchanged, "f": core.PushUnchanged}, 0},
		{"other readers", core.Push{Changes: []core.Change{upsert("a", "alpha", "user:ann@example.com")}}, map[string]core.PushOutcome{"a": core.PushAccess}, 0},
		{"what failed is tried again", core.Push{Changes: []core.Change{upsert("b", "bad", core.Public)}}, map[string]core.PushOutcome{"b": core.PushFailed}, 1},
		{"a file that is not there", core.Push{Changes: []core.Change{missing}}, map[string]core.PushOutcome{"m": core.PushFailed}, 0},
		{"deleted", core.Push{Changes: []core.Change{core.Removal{ExternalID: "f"}, upsert("b", "better", core.Public)}}, map[string]core.PushOutcome{"f": core.PushDeleted, "b": core.PushWritten}, 1},
		{"nothing", core.Push{}, map[string]core.PushOutcome{}, 0},
	} {
		before := w.words.calls.Load()
		w.diff(step.name, step.want, outcomes(w.push(step.push)))
		if got := w.words.calls.Load() - before; got != step.calls {
			t.Errorf("%s: %d texts were read, not %d", step.name, got, step.calls)
		}
		w.agree()
	}
	w.diff("texts", map[string]string{"b": "better"}, w.texts())
	w.diff("for Ann", map[string]string{"a": "alpha", "b": "better"}, w.texts("user:ann@example.com"))
}

// The listing of a push deletes like that of a connector, and as carefully; a push
// without one deletes nothing that it does not name.
func TestCompletePushes(t *testing.T) {
	w := newWorld(t)
	w.push(core.Push{Changes: pages(30)})
	w.push(core.Push{Changes: pages(5)})
	if n := len(w.texts()); n != 30 {
		t.Fatalf("%d documents after a push that was not complete", n)
	}
	if got := w.push(core.Push{Changes: pages(28), Complete: true}); got.Removed != 2 || got.Held != 0 {
		t.Fatalf("pushed %+v", got)
	}
	if got := w.push(core.Push{Changes: pages(5), Complete: true}); got.Removed != 0 || got.Held != 23 {
		t.Fatalf("pushed %+v", got)
	}
	if got := w.push(core.Push{Complete: true}); got.Held != 28 {
		t.Fatalf("pushed %+v", got)
	}
	if got := w.push(core.Push{Changes: pages(5), Complete: true, AcceptDeletes: true}); got.Removed != 23 || got.Held != 0 {
		t.Fatalf("pushed %+v", got)
	}
	w.agree()
}

// A push that breaks off is made good by sending it again, whatever of it was kept.
func TestPushThatBreaksOff(t *testing.T) {
	for after := range 3 {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		p := core.Push{Changes: pages(150)}
		p.Changes[after*70] = upsert(fmt.Sprintf("p%04d", after*70), "stop", core.Public)
		w.words.stop = cancel
		if _, err := w.sync.Push(ctx, w.src, p); core.KindOf(err) != core.KindCancelled {
			t.Fatalf("err = %v", err)
		}
		w.words.stop = nil
		w.check(w.store.Close())
		w.open()
		w.check(w.sync.Reconcile(t.Context()))
		w.push(p)
		if n := len(w.texts()); n != 150 {
			t.Fatalf("%d documents", n)
		}
		w.agree()
	}
}

// Pushes to one source follow one another and are all done.
func TestPushesAtOnce(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{}
	var all sync.WaitGroup
	for i := range 8 {
		id := fmt.Sprintf("d%d", i)
		want[id] = id
		all.Go(func() {
			got, err := w.sync.Push(t.Context(), w.src, core.Push{Changes: []core.Change{upsert(id, id, core.Public), upsert("shared", "same", core.Public)}})
			if err != nil || got.Documents[id].Outcome != core.PushWritten {
				t.Errorf("%s: %+v, %v", id, got, err)
			}
		})
	}
	all.Wait()
	want["shared"] = "same"
	w.diff("texts", want, w.texts())
	w.agree()
}

// Each push is word that the readers of the other documents are as they were, but
// one of which something was refused.
func TestPushesKeepAccessFresh(t *testing.T) {
	w := newWorld(t)
	w.push(core.Push{Changes: []core.Change{upsert("a", "alpha", "user:ann@example.com")}})
	first := w.status().AccessChecked
	w.push(core.Push{Partial: true})
	if got := w.status().AccessChecked; !got.Equal(first) {
		t.Errorf("a push of which something was refused: %v, not %v", got, first)
	}
	w.push(core.Push{})
	if got := w.status().AccessChecked; !got.After(first) {
		t.Errorf("an empty push: %v is not after %v", got, first)
	}
}

// What is too large to be read is kept by its title, until a version comes that can
// be read; a version that was read stays.
func TestWhatIsTooLargeIsKeptByItsTitle(t *testing.T) {
	w := newWorld(t)
	film := func(size int64) core.Push {
		return core.Push{Files: map[string][]byte{"f": []byte("frames")}, Changes: []core.Change{
			core.Upsert{Document: core.Document{ExternalID: "f", Title: "Film of the opening", Access: public, Files: []core.FileRef{{Ref: "f", Name: "f.txt", Size: size}}}},
		}}
	}
	got := w.push(film(200 << 20)).Documents["f"]
	if got.Outcome != core.PushWritten || got.Kind != core.KindTooLarge || got.Reason == "" {
		t.Errorf("too large: %+v", got)
	}
	w.diff("texts", map[string]string{"f": "Film of the opening"}, w.texts())
	if f := w.status().Failures; len(f) != 1 || f[0].Kind != core.KindTooLarge {
		t.Errorf("failures %+v", f)
	}
	w.push(film(6))
	w.diff("texts", map[string]string{"f": "frames"}, w.texts())
	if got := w.push(film(300 << 20)).Documents["f"]; got.Outcome != core.PushFailed {
		t.Errorf("too large again: %+v", got)
	}
	w.diff("texts", map[string]string{"f": "frames"}, w.texts())
	w.agree()
}
