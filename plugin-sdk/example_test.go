package sdk_test

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/url"
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

type tracker struct {
	URL string `required:"true" help:"address of the tracker"`
	env *sdk.Env
}

func (*tracker) Sync(context.Context, sdk.Cursor, *sdk.Out) error { return nil }

func (t *tracker) Start(_ context.Context, env *sdk.Env) error { t.env = env; return nil }

func (*tracker) Limits() []sdk.Limit { return []sdk.Limit{{Name: "api", PerSecond: 5, Burst: 10}} }

func (t *tracker) Tools() []sdk.Tool {
	return []sdk.Tool{sdk.NewTool("issue", "Reads one issue by its key, such as OPS-7.",
		func(ctx context.Context, _ sdk.Caller, in struct {
			Key string `required:"true" help:"the issue's key"`
		}) (sdk.Answer, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL+"/issues/"+url.PathEscape(in.Key), nil)
			if err != nil {
				return sdk.Answer{}, err
			}
			resp, err := t.env.HTTP("api").Do(req)
			if err != nil {
				return sdk.Answer{}, err
			}
			defer resp.Body.Close()
			if err := sdk.StatusError(resp); err != nil {
				return sdk.Answer{}, err // a 404 is told to the model
			}
			text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
			return sdk.Answer{Value: string(text)}, err
		})}
}

var (
	_ sdk.Starter = (*tracker)(nil)
	_ sdk.Limited = (*tracker)(nil)
	_ sdk.Toolbox = (*tracker)(nil)
)

// A connector with a tool that asks its system within a declared limit.
func ExampleNewTool() {
	sdk.Serve("tracker", "0.1.0", func() sdk.Source { return new(tracker) })
}

// A whole connector: a struct, its Sync and one line of main.
func ExampleServe() {
	sdk.Serve("notes", "0.1.0", func() sdk.Source { return new(notes) })
}
