// Command notes serves a folder of text files as a Footnote source. It is the
// connector of docs/connectors.md, with the files of its own test.
package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

type notes struct {
	Dir string `required:"true" help:"folder that holds the notes"`
}

// Sync sends every note that changed.
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
			if err := out.Failed(e.Name(), err); err != nil {
				return err
			}
			continue
		}
		if err := out.Document(sdk.Document{
			ID: e.Name(), Title: e.Name(), Body: string(body), Updated: info.ModTime(), Access: sdk.Workspace,
		}); err != nil {
			return err
		}
	}
	return out.Checkpoint(sdk.TimeCursor(started))
}

func main() { sdk.Serve("notes", "0.1.0", func() sdk.Source { return new(notes) }) }
