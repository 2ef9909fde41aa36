package plugins_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// A host lives for months and its connectors die often: nothing of a dead one
// may stay behind.
func TestNothingIsLeftOfDeadConnectors(t *testing.T) {
	host := newHost(t, plugins.Options{})
	tmp := shortTemp(t)
	round := func() {
		c, err := host.Open(t.Context(), core.Source{Name: "s", Connector: "good"})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Sync(t.Context(), nil, core.SyncFirst, func(change core.Change) error {
			if up, ok := change.(core.Upsert); ok && up.Document.ExternalID == "pid" {
				kill(t, up.Document.Body)
			}
			return nil
		})
		if core.KindOf(err) != core.KindUnavailable && err != nil {
			t.Error(err)
		}
		c.Close()
		if _, err := host.Open(t.Context(), core.Source{Name: "s", Connector: "exits"}); err == nil {
			t.Error("a connector that exits came up")
		}
	}
	round()
	files, routines := openFDs(t), runtime.NumGoroutine()
	for range 5 {
		round()
	}
	waitFor(t, "the goroutines of dead connectors end", func() bool { return runtime.NumGoroutine() <= routines+2 })
	waitFor(t, "their files are closed", func() bool { return openFDs(t) <= files+2 })
	left(t, tmp)
}

func openFDs(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("no /dev/fd here")
	}
	return len(entries)
}
