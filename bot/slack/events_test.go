package slack

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

// overHTTP is a world whose events come over HTTP.
func overHTTP(t *testing.T) (*world, *httptest.Server) {
	t.Helper()
	w := newWorld(t, func(o *Options) {
		o.Workspaces[0].AppToken, o.Workspaces[0].SigningSecret = "", slacktest.SigningSecret
	})
	w.Eventually("the bot knows itself", func() bool { return w.bot.apps[0].own().Team != "" && w.bot.apps[0].roster.fresh() })
	h := httptest.NewServer(w.bot.Handler())
	t.Cleanup(h.Close)
	return w, h
}

func TestEventsOverHTTP(t *testing.T) {
	w, h := overHTTP(t)
	w.ChangeApp(slacktest.AppID, func(a *slacktest.App) { a.EventsURL = h.URL })
	if err := w.VerifyURL(t.Context(), slacktest.AppID); err != nil {
		t.Errorf("the address cannot be verified: %v", err)
	}
	w.Mention("C1", "U1", "how many?")
	w.settled()
	w.Slash("C1", "U1", "/ask", "how many?")
	w.settled()
	(&scene{world: w}).click("U1", "C1", "Regenerate")
	w.settled()
	if n := len(w.questions()); n != 3 {
		t.Errorf("%d questions were asked, want one by a mention, one by a command, one by a button\n%s", n, w.Dump())
	}
}

func TestForgedRequestsAreRefused(t *testing.T) {
	w, h := overHTTP(t)
	body := `{"type":"url_verification","challenge":"c"}`
	for name, row := range map[string]struct {
		header http.Header
		body   string
		want   int
	}{
		"signed":         {slacktest.Sign(slacktest.SigningSecret, []byte(body), time.Now()), body, 200},
		"unsigned":       {http.Header{}, body, 401},
		"other secret":   {slacktest.Sign("0000", []byte(body), time.Now()), body, 401},
		"other body":     {slacktest.Sign(slacktest.SigningSecret, []byte(body), time.Now()), body + " ", 401},
		"old":            {slacktest.Sign(slacktest.SigningSecret, []byte(body), time.Now().Add(-6*time.Minute)), body, 401},
		"from tomorrow":  {slacktest.Sign(slacktest.SigningSecret, []byte(body), time.Now().Add(24*time.Hour)), body, 401},
		"too large":      {http.Header{}, strings.Repeat("x", largestBody+1), 413},
		"nothing inside": {slacktest.Sign(slacktest.SigningSecret, nil, time.Now()), "", 200},
	} {
		header := row.header.Clone()
		header.Set("Content-Type", "application/json")
		got, err := w.Post(t.Context(), h.URL, header, []byte(row.body))
		if err != nil || got.Status != row.want {
			t.Errorf("%s: status %d, %v; want %d", name, got.Status, err, row.want)
		}
	}
	resp, err := http.Get(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close() //nolint:errcheck // nothing is read
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", resp.StatusCode)
	}
}
