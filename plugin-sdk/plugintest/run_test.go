package plugintest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// notes is the connector of the documentation, with a listing.
type notes struct {
	Dir   string        `required:"true" help:"folder that holds the notes"`
	Key   sdk.Secret    `help:"not needed for anything"`
	Every time.Duration `help:"not needed either"`
}

func (n *notes) Sync(_ context.Context, since sdk.Cursor, out *sdk.Out) error {
	started, last := time.Now(), since.Time()
	entries, err := os.ReadDir(n.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().Before(last) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(n.Dir, e.Name()))
		if err != nil {
			return err
		}
		if err := out.Document(sdk.Document{
			ID: e.Name(), Title: e.Name(), Body: string(body), Updated: info.ModTime(), Access: sdk.Workspace,
		}); err != nil {
			return err
		}
	}
	return out.Checkpoint(sdk.TimeCursor(started))
}

func (n *notes) List(_ context.Context, out *sdk.Listing) error {
	entries, err := os.ReadDir(n.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := out.Document(e.Name(), ""); err != nil {
			return err
		}
	}
	return nil
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		if err := write(name, "# "+name); err != nil {
			t.Fatal(err)
		}
	}
	options := plugintest.Options{SlowFor: time.Second}
	if testing.Short() {
		options.Only = []string{"start", "config", "list", "sync.first", "sync.touched"}
	}
	plugintest.Run(t, plugintest.Case{
		New:    func() sdk.Source { return &notes{Dir: dir, Key: "hunter2", Every: time.Minute} },
		Touch:  func() error { return write("b.md", "# changed") },
		Remove: func() error { return os.Remove(filepath.Join(dir, "c.md")) }, Options: options,
	})
}
