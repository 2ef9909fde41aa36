package plugins_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
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

func actAsHost(dir string) {
	host := plugins.NewHost(plugins.Options{Executable: os.Args[0], Dir: dir})
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
	host := plugins.NewHost(plugins.Options{
		Executable: os.Args[0], Dir: t.TempDir(), StartTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	c, err := host.Open(t.Context(), core.Source{Name: "s", Connector: connector, Config: []byte(config)})
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
