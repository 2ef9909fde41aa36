package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

func TestBadRequestsAreNamed(t *testing.T) {
	w := start(t, nil)
	const send, search = "/chat/send-chat-message", "/search"
	for _, row := range []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"nothing", send, "", 415, "Content-Type"},
		{"empty object", send, "{}", 400, `"message"`},
		{"blank", send, `{"message":" \n"}`, 400, `"message"`},
		{"null", send, `{"message":null}`, 400, `"message"`},
		{"NUL", send, `{"message":"a\u0000b"}`, 400, "NUL"},
		{"raw NUL", send, "{\"message\":\"a\x00b\"}", 400, "JSON"},
		{"number for text", send, `{"message":7}`, 400, `"message" must be text`},
		{"text for flag", send, `{"message":"x","stream":"yes"}`, 400, `"stream" must be true or false`},
		{"list for text", send, `{"message":"x","thread_id":["a"]}`, 400, `"thread_id" must be text`},
		{"unknown field", send, `{"message":"x","mesage":"y"}`, 400, `"mesage"`},
		{"bypass", send, `{"message":"x","viewer":{"bypass":true}}`, 400, `"viewer"`},
		{"list", send, `["x"]`, 400, "JSON object"},
		{"text", send, `"x"`, 400, "JSON object"},
		{"two objects", send, `{"message":"x"}{"message":"y"}`, 400, "more than one"},
		{"half", send, `{"message":"x`, 400, "JSON"},
		{"garbage", send, `}{`, 400, "byte"},
		{"not UTF-8", send, "{\"message\":\"\xff\xfe\"}", 400, "UTF-8"},
		{"deep", send, strings.Repeat("[", 100_000), 400, "JSON"},
		{"huge", send, `{"message":"` + strings.Repeat("x", 300<<10) + `"}`, 413, "256 KiB"},
		{"unknown agent", send, `{"message":"x","agent":"nobody"}`, 400, `"agent"`},
		{"long thread", send, `{"message":"x","thread_id":"` + strings.Repeat("x", 10_000) + `"}`, 404, "thread"},
		{"NUL thread", send, `{"message":"x","thread_id":"\u0000"}`, 404, "thread"},
		{"no query", search, `{}`, 400, `"query"`},
		{"limit 0", search, `{"query":"a","limit":0}`, 400, `"limit"`},
		{"limit big", search, `{"query":"a","limit":101}`, 400, `"limit"`},
		{"limit broken", search, `{"query":"a","limit":1.5}`, 400, `"limit" must be a whole number`},
		{"limit text", search, `{"query":"a","limit":"1"}`, 400, `"limit" must be a whole number`},
		{"bad from", "GET /chat/turns/x/events?from=-1", "", 400, `"from"`},
		{"bad from", "GET /chat/turns/x/events?from=1e3", "", 400, `"from"`},
		{"strange turn", "GET /chat/turns/%00/events", "", 404, "turn"},
		{"traversal", "POST /chat/turns/..%2f..%2fetc/stop", "", 404, ""},
		{"nowhere", "GET /admin", "", 404, "openapi"},
		{"wrong method", "GET " + send, "", 405, "method"},
		{"wrong method", "DELETE /chat/turns/x/stop", "", 405, "method"},
		{"wrong method", "POST /healthz", "", 405, "method"},
	} {
		t.Run(row.name, func(t *testing.T) {
			method, path, ok := strings.Cut(row.path, " ")
			if !ok {
				method, path = "POST", row.path
			}
			r := w.attack("ann", method, path, row.body)
			var body errorBody
			if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != row.status || !strings.Contains(body.Error.Message, row.want) {
				t.Errorf("%d %s", r.status, r.body)
			}
			if body.Error.RequestID != r.header.Get("X-Request-Id") || body.Error.Kind == "" {
				t.Errorf("error %+v, header %s", body.Error, r.header)
			}
			if (r.status == 405) != (r.header.Get("Allow") != "") {
				t.Errorf("Allow: %q", r.header.Get("Allow"))
			}
		})
	}
	w.mind.mu.Lock()
	defer w.mind.mu.Unlock()
	if n := len(w.mind.asked); n != 0 {
		t.Errorf("%d of these questions were answered", n)
	}
}

func TestContentTypeMustBeJSON(t *testing.T) {
	w := start(t, nil)
	for media, want := range map[string]int{
		"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=utf-8": 200, "APPLICATION/JSON": 200, ";;": 415,
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/search", strings.NewReader(`{"query":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "bearer ann")
		r.Header.Set("Content-Type", media)
		if got := w.whole(w.raw(r, true)); got.status != want {
			t.Errorf("%q: %d %s", media, got.status, got.body)
		}
	}
}

func TestOnlyTokensOpenTheDoor(t *testing.T) {
	w := start(t, nil)
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer eve", "Basic YW5uOmFubg==", "ann", "Bearer ann ann", "Bearer " + strings.Repeat("x", 20_000)} {
		for _, path := range []string{"POST /chat/send-chat-message", "POST /search", "POST /chat/turns/x/stop", "POST /chat/turns/x/regenerate", "GET /chat/turns/x/events"} {
			method, path, _ := strings.Cut(path, " ")
			r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", header)
			got := w.whole(w.raw(r, true))
			if got.status != 401 || got.header.Get("WWW-Authenticate") == "" || !strings.Contains(got.body, "footnote token create") {
				t.Errorf("%q on %s: %d %s", header, path, got.status, got.body)
			}
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if r := w.call("", "GET", path, ""); r.status != 200 || r.body != "{\"status\":\"ok\"}\n" {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := w.call("ann", "GET", "/healthz", ""); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("other sites may read answers")
	}
}

func TestReadyOnlyWhenItIs(t *testing.T) {
	w := start(t, func(o *Options, _ *bot.Options) {
		o.Ready = func(context.Context) error { return core.Errorf(core.KindDisk, "secret path") }
	})
	if r := w.call("", "GET", "/readyz", ""); r.status != 503 || strings.Contains(r.body, "secret") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.call("", "GET", "/healthz", ""); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestEachTokenHasItsOwnRate(t *testing.T) {
	w := start(t, func(o *Options, _ *bot.Options) { o.PerSecond, o.Burst = 0.01, 3 })
	for i := range 4 {
		r := w.call("ann", "POST", "/search", `{"query":"a"}`)
		if want := map[bool]int{true: 200, false: 429}[i < 3]; r.status != want {
			t.Errorf("request %d: %d %s", i, r.status, r.body)
		}
		if wait := r.header.Get("Retry-After"); (i == 3) != (wait != "") || i == 3 && wait != "100" {
			t.Errorf("request %d: Retry-After %q", i, wait)
		}
	}
	if r := w.call("bob", "POST", "/search", `{"query":"a"}`); r.status != 200 {
		t.Errorf("somebody else: %d %s", r.status, r.body)
	}
}

func TestLimitsForgetTheIdle(t *testing.T) {
	l := newLimits(1e6, 1)
	for i := range 3 * mostClients {
		l.take(fmt.Sprint(i))
	}
	if n := len(l.clients); n > mostClients+1 {
		t.Errorf("%d clients are remembered", n)
	}
}

func TestSearchGroupsNeighbours(t *testing.T) {
	w := start(t, nil)
	for _, row := range []struct{ query, want string }{
		{"?", ""},
		{"f", "e[f]g"},
		{"a", "[a]b"},
		{"fg", "e[f][g]h"},
		{"fh", "e[f]g[h]i"},
		{"fi", "e[f]gh[i]j"},
		{"fj", "e[f]g i[j]k"},
		{"jf", "i[j]k e[f]g"},
		{"fjh", "e[f]g[h]i[j]k"},
		{"ff", "e[f]g"},
	} {
		r := w.call("ann", "POST", "/search", `{"query":"`+row.query+`","limit":100}`)
		var f found
		if err := json.Unmarshal([]byte(r.body), &f); err != nil || r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		var groups []string
		for _, g := range f.Results {
			var b strings.Builder
			for _, p := range g.Passages {
				letter := strings.TrimPrefix(p.Text, "text ")
				if p.Hit {
					letter = "[" + letter + "]"
				}
				b.WriteString(letter)
			}
			groups = append(groups, b.String())
		}
		same(t, row.want, strings.Join(groups, " "))
	}
	// What was closed after it was found is missing; all is looked around at once.
	w.shelf.gone, w.shelf.looks = map[int]bool{5: true}, 0
	r := w.call("ann", "POST", "/search", `{"query":"afn"}`)
	if lacks := !strings.Contains(r.body, "text f"); !lacks || strings.Count(r.body, `"hit":true`) != 2 || w.shelf.looks != 1 {
		t.Errorf("looked %d times: %s", w.shelf.looks, r.body)
	}
	w.shelf.gone = nil
	if a := w.shelf.audience; !a.AskerOnly || len(a.Principals) != 2 {
		t.Errorf("searched as %+v", a)
	}
	if r := w.call("ann", "POST", "/search", `{"query":"abcdefghijklmnopqrst"}`); strings.Count(r.body, `"hit":true`) != defaultResults {
		t.Errorf("default limit: %s", r.body)
	}
}

// serving runs the server on a port of its own until the returned function is
// called, which waits for its end.
func serving(t *testing.T, w *world, grace time.Duration) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(ctx, l, grace) }()
	stop = func() error { cancel(); return <-ended }
	t.Cleanup(cancel)
	return l.Addr().String(), stop
}

func TestStoppingEndsStreamsInOrder(t *testing.T) {
	w := start(t, nil)
	address, stop := serving(t, w, 2*time.Minute)
	w.url = "http://" + address
	var all []*lines
	for range 5 {
		s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
		s.until("text")
		all = append(all, s)
	}
	closed := make(chan error, 1)
	go func() { closed <- w.desk.Close(context.Background()) }()
	if err := stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	for _, s := range all {
		if done := s.until("done"); !done.Stopped || done.Answer != "partial" {
			t.Errorf("a stream ends with %+v", done)
		}
	}
	if len(w.mind.turns) != 5 {
		t.Errorf("%d turns were kept", len(w.mind.turns))
	}
	if err := w.server.ready(nil, nil); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("ready while stopping: %v", err)
	}
}

func TestStuckStreamsAreCutInTheEnd(t *testing.T) {
	w := start(t, nil)
	address, stop := serving(t, w, 50*time.Millisecond)
	w.url = "http://" + address
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	s.until("text")
	if err := stop(); err != nil { // nobody closes the desk
		t.Errorf("stopping: %v", err)
	}
}

// A reader that takes nothing loses its stream; the turn goes on.
func TestReaderThatTakesNothingIsDropped(t *testing.T) {
	w := start(t, func(o *Options, _ *bot.Options) { o.Stall = 100 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	body := `{"message":"` + strings.Repeat("x", 200<<10) + `","stream":true}`
	for range 40 { // one answer after the other on one connection fills all buffers
		fmt.Fprintf(conn, "POST /chat/send-chat-message HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	}
	// Nothing is read: when the server gives up, it cuts the connection.
	for waited := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		conn.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		_, err := conn.Write([]byte("x"))
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if time.Since(waited) > 2*time.Minute {
			t.Fatal("the connection is still open")
		}
	}
	w.mind.mu.Lock()
	if n := len(w.mind.turns); n == 0 || n == 40 {
		t.Errorf("%d of 40 questions were answered", n)
	}
	w.mind.mu.Unlock()
	a := w.answer("ann", `{"message":"still there"}`)
	if a.Text != "still there" {
		t.Errorf("answer %+v", a)
	}
}

// A request that does not arrive ends, whatever was answered to it so far; a
// stream outlives the time that a request may take.
func TestRequestsThatDoNotArriveEnd(t *testing.T) {
	w := start(t, func(o *Options, _ *bot.Options) { o.Patience = 150 * time.Millisecond })
	for _, token := range []string{"ann", "eve"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", token)
		conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		raw, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(raw), "HTTP/1.1 40") {
			t.Errorf("%s: %q, %v", token, raw, err)
		}
	}
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step a","stream":true}`)
	again := w.open("ann", "GET", "/chat/turns/"+s.until("turn").TurnID+"/events", "")
	time.Sleep(400 * time.Millisecond)
	w.mind.steps <- struct{}{}
	s.until("done")
	again.until("done")
	go func() { time.Sleep(400 * time.Millisecond); w.mind.steps <- struct{}{} }()
	if a := w.answer("ann", `{"message":"step b"}`); a.Text != "b " {
		t.Errorf("answer %+v", a)
	}
}

// What one answer was allowed to take does not cut the next one short that goes
// through the same connection.
func TestConnectionsServeManyRequests(t *testing.T) {
	w := start(t, func(o *Options, _ *bot.Options) { o.Stall, o.Patience = 100*time.Millisecond, 100*time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	in := bufio.NewReader(conn)
	for _, stream := range []bool{true, true, false, true} {
		body := fmt.Sprintf(`{"message":"x","stream":%v}`, stream)
		fmt.Fprintf(conn, "POST /chat/send-chat-message HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("%q, %v", line, err)
		}
		in.ReadString('\n')
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(raw), `"answer":"x"`) {
			t.Errorf("%d %s, %v", resp.StatusCode, raw, err)
		}
		time.Sleep(250 * time.Millisecond)
	}
}

// Every route and status of the contract that a client can bring about occurs
// in one run.
func TestContractIsCovered(t *testing.T) {
	w, _ := takesPushes(t)
	a := w.answer("ann", `{"message":"x"}`)
	turn := "/chat/turns/" + a.TurnID
	w.call("ann", "POST", turn+"/stop", "")
	w.call("ann", "POST", turn+"/regenerate", "")
	w.open("ann", "GET", turn+"/events", "").rest()
	w.call("ann", "POST", "/search", `{"query":"a"}`)
	w.call("wiki", "POST", "/documents", `{"id":"a","text":"alpha","access":["public"]}`)
	w.call("", "GET", "/healthz", "")
	w.call("", "GET", "/readyz", "")
	for _, operation := range []string{"send", "stop", "regenerate", "events", "search", "push", "healthz", "readyz"} {
		if _, ok := w.seen.Load(operation + " 200"); !ok {
			t.Errorf("%s was not called", operation)
		}
	}
	spec, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(spec.raw, "operationId:"); n != 8 {
		t.Errorf("the contract has %d operations", n)
	}
}

// How rare a word is in all documents would tell of those that are closed.
func TestScoresAreRanks(t *testing.T) {
	w := start(t, nil)
	r := w.call("ann", "POST", "/search", `{"query":"jf"}`)
	var f found
	if err := json.Unmarshal([]byte(r.body), &f); err != nil || len(f.Results) != 2 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if f.Results[0].Score != 1 || f.Results[1].Score != 0.5 {
		t.Errorf("the scores are %v and %v", f.Results[0].Score, f.Results[1].Score)
	}
}

// What a source holds back is held back from searches as well.
func TestSearchShowsWhatTheSourceAllows(t *testing.T) {
	audience := bot.AudienceOf(core.Place{Kind: core.PlaceDirect}, core.Viewer{})
	for discretion, want := range map[core.Discretion]string{
		core.ShowAsPlace: `{"id":"docs/a","title":"A & B","url":"https://x.example","source":"docs","updated":"2001-09-09T01:46:40Z"} Secrets 3`,
		core.NumberOnly:  `{}  0`,
		core.NeverShown:  `{}  0`,
	} {
		hit := piece(1)
		hit.Document.Discretion = discretion
		hit.Passage.Heading, hit.Passage.Page = "Secrets", 3
		g := join(nil, audience, hit, []core.Result{hit})[0]
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(g.Document); err != nil {
			t.Fatal(err)
		}
		same(t, want, fmt.Sprintf("%s %s %d", strings.TrimSpace(b.String()), g.Passages[0].Heading, g.Passages[0].Page))
		if g = join([]group{g}, audience, hit, []core.Result{hit})[0]; len(g.Passages) != 1 {
			t.Errorf("passages of a document that is not named are not joined: %+v", g)
		}
	}
}
