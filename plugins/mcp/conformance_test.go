package mcp

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// The connector is held against what the host expects of any, in real processes,
// with a server of the official library.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	dir := folder(t)
	source := child(t, "server", dir)
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Command: source.Command, Env: source.Env, Token: "token-of-the-tests", TokenName: "API_TOKEN", OnlyTools: []string{"echo", "big", "notes_save"}}
		},
		Touch: func() error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("# Tea\n\nIs at five."), 0o600) },
		Remove: func() error {
			return errors.Join(os.Remove(filepath.Join(dir, "b.md")), os.WriteFile(filepath.Join(dir, ".gone-b.md"), nil, 0o600))
		},
	})
}
