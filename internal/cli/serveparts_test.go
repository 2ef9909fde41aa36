package cli

import "testing"

// As many turns run as the operator lets the model take calls.
func TestTurnsAtOnce(t *testing.T) {
	t.Parallel()
	for calls, want := range map[int]int{0: 64, 8: 64, 200: 200, -1: 1024, 5000: 1024} {
		if got := turnsAtOnce(calls); got != want {
			t.Errorf("%d model calls: %d turns, want %d", calls, got, want)
		}
	}
}
