package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

// receiver is an app that takes events over HTTP as slack-go does.
type receiver struct {
	mu       sync.Mutex
	got      []string
	retries  []string
	bad      []error
	statuses []int // of the next answers; 200 when used up
	noRetry  bool
}

func (a *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	verifier, err := slack.NewSecretsVerifier(r.Header, SigningSecret)
	if err == nil {
		_, _ = verifier.Write(body)
		err = verifier.Ensure()
	}
	if err != nil {
		a.bad = append(a.bad, err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	a.retries = append(a.retries, r.Header.Get("X-Slack-Retry-Num")+r.Header.Get("X-Slack-Retry-Reason"))
	status := http.StatusOK
	if len(a.statuses) > 0 {
		status, a.statuses = a.statuses[0], a.statuses[1:]
	}
	if a.noRetry {
		w.Header().Set("X-Slack-No-Retry", "1")
	}
	a.answer(w, r, body, status)
}

func (a *receiver) answer(w http.ResponseWriter, r *http.Request, body []byte, status int) {
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	switch {
	case strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		event, err := slackevents.ParseEvent(body, slackevents.OptionNoVerifyToken())
		if err != nil {
			a.bad = append(a.bad, err)
		}
		if event.Type == slackevents.URLVerification {
			_, _ = io.WriteString(w, event.Data.(*slackevents.EventsAPIURLVerificationEvent).Challenge)
			return
		}
		a.got = append(a.got, event.InnerEvent.Type)
		w.WriteHeader(status)
	case strings.Contains(string(body), "payload="):
		cb, err := slack.InteractionCallbackParse(r)
		if err != nil {
			a.bad = append(a.bad, err)
		}
		a.got = append(a.got, string(cb.Type))
	default:
		cmd, err := slack.SlashCommandParse(r)
		if err != nil {
			a.bad = append(a.bad, err)
		}
		a.got = append(a.got, cmd.Command+" "+cmd.Text)
		_, _ = io.WriteString(w, "just a text")
	}
}

func overHTTP(t *testing.T, opts ...Option) (*Server, *slack.Client, *receiver) {
	s, client := office(t, opts...)
	app := &receiver{}
	web := httptest.NewServer(app)
	t.Cleanup(web.Close)
	s.ChangeApp(AppID, func(a *App) { a.EventsURL = web.URL })
	return s, client, app
}

func TestEventsAPI(t *testing.T) {
	s, client, app := overHTTP(t)
	if err := s.VerifyURL(short(t), AppID); err != nil {
		t.Fatal(err)
	}
	s.Mention("C1", "U1", "hello & goodbye")
	settled(t, s, s.Slash("C1", "U1", "/ask", "a b&c"))
	_, ts, err := client.PostMessage("C3", slack.MsgOptionBlocks(slack.NewActionBlock("", slack.NewButtonBlockElement("a", "v", label("Go")))))
	if err != nil {
		t.Fatal(err)
	}
	settled(t, s, s.Click("U1", "C3", ts, "Go"))
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{"app_mention", "message", "/ask a b&c", "message", "block_actions"}
	if !slices.Equal(app.got, want) || len(app.bad) > 0 {
		t.Errorf("%v %v", app.got, app.bad)
	}
	if got := s.Ephemerals("U1"); len(got) != 1 || got[0].Shown != "just a text" {
		t.Errorf("%+v", got)
	}
	_, _, err = client.StartSocketModeContext(t.Context())
	wantCode(t, err, "socket_mode_disabled")
}

func TestHTTPRetries(t *testing.T) {
	s, _, app := overHTTP(t, RetryDelays(0, 0, 0))
	app.statuses = []int{500, 503}
	s.DM("U1", "hi")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(app.retries, []string{"", "1http_error", "2http_error"}) {
		t.Errorf("%q", app.retries)
	}
	if d := s.Deliveries("message.im")[0]; !d.Acked || d.Attempts[0].Status != 500 || d.Attempts[2].Status != 200 {
		t.Errorf("%+v", d)
	}
	app.mu.Lock()
	app.statuses, app.noRetry = []int{500}, true
	app.mu.Unlock()
	s.DM("U1", "once")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if d := s.Deliveries("message.im")[1]; !d.Lost || len(d.Attempts) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestBadSignatures(t *testing.T) {
	s, _, app := overHTTP(t)
	address := ""
	s.ChangeApp(AppID, func(a *App) { address = a.EventsURL })
	body, _ := json.Marshal(map[string]any{"type": "url_verification", "challenge": "c"})
	forged := Sign("another secret", body, time.Now())
	for name, header := range map[string]http.Header{
		"stale": Sign(SigningSecret, body, time.Now().Add(-6*time.Minute)), "forged": forged, "unsigned": {},
		"for another body": Sign(SigningSecret, append(body, ' '), time.Now()),
	} {
		if got, err := s.Post(short(t), address, header, body); err != nil || got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := s.Post(short(t), address, Sign(SigningSecret, body, time.Now()), body); err != nil || got.Body != "c" {
		t.Errorf("a good one: %+v, %v", got, err)
	}
	if len(app.bad) != 4 {
		t.Errorf("%v", app.bad)
	}
}
