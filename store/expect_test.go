package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// TestExpectIsBothOrNone notes an event with its answer once, and nothing of it
// where one of the two cannot be written.
func TestExpectIsBothOrNone(t *testing.T) {
	s := open(t, t.TempDir())
	p := core.Posted{ID: "a", TurnID: "a", Platform: "slack", Place: "slack:T1/C1", Account: "slack:T1/U1", Open: true, Updated: time.Now()}
	if first, err := s.Expect(t.Context(), "slack:T1/C1/1", p.Updated, func() core.Posted { return p }); !first || err != nil {
		t.Fatalf("first: %v, %v", first, err)
	}
	again := p
	again.ID = "b"
	if first, err := s.Expect(t.Context(), "slack:T1/C1/1", p.Updated, func() core.Posted { return again }); first || err != nil {
		t.Fatalf("again: %v, %v", first, err)
	}
	if open, err := s.Unfinished(t.Context(), "slack"); err != nil || len(open) != 1 || open[0].ID != "a" {
		t.Errorf("unfinished: %v, %v", open, err)
	}
}
