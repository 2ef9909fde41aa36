package agent

import (
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// What a source decided on for one reader at reading time is not known later: the
// ledger could not say whether it still may be.
func TestTurnsOnCensoredPassagesAreNotKnownLater(t *testing.T) {
	for _, row := range []struct {
		censored bool
		want     []string
	}{
		{false, []string{"crm/1"}},
		{true, []string{"/crm/1", "crm/1"}},
	} {
		turn := &turn{}
		r := core.Result{Document: core.Document{ID: "crm/1"}, Passage: core.Passage{ID: 7}, Censored: row.censored}
		turn.take(r)
		turn.take(r)
		if got := turn.used(); !slices.Equal(got, row.want) {
			t.Errorf("censored %v: used %v, want %v", row.censored, got, row.want)
		}
	}
}
