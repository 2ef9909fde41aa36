package sdk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// answers is a transport that answers from a list, over and over the last.
type answers struct {
	mu    sync.Mutex
	list  []any // status, *http.Response or error
	seen  []*http.Request
	times []time.Time
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Header.Set("X-Body", string(data))
	}
	next := a.list[min(len(a.seen), len(a.list)-1)]
	a.seen, a.times = append(a.seen, req), append(a.times, time.Now())
	switch n := next.(type) {
	case error:
		return nil, n
	case func() *http.Response:
		return n(), nil
	case int:
		return answer(n), nil
	}
	return nil, errors.New("unknown answer")
}

func answer(status int, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("body"))}
	for i := 0; i+1 < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

func slowDown(status int, after string) func() *http.Response {
	return func() *http.Response { return answer(status, "Retry-After", after) }
}

func TestRetries(t *testing.T) {
	broken := errors.New("connection reset")
	for name, row := range map[string]struct {
		method, body, key string
		answers           []any
		status, sent      int
		least, most       time.Duration
	}{
		"fine":                         {answers: []any{200}, status: 200, sent: 1},
		"twice broken inside":          {answers: []any{500, 500, 200}, status: 200, sent: 3, least: 500 * time.Millisecond, most: 3 * time.Second},
		"for ever":                     {answers: []any{503}, status: 503, sent: 4, least: 1500 * time.Millisecond, most: 6 * time.Second},
		"network":                      {answers: []any{broken, 200}, status: 200, sent: 2, most: time.Second},
		"network for ever":             {answers: []any{broken}, sent: 4, most: 6 * time.Second},
		"wrong request":                {answers: []any{400}, status: 400, sent: 1},
		"not found":                    {answers: []any{404}, status: 404, sent: 1},
		"refused":                      {answers: []any{401}, status: 401, sent: 1},
		"slow down in seconds":         {answers: []any{slowDown(429, "7"), 200}, status: 200, sent: 2, least: 7 * time.Second, most: 8 * time.Second},
		"slow down, too long":          {answers: []any{slowDown(429, "3600"), 200}, status: 429, sent: 1},
		"unavailable for a while":      {answers: []any{slowDown(503, "20"), 200}, status: 200, sent: 2, least: 20 * time.Second, most: 21 * time.Second},
		"nonsense to wait":             {answers: []any{slowDown(429, "soon"), 200}, status: 200, sent: 2, most: time.Second},
		"a write":                      {method: "POST", body: "x", answers: []any{500, 200}, status: 500, sent: 1},
		"a write that may be twice":    {method: "POST", body: "x", key: "k1", answers: []any{500, 200}, status: 200, sent: 2, most: time.Second},
		"a write that replaces":        {method: "PUT", body: "x", answers: []any{502, 200}, status: 200, sent: 2, most: time.Second},
		"refused by the connector":     {answers: []any{Denied(errors.New("private address"))}, sent: 1},
		"gateway that does not answer": {answers: []any{504, 200}, status: 200, sent: 2, most: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base, env := &answers{list: row.answers}, &Env{}
				client := http.Client{Transport: env.Transport("api", base)}
				var body io.Reader
				if row.body != "" {
					body = strings.NewReader(row.body)
				}
				req, err := http.NewRequestWithContext(t.Context(), row.method, "https://api.example/x?key=secret", body)
				if err != nil {
					t.Fatal(err)
				}
				if row.key != "" {
					req.Header.Set("Idempotency-Key", row.key)
				}
				start := time.Now()
				resp, err := client.Do(req)
				if (err != nil) != (row.status == 0) || err == nil && resp.StatusCode != row.status {
					t.Fatalf("%v %v", resp, err)
				}
				took := time.Since(start)
				if len(base.seen) != row.sent || took < row.least || took > row.most {
					t.Errorf("sent %d times in %v", len(base.seen), took)
				}
				for i, r := range base.seen {
					if got := r.Header.Get("X-Body"); got != row.body {
						t.Errorf("attempt %d has the body %q", i, got)
					}
				}
				if c := env.Counts("api"); c.Requests != int64(row.sent) || c.Retries != int64(row.sent-1) || c.Waited > took {
					t.Errorf("%+v", c)
				}
			})
		})
	}
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, base := &Env{}, &answers{list: []any{200}}
		env.declare([]Limit{{Name: "api", PerSecond: 2, Burst: 3}})
		start := time.Now()
		var wg sync.WaitGroup
		for range 11 { // from two clients of one name
			client := http.Client{Transport: env.Transport("api", base)}
			wg.Go(func() {
				if _, err := client.Get("https://api.example/"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i, at := range base.times {
			want := time.Duration(max(0, i-2)) * 500 * time.Millisecond
			if got := at.Sub(start); got < want-time.Millisecond || got > want+time.Millisecond {
				t.Errorf("request %d after %v, want %v", i, got, want)
			}
		}
	})
}

// One goroutine that is told to slow down holds the others back too.
func TestPausesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, base := &Env{}, &answers{list: []any{slowDown(429, "30"), 200}}
		client := http.Client{Transport: env.Transport("api", base)}
		var wg sync.WaitGroup
		start := time.Now()
		wg.Go(func() { client.Get("https://api.example/") })
		synctest.Wait()
		wg.Go(func() {
			if _, err := client.Get("https://api.example/"); err != nil || time.Since(start) < 30*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		})
		wg.Wait()
		base.list = []any{slowDown(429, "7200")}
		resp, err := client.Get("https://api.example/")
		if err != nil || KindOf(StatusError(resp)) != "busy" {
			t.Errorf("%v %v", resp, err)
		}
		_, err = client.Get("https://api.example/") // nothing is sent for two hours
		var busy *Error
		if sent := len(base.seen); KindOf(err) != "busy" || !errors.As(err, &busy) || busy.after < 7100*time.Second || sent != 4 {
			t.Errorf("%d sent: %v", sent, err)
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, base := &Env{}, &answers{list: []any{slowDown(429, "40"), 200}}
		client := http.Client{Transport: env.Transport("api", base)}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "GET", "https://api.example/", nil)
		start := time.Now()
		resp, err := client.Do(req)
		if err != nil || resp.StatusCode != 429 || time.Since(start) > time.Second {
			t.Errorf("a pause beyond the deadline: %v %v after %v", resp, err, time.Since(start))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		req, _ = http.NewRequestWithContext(ctx, "GET", "https://api.example/", nil)
		if _, err := client.Do(req); !errors.Is(err, context.Canceled) || len(base.seen) != 1 {
			t.Errorf("%v", err)
		}
	})
}

type closing struct {
	io.Reader
	closed *bool
}

func (c closing) Close() error { *c.closed = true; return nil }

func TestBodyIsClosedWhenNothingIsSent(t *testing.T) {
	env, closed := &Env{}, false
	env.shared("api").limiter.pause(time.Now().Add(time.Hour))
	req, err := http.NewRequestWithContext(t.Context(), "POST", "https://api.example/", closing{strings.NewReader("x"), &closed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = env.HTTP("api").Do(req); KindOf(err) != "busy" || !closed {
		t.Errorf("closed %v: %v", closed, err)
	}
}

func TestTokensGoToTheirHostsOnly(t *testing.T) {
	for url, gets := range map[string]bool{
		"https://api.example/x":          true,
		"https://API.example:443/x":      true,
		"https://api.example:8443/x":     false,
		"http://api.example/x":           false,
		"https://api.example.evil.com/x": false,
		"https://cdn.example/x":          false,
		"http://127.0.0.1:8080/x":        true,
		"http://127.0.0.1:8081/x":        false,
	} {
		env, base := &Env{}, &answers{list: []any{200}}
		env.renew(&wire.Token{AccessToken: "t1"})
		client := http.Client{Transport: env.Transport("api", base, "api.example", "127.0.0.1:8080")}
		if _, err := client.Get(url); err != nil {
			t.Fatal(err)
		}
		if got := base.seen[0].Header.Get("Authorization"); (got == "Bearer t1") != gets || !gets && got != "" {
			t.Errorf("%s: %q", url, got)
		}
	}
}

func TestTokenDoesNotFollowARedirect(t *testing.T) {
	var got []string
	foreign := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, "foreign:"+r.Header.Get("Authorization"))
	}))
	defer foreign.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, "home:"+r.Header.Get("Authorization"))
		http.Redirect(w, r, foreign.URL, http.StatusFound)
	}))
	defer home.Close()
	env := &Env{}
	env.renew(&wire.Token{AccessToken: "t1"})
	resp, err := env.HTTP("api", strings.TrimPrefix(home.URL, "http://")).Get(home.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if strings.Join(got, " ") != "home:Bearer t1 foreign:" {
		t.Errorf("%q", got)
	}
}

func TestRenewedTokenIsTriedAtOnce(t *testing.T) {
	env := &Env{}
	env.renew(&wire.Token{AccessToken: "old"})
	base := &answers{list: []any{func() *http.Response {
		env.renew(&wire.Token{AccessToken: "new"}) // the host is a moment late
		return answer(401)
	}, 200}}
	client := http.Client{Transport: env.Transport("api", base, "api.example")}
	resp, err := client.Get("https://api.example/")
	if err != nil || resp.StatusCode != 200 || len(base.seen) != 2 || base.seen[1].Header.Get("Authorization") != "Bearer new" {
		t.Errorf("%v %v after %d", resp, err, len(base.seen))
	}
	base.seen, base.list = nil, []any{401}
	if resp, err = client.Get("https://api.example/"); err != nil || resp.StatusCode != 401 || len(base.seen) != 1 {
		t.Errorf("%v %v after %d", resp, err, len(base.seen))
	}
}

func TestStatusErrors(t *testing.T) {
	for status, want := range map[int]string{
		200: "", 204: "", 304: "", 400: "", 401: "auth", 403: "denied", 404: "gone", 410: "gone", 413: "too_large", 429: "busy", 500: "", 502: "", 503: "busy",
	} {
		req, err := http.NewRequest("GET", "https://ann:pw@api.example/pages?key=secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp := answer(status, "Retry-After", "9")
		resp.Request = req
		err = StatusError(resp)
		if (err != nil) != (status >= 400) || KindOf(err) != want {
			t.Errorf("%d: %q %v", status, KindOf(err), err)
		}
		if err == nil {
			continue
		}
		f := failure("a", err)
		if f.GetHttpStatus() != int32(status) || (f.GetRetryAfter() != nil) != (want == "busy") || strings.Contains(f.GetDetail(), "secret") ||
			strings.Contains(f.GetDetail(), "pw") || !strings.Contains(f.GetDetail(), "GET https://api.example/pages: status "+strconv.Itoa(status)) {
			t.Errorf("%d: %v", status, f)
		}
	}
	if got := RetryAfter(answer(429, "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))); got < 59*time.Minute || got > time.Hour {
		t.Errorf("as a date: %v", got)
	}
	for _, text := range []string{"-5", "", "x", "Mon, 02 Jan 2006 15:04:05 GMT"} {
		if got := RetryAfter(answer(429, "Retry-After", text)); got != 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestBackoffGrowsAndVaries(t *testing.T) {
	for attempt, middle := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
		if low, high := backoff(attempt, 0, 0), backoff(attempt, 0, 0.999); low != middle/2 || high < middle*14/10 || high > middle*3/2 {
			t.Errorf("%d: %v to %v", attempt, low, high)
		}
		if got := backoff(attempt, 10*time.Second, 0.5); got < 10*time.Second || got > 11*time.Second {
			t.Errorf("%d: %v", attempt, got)
		}
	}
}
