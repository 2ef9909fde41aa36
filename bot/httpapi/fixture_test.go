package httpapi

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// mind answers and is the ledger.
type mind struct {
	mu     sync.Mutex
	turns  map[string]core.Turn
	order  []string
	asked  []core.Question
	steps  chan struct{} // a question that begins with "step" takes one for each word
	broken error
}

// Answer says the question's words, or does what the first of them says.
func (m *mind) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	m.mu.Lock()
	m.asked = append(m.asked, q)
	m.mu.Unlock()
	emit(core.TurnStarted{TurnID: q.TurnID, ThreadID: q.Place.Thread})
	emit(core.StatusChanged{Stage: "searching"})
	emit(core.QueryRun{Text: q.Text})
	emit(core.DocumentsFound{Documents: []core.DocumentRef{{Number: 1, Title: "A < B", URL: "https://x.example/?a&b", Source: "docs"}}})
	emit(core.ToolUsed{ID: "c1", Name: "internal_search", Arguments: json.RawMessage(`{"queries":["x"]}`), State: "done"})
	emit(core.Cited{Number: 1, DocumentID: "docs/a", Passage: 7})
	command, rest, _ := strings.Cut(q.Text, " ")
	var text strings.Builder
	say := func(s string) { text.WriteString(s); emit(core.TextDelta{Delta: s}) }
	switch command {
	case "fail":
		return core.Turn{}, core.Errorf(core.Kind(rest), "It failed as asked.")
	case "fail-late": // found two documents, cited one of them, and broke
		emit(core.DocumentsFound{Documents: []core.DocumentRef{{Number: 1, DocumentID: "docs/a", Title: "A"}, {Number: 2, DocumentID: "docs/b", Title: "Layoffs"}}})
		emit(core.Cited{Number: 1, DocumentID: "docs/a"})
		say("Half")
		return core.Turn{}, core.Errorf(core.KindUnavailable, "It failed as asked.")
	case "panic":
		panic("secret")
	case "notice":
		emit(core.Noticed{Kind: "model_failed", Text: "Only <quotes>.", Cause: core.KindUnavailable})
		say(rest)
	case "hang":
		say("partial")
		<-ctx.Done()
	case "step":
		for _, w := range strings.Fields(rest) {
			select {
			case <-m.steps:
				say(w + " ")
			case <-ctx.Done():
			}
		}
	default:
		say(q.Text)
	}
	t := core.Turn{
		ID: q.TurnID, Thread: q.Place.Thread, Parent: q.Parent, Place: q.Place.ID, Class: q.Audience.Class, Scope: q.Audience.Principals,
		Asker: q.Viewer.Email, Question: q.Text, Started: time.Now(),
		Answer: core.Answer{Text: text.String(), Mode: core.ModeModel, TurnID: q.TurnID, Stopped: ctx.Err() != nil,
			Usage: &core.Usage{PromptTokens: 3}, Citations: []core.Citation{{Number: 1, Title: "A", URL: "https://x.example", DocumentID: "docs/a", Passage: "p", Page: 2, Updated: time.Unix(1e9, 0).UTC()}}},
	}
	if n := len(q.History); n > 0 && t.Parent == "" {
		t.Parent = q.History[n-1].ID
	}
	if command == "rests" { // on a document that it does not cite
		t.Used = []string{"docs/a", rest}
	}
	m.mu.Lock()
	m.turns[t.ID], m.order = t, append(m.order, t.ID)
	m.mu.Unlock()
	emit(core.Done{Answer: t.Answer})
	return t, nil
}

func (m *mind) Turn(_ context.Context, id string) (core.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return core.Turn{}, m.broken
	}
	if t, ok := m.turns[id]; ok {
		return t, nil
	}
	return core.Turn{}, core.Errorf(core.KindNotFound, "no turn")
}

func (m *mind) Thread(_ context.Context, thread string) ([]core.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []core.Turn
	for _, id := range m.order {
		if m.turns[id].Thread == thread {
			out = append(out, m.turns[id])
		}
	}
	return out, nil
}

func (m *mind) Branch(ctx context.Context, id string) ([]core.Turn, error) {
	var out []core.Turn
	for id != "" {
		t, err := m.Turn(ctx, id)
		if err != nil {
			return nil, err
		}
		out, id = append([]core.Turn{t}, out...), t.Parent
	}
	return out, nil
}

func (m *mind) last() core.Question {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[len(m.asked)-1]
}

// people knows the tokens "ann", "ann2" and "left" of one person, who is no member
// any more with the last, "bob" and "none", who has no address.
type people struct{}

func (people) Holder(_ context.Context, secret string) (Holder, error) {
	email := map[string]string{"ann": "ann@example.com", "ann2": "ann@example.com", "left": "ann@example.com", "bob": "bob@example.com", "none": ""}
	e, ok := email[secret]
	switch {
	case secret == "broken":
		return Holder{}, core.Errorf(core.KindDisk, "The ledger is damaged.")
	case !ok:
		return Holder{}, core.Errorf(core.KindNotFound, "no token")
	}
	held := []core.Principal{core.Public, core.Workspace}
	if secret == "left" {
		held = held[:1]
	}
	return Holder{Token: secret, Viewer: core.Viewer{Email: e, Principals: held}}, nil
}

type agents map[string]core.Agent

func (a agents) Agent(name string) (core.Agent, bool) { agent, ok := a[name]; return agent, ok }

// shelf is one document of twenty passages; "n" finds the passage with that text.
type shelf struct {
	wish     Wish // of the last search; guarded by mu
	mu       sync.Mutex
	audience core.Audience
	closed   bool         // the document may not be read any more
	looks    int          // calls of Around
	gone     map[int]bool // passages that may not be read any more when they are looked around
}

func (s *shelf) Readable(context.Context, Reader, []string) (map[string]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]bool{"docs/a": !s.closed}, nil
}

func piece(n int) core.Result {
	return core.Result{
		Document: core.Document{ID: "docs/a", Source: "docs", Title: "A & B", URL: "https://x.example", Updated: time.Unix(1e9, 0).UTC()},
		Passage:  core.Passage{Document: "docs/a", Ordinal: n, Text: "text " + string(rune('a'+n))}, Score: 1 / float64(n+1),
	}
}

func (s *shelf) Search(_ context.Context, by Reader, wish Wish) ([]core.Result, error) {
	s.mu.Lock()
	s.audience, s.wish = by.Audience, wish
	s.mu.Unlock()
	var out []core.Result
	for _, r := range wish.Query {
		if r >= 'a' && r <= 't' && len(out) < wish.Limit {
			out = append(out, piece(int(r-'a')))
		}
	}
	return out, nil
}

func (s *shelf) Around(_ context.Context, _ Reader, results []core.Result) ([][]core.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	out := make([][]core.Result, len(results))
	for i, r := range results {
		for n := max(0, r.Passage.Ordinal-1); n <= min(19, r.Passage.Ordinal+1) && !s.gone[r.Passage.Ordinal]; n++ {
			out[i] = append(out[i], piece(n))
		}
	}
	return out, nil
}

// world is a server with all around it.
type world struct {
	t      *testing.T
	url    string
	mind   *mind
	shelf  *shelf
	desk   *bot.Desk
	server *Server
	seen   *sync.Map
}

func start(t *testing.T, change func(*Options, *bot.Options)) *world {
	t.Helper()
	m := &mind{turns: map[string]core.Turn{}, steps: make(chan struct{})}
	w := &world{t: t, mind: m, shelf: &shelf{}, seen: &sync.Map{}}
	o := Options{
		Turns: m, Searcher: w.shelf, Tokens: people{}, NewID: rand.Text, PerSecond: 1000, Burst: 1000,
		Agents: agents{"helper": {Name: "helper"}},
	}
	b := bot.Options{Answerer: m, Turns: m, NewID: rand.Text}
	if change != nil {
		change(&o, &b)
	}
	w.desk = bot.NewDesk(b)
	o.Desk = w.desk
	w.server = New(o)
	server := httptest.NewServer(w.server)
	w.url = server.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := w.desk.Close(ctx); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return w
}

// do sends a request as the token's holder. Hostile ones may break the contract.
func (w *world) do(ctx context.Context, token, method, path, body string, hostile bool) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return w.raw(r, hostile)
}

func (w *world) raw(r *http.Request, hostile bool) *http.Response {
	w.t.Helper()
	client := http.Client{Transport: checked{w.t, hostile, w.seen}}
	resp, err := client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// reply is a whole response.
type reply struct {
	status int
	header http.Header
	body   string
}

func (w *world) call(token, method, path, body string) reply {
	w.t.Helper()
	return w.whole(w.do(w.t.Context(), token, method, path, body, false))
}

func (w *world) attack(token, method, path, body string) reply {
	w.t.Helper()
	return w.whole(w.do(w.t.Context(), token, method, path, body, true))
}

func (w *world) whole(resp *http.Response) reply {
	w.t.Helper()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Error(err)
	}
	return reply{resp.StatusCode, resp.Header, string(raw)}
}

// answer asks without a stream.
func (w *world) answer(token, body string) answered {
	w.t.Helper()
	r := w.call(token, "POST", "/chat/send-chat-message", body)
	var a answered
	if err := json.Unmarshal([]byte(r.body), &a); err != nil || r.status != 200 {
		w.t.Fatalf("%d %s", r.status, r.body)
	}
	return a
}

// lines is a stream that is being read.
type lines struct {
	t    *testing.T
	from *bufio.Reader
	stop context.CancelFunc
}

// event is any event, as far as tests look at it.
type event struct {
	Type     string `json:"type"`
	TurnID   string `json:"turn_id"`
	ThreadID string `json:"thread_id"`
	Stage    string `json:"stage"`
	Delta    string `json:"delta"`
	Answer   string `json:"answer"`
	Stopped  bool   `json:"stopped"`
	Kind     string `json:"kind"`
	Message  string `json:"message"`
}

func (w *world) open(token, method, path, body string) *lines {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	resp := w.do(ctx, token, method, path, body, false)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != ndjson {
		w.t.Fatalf("%s %s: %d %s %s", method, path, resp.StatusCode, resp.Header, w.whole(resp).body)
	}
	return &lines{w.t, bufio.NewReader(resp.Body), cancel}
}

// next reads one event; ok is false at the end.
func (l *lines) next() (e event, ok bool) {
	l.t.Helper()
	line, err := l.from.ReadString('\n')
	if err == io.EOF && line == "" {
		return e, false
	}
	if err != nil || json.Unmarshal([]byte(line), &e) != nil {
		l.t.Fatalf("%q: %v", line, err)
	}
	return e, true
}

// until reads on to the first event of the type, which has to come.
func (l *lines) until(kind string) event {
	l.t.Helper()
	for {
		e, ok := l.next()
		if !ok {
			l.t.Fatalf("the stream ended before %q", kind)
		}
		if e.Type == kind {
			return e
		}
	}
}

func (l *lines) rest() []event {
	l.t.Helper()
	var out []event
	for {
		e, ok := l.next()
		if !ok {
			return out
		}
		out = append(out, e)
	}
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
