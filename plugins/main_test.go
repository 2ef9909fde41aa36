package plugins_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// The test binary is also the connectors (serve-plugin NAME) and, for the test
// of a host that is killed, a host (act-as-host DIR).
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "serve-plugin":
			serveConnector(os.Args[2])
			os.Exit(0)
		case "act-as-host":
			actAsHost(os.Args[2])
		case "serve-installed":
			serveInstalled(os.Args[2], os.Args[3])
			os.Exit(0)
		case "act-as-bare-server":
			actAsBareServer(os.Args[2], os.Args[3])
		}
	}
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// quickEnd is what a program with the race detector needs in its environment not to
// wait a second before it ends.
const quickEnd = "GORACE=atexit_sleep_ms=0"

// serving starts this binary as a connector, with the process id that it was started
// with.
func serving(connector string) (string, []string, error) {
	exe, err := os.Executable()
	return "/usr/bin/env", []string{quickEnd, exe, "serve-plugin", connector}, err
}

// patience is for what has to happen: a machine may stand still for seconds.
const patience = 2 * time.Minute

// newHost makes a host of the connectors of this binary. What is not said otherwise
// may take its time.
func newHost(t testing.TB, o plugins.Options) *plugins.Host {
	t.Helper()
	if o.Command == nil {
		o.Command = serving
	}
	o.Dir = cmp.Or(o.Dir, t.TempDir())
	o.StartTimeout, o.CallTimeout = cmp.Or(o.StartTimeout, patience), cmp.Or(o.CallTimeout, patience)
	o.SearchTimeout, o.CensorTimeout = cmp.Or(o.SearchTimeout, patience), cmp.Or(o.CensorTimeout, patience)
	return plugins.NewHost(o)
}

// shortTemp makes a folder that connectors and their hosts use for what is temporary,
// and whose path is short enough for a socket.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fnt-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// left fails the test if anything lies in the folder.
func left(t *testing.T, dir string) {
	t.Helper()
	if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) > 0 {
		t.Errorf("left in the temporary folder: %v %v", found, err)
	}
}

func actAsHost(dir string) {
	host := plugins.NewHost(plugins.Options{Command: serving, Dir: dir})
	c, err := host.Open(context.Background(), core.Source{Name: "s", Connector: "talks"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	err = c.Sync(context.Background(), nil, core.SyncFirst, func(change core.Change) error {
		if up, ok := change.(core.Upsert); ok && up.Document.ExternalID == "pid" {
			fmt.Println(up.Document.Body)
		}
		return nil
	})
	fmt.Fprintln(os.Stderr, err)
	time.Sleep(time.Hour)
}

type opened struct {
	*plugins.Connection
	log *logged
}

// open starts a connector of this binary for the length of the test.
func open(t *testing.T, connector, config string) opened {
	t.Helper()
	c, log, err := tryOpen(t, connector, config)
	if err != nil {
		t.Fatalf("open %s: %v", connector, err)
	}
	return opened{c, log}
}

func tryOpen(t *testing.T, connector, config string) (*plugins.Connection, *logged, error) {
	t.Helper()
	log := &logged{}
	c, err := newHost(t, plugins.Options{Log: slogTo(log)}).Open(t.Context(), core.Source{Name: "s", Connector: connector, Config: []byte(config)})
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, log, err
}

// collect syncs and returns all changes.
func collect(t *testing.T, c *plugins.Connection) ([]core.Change, error) {
	t.Helper()
	var out []core.Change
	err := c.Sync(t.Context(), nil, core.SyncFirst, func(change core.Change) error {
		out = append(out, change)
		return nil
	})
	return out, err
}
