package plugins_test

import (
	"os"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

func TestAnotherVersionIsUsedOnceTheOldOneIsFree(t *testing.T) {
	m := newMachine(t)
	m.write("notes", program("notes", "0.1.0", "a"))
	m.must(plugins.Wanted{Ref: "./notes"})
	host := newHost(t, plugins.Options{Pin: m.Pin, Command: m.Command})
	defer host.Close()
	src := core.Source{Name: "s", Connector: "notes"}
	use := func() *plugins.Lease {
		t.Helper()
		l, err := host.Use(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first, second := use(), use()
	m.write("notes", program("notes", "0.2.0", "a"))
	m.must(plugins.Wanted{Ref: "./notes"})
	if err := host.Outdate(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	first.Close()
	err := second.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { return nil })
	if err != nil || second.About().Version != "0.1.0" {
		t.Errorf("what is under way: %v of %s", err, second.About().Version)
	}
	second.Close()
	<-second.Done()
	third := use()
	if v := third.About().Version; v != "0.2.0" {
		t.Errorf("the next use is of %s", v)
	}
	third.Close()

	// Nobody uses it: it ends at once.
	if err := host.Outdate(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	if again := use(); again.Connection != third.Connection {
		t.Error("another connector's program has nothing to do with it")
	} else {
		again.Close()
	}
	if err := host.Outdate(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-third.Done():
	default:
		t.Error("it still runs")
	}
}

func TestAnotherProgramEndsTheRest(t *testing.T) {
	m := newMachine(t)
	m.write("notes", program("notes", "0.1.0", "a"))
	l := m.must(plugins.Wanted{Ref: "./notes"})
	if err := os.WriteFile(m.Program(l), program("notes", "0.1.0", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	host := newHost(t, plugins.Options{Pin: m.Pin, Command: m.Command})
	defer host.Close()
	src := core.Source{Name: "s", Connector: "notes"}
	for range 2 {
		_, err := host.Use(t.Context(), src)
		wantError(t, err, core.KindConfig, "changed or replaced")
	}
	m.must(plugins.Wanted{Ref: "./notes"})
	if _, err := host.Use(t.Context(), src); err == nil {
		t.Fatal("it was parked, and nobody has said that the program is another")
	}
	if err := host.Outdate(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	use, err := host.Use(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	use.Close()
}
