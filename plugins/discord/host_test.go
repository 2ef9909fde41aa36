package discord

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
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

// newRelay stands before a Discord and marks a channel as age-restricted.
func newRelay(t testing.TB, w *world) *hosttest.Relay {
	r := hosttest.NewRelay(t, strings.TrimSuffix(w.srv.APIURL(), "/api"), "/api/v9/",
		hosttest.Fault(http.StatusTooManyRequests, `{"message":"You are being rate limited.","retry_after":30.5,"global":false}`),
		hosttest.Fault(http.StatusOK, `{"message":"500: Internal Server Error","code":0}`), hosttest.Fault(http.StatusOK, `null`))
	r.Proxy.ModifyResponse = func(resp *http.Response) error {
		if w.age == "" || !strings.HasSuffix(resp.Request.URL.Path, "/channels") {
			return nil
		}
		var list []map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
			return err
		}
		for _, c := range list {
			c["nsfw"] = c["id"] == w.age
		}
		body, err := json.Marshal(list)
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
	return r
}

// start makes a source of a server, in a process of its own as it were. Requests
// are not tried again, so that nothing waits.
func start(t testing.TB, srv *discordtest.Server, address, dir string, src Source) *Source {
	t.Helper()
	src.Token, src.ApiURL, src.now = discordtest.Token, address, srv.Clock().Now
	idle := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(idle.CloseIdleConnections)
	src.bare = idle
	if err := src.Start(t.Context(), &sdk.Env{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return &src
}
