package plugins_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// A host lives for months and its connectors die often: nothing of a dead one
// may stay behind.
func TestNothingIsLeftOfDeadConnectors(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	host := plugins.NewHost(plugins.Options{Executable: os.Args[0], Dir: t.TempDir()})
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
	time.Sleep(10 * time.Millisecond)
	if now := openFDs(t); now > files+2 {
		t.Errorf("%d files are open, %d before", now, files)
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
}

func openFDs(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("no /dev/fd here")
	}
	return len(entries)
}
