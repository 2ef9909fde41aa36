package files

import (
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// The same of a repository, over HTTP and with a token.
func TestRepositoryConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	u := newUpstream(t, map[string]string{"a.md": "# One", "b.md": "# Two", "sub/c.md": "# Three", "sub/manual.pdf": "%PDF-1.4 not read here" + strings.Repeat("x", 1<<20)})
	h := u.serve(token)
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Git: h.address(), Token: token, URLTemplate: "https://git.example/{path}"}
		},
		Touch:  func() error { u.commit(map[string]string{"a.md": "# One, changed"}); return nil },
		Remove: func() error { u.commit(map[string]string{"b.md": ""}); return nil },
	})
}
