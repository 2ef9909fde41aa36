package slack

import (
	"net/http"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func grant(t *testing.T, src *Source) *hosttest.Readers {
	t.Helper()
	r := hosttest.NewReaders()
	if err := src.grants(t.Context(), r); err != nil || !r.Whole || !r.All {
		t.Fatalf("%v, all folders %v, all groups %v", err, r.Whole, r.All)
	}
	return r
}

// newRelay stands before a Slack and adds the search, which that server lacks.
func newRelay(t testing.TB, w *world) *hosttest.Relay {
	r := hosttest.NewRelay(t, strings.TrimSuffix(w.srv.URL(), "/api/"), "/api/",
		hosttest.Fault(http.StatusTooManyRequests, "", "Retry-After", "30"),
		hosttest.Fault(http.StatusOK, `{"ok":false,"error":"internal_error"}`), hosttest.Fault(http.StatusOK, `{}`))
	r.Answer = func(rw http.ResponseWriter, req *http.Request, method string) bool {
		if method != "search.messages" {
			return false
		}
		_, _ = rw.Write([]byte(w.search.Load().(func(string) string)(req.FormValue("query"))))
		return true
	}
	return r
}

// start makes a source of a server, in a process of its own as it were. Requests
// are not tried again, so that nothing waits.
func start(t testing.TB, srv *slacktest.Server, address, dir string, src Source) *Source {
	t.Helper()
	src.Token, src.ApiURL, src.now = slacktest.BotToken, address, srv.Clock().Now
	idle := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(idle.CloseIdleConnections)
	src.bare = idle
	if err := src.Start(t.Context(), &sdk.Env{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return &src
}
