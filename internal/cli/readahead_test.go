package cli

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func everyFact(t *testing.T, from interface {
	Facts(context.Context, func([]core.Facts) error) error
}) (all []core.Facts) {
	t.Helper()
	err := from.Facts(t.Context(), func(page []core.Facts) error { all = append(all, page...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What is read ahead is what the ledger says, once; whoever asks again gets what it
// says then.
func TestReadAhead(t *testing.T) {
	u := withLibrary(t)
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	want := everyFact(t, a.store)
	if len(want) == 0 {
		t.Fatal("the ledger holds nothing")
	}
	r := newReadAhead(t.Context(), a.store)
	if diff := cmp.Diff(want, everyFact(t, r)); diff != "" {
		t.Errorf("read ahead (-want +got):\n%s", diff)
	}
	if err := a.store.RemoveSource(t.Context(), want[0].Source); err != nil {
		t.Fatal(err)
	}
	if got := everyFact(t, r); len(got) >= len(want) {
		t.Errorf("%d documents after a source of them is gone, %d before", len(got), len(want))
	}
}

// Reading ends with whoever reads, also where nothing was taken.
func TestReadAheadEnds(t *testing.T) {
	u := withLibrary(t)
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	newReadAhead(t.Context(), a.store).close()
	full := errors.New("the index takes no more")
	r := newReadAhead(t.Context(), a.store)
	if err := r.Facts(t.Context(), func([]core.Facts) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	r.close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newReadAhead(ctx, a.store).Facts(t.Context(), func([]core.Facts) error { return nil }); err == nil {
		t.Error("an open that was stopped reads on")
	}
}
