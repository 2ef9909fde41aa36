package github

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func openDocs(h *hosttest.Host) (out []string) {
	for _, id := range hosttest.IDs(h.Docs) {
		if h.Docs[id].Access.Public {
			out = append(out, id)
		}
	}
	return out
}

// A repository that is closed while one of its documents is read, or while another
// repository is, is closed in all that is sent from then on.
func TestClosedBetweenReadingAndSending(t *testing.T) {
	server, open, other := acme(t)
	open.Collaborators = []string{"ann"}
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	src.lookEvery = 0
	server.Change(func(time.Time) { other.Visibility = "public" })
	server.Before(func(req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/comments") {
			open.Visibility, other.Visibility = "private", "private"
		}
	})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	if got := openDocs(h); len(got) > 0 || len(h.Docs) == 0 {
		t.Errorf("open to everybody: %v of %d", got, len(h.Docs))
	}
}
