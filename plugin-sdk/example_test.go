package sdk_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

type notes struct {
	Dir string `required:"true" help:"folder that holds the notes"`
}

func (n *notes) Sync(_ context.Context, since sdk.Cursor, out *sdk.Out) error {
	started, last := time.Now(), since.Time()
	err := filepath.WalkDir(n.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil || info.ModTime().Before(last) {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return out.Failed(path, err)
		}
		return out.Document(sdk.Document{
			ID: path, Title: e.Name(), Body: string(body), Updated: info.ModTime(), Access: sdk.Workspace,
		})
	})
	if err != nil {
		return err
	}
	return out.Checkpoint(sdk.TimeCursor(started))
}

// A whole connector: a struct, its Sync and one line of main.
func ExampleServe() {
	sdk.Serve("notes", "0.1.0", func() sdk.Source { return new(notes) })
}
