package situate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/situate"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// uncounted cannot keep what calls used.
type uncounted struct{ situate.Answers }

func (uncounted) CountReadingCall(context.Context, core.ReadingCall) error {
	return errors.New("the disk is full")
}

func TestACallThatIsNotCounted(t *testing.T) {
	for name, row := range map[string]struct {
		perDay, calls int
		kind          core.Kind
	}{
		"is no reason to stop":          {0, 4, ""},
		"takes its place in the limit":  {3, 3, core.KindBusy},
		"is within a limit that is far": {9, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, modeltest.Script{Think: echo})
			b.put("a", "one", "two", "three", "four")
			s := b.situator(func(o *situate.Options) { o.Answers, o.PerDay = uncounted{b.store}, row.perDay })
			err := s.CatchUp(t.Context(), nil)
			if n := len(b.server.Requests()); n != row.calls || core.KindOf(err) != row.kind {
				t.Errorf("%d calls, error %v", n, err)
			}
			if got := b.contexts()["four"]; (got == "About four") != (row.kind == "") {
				t.Errorf("context %q", got)
			}
		})
	}
}

// While something holds the work no call begins, and afterwards it goes on.
func TestHeld(t *testing.T) {
	b := newBench(t, modeltest.Script{Think: echo})
	b.put("a", "one", "two")
	held := core.Errorf(core.KindBusy, "The money is gone.")
	s := b.situator(func(o *situate.Options) { o.Held = func(context.Context) error { return held } })
	if err := s.CatchUp(t.Context(), nil); !errors.Is(err, held) || len(b.server.Requests()) != 0 {
		t.Errorf("%d calls, error %v", len(b.server.Requests()), err)
	}
	s.Held = func(context.Context) error { return nil }
	b.must(s.CatchUp(t.Context(), nil))
	if got := b.contexts()["two"]; got != "About two" {
		t.Errorf("context %q", got)
	}
}
