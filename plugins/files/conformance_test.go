package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
	"github.com/footnote-bot/footnote/plugins/files"
)

// The connector is held against what the host expects of any, in real
// processes.
func TestFolderConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# One", "b.md": "# Two", "sub/c.md": "# Three", "sub/manual.pdf": "%PDF-1.4 not read here" + strings.Repeat("x", 1<<20), "sub/d.csv": "a,b\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plugintest.Run(t, plugintest.Case{
		New:    func() sdk.Source { return &files.Source{Dir: dir} },
		Touch:  func() error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("# One, changed"), 0o600) },
		Remove: func() error { return os.Remove(filepath.Join(dir, "b.md")) },
	})
}
