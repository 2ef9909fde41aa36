package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/internal/cli/control"
	"github.com/footnote-bot/footnote/store"
)

// service is a running footnote serve.
type service struct {
	u    *user
	url  string
	errs *bytes.Buffer // to be read after stop
	stop func() int

	hangups *control.Interrupts
}

// serving starts footnote serve on a free port.
func (u *user) serving(args ...string) *service {
	u.t.Helper()
	s := &service{u: u, errs: &bytes.Buffer{}, hangups: &control.Interrupts{}}
	out := newWaiter("\n")
	ctx, cancel := context.WithCancel(context.Background())
	inv := u.invocation(strings.NewReader(""), out, s.errs, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	inv.hangups = s.hangups
	ended := make(chan int, 1)
	go func() { ended <- inv.run(ctx) }()
	s.stop = func() int {
		cancel()
		code := <-ended
		ended <- code
		return code
	}
	u.t.Cleanup(func() { s.stop() })
	select {
	case <-out.seen:
	case code := <-ended:
		u.t.Fatalf("serve ended with code %d: %s", code, s.errs)
	}
	s.url = regexp.MustCompile(`http://\S+`).FindString(out.String())
	return s
}

func (u *user) token(email string) string {
	u.t.Helper()
	return strings.TrimSpace(u.must("token", "create", "--as", email))
}

func (s *service) request(token, method, path, body string) *http.Response {
	s.u.t.Helper()
	r, err := http.NewRequestWithContext(s.u.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.u.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.u.t.Fatal(err)
	}
	s.u.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func (s *service) call(token, method, path, body string, into any) int {
	s.u.t.Helper()
	resp := s.request(token, method, path, body)
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.u.t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(raw, into); err != nil {
			s.u.t.Fatalf("%v in %s", err, raw)
		}
	}
	return resp.StatusCode
}

// line is an event of a stream, as far as these tests look at it.
type line struct {
	Type     string          `json:"type"`
	TurnID   string          `json:"turn_id"`
	ThreadID string          `json:"thread_id"`
	Delta    string          `json:"delta"`
	Answer   string          `json:"answer"`
	Stopped  bool            `json:"stopped"`
	Cites    []core.Citation `json:"citations"`
}

// until reads events up to the first of the type.
func until(t *testing.T, in *bufio.Reader, kind string) line {
	t.Helper()
	for {
		raw, err := in.ReadBytes('\n')
		var e line
		if err != nil || json.Unmarshal(raw, &e) != nil {
			t.Fatalf("before %q: %v in %q", kind, err, raw)
		}
		if e.Type == kind {
			return e
		}
	}
}

const sendPath = "/chat/send-chat-message"

func TestServeAnswersAsTheTokensPerson(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	u.env["FOOTNOTE_MEMBERS_DOMAINS"] = "example.com"
	boss, dev, outsider := u.token("boss@example.com"), u.token("dev@example.com"), u.token("eve@elsewhere.example")
	s := u.serving()
	question := `{"message":"How much does the managing director earn a year?"}`
	for _, row := range []struct {
		token  string
		secret bool
		other  bool
	}{{boss, true, true}, {dev, false, true}, {outsider, false, false}} {
		var a, b core.Answer
		s.call(row.token, "POST", sendPath, question, &a)
		s.call(row.token, "POST", sendPath, `{"message":"Where do visitors park?"}`, &b)
		if got := strings.Contains(a.Text, "91000"); got != row.secret {
			t.Errorf("the secret is told: %v; %+v", got, a)
		}
		if got := len(b.Citations) > 0; got != row.other {
			t.Errorf("parking is cited: %v", got)
		}
		var f struct{ Results []any }
		if s.call(row.token, "POST", "/search", `{"query":"managing director earns"}`, &f); (len(f.Results) > 0) != row.other && row.secret {
			t.Errorf("search finds %v", f.Results)
		}
		if raw := fmt.Sprint(f); strings.Contains(raw, "91000") != row.secret {
			t.Errorf("search finds %s", raw)
		}
	}
	// The socket is served meanwhile, also for tokens.
	fresh := u.token("dev@example.com")
	if status := s.call(fresh, "POST", "/search", `{"query":"parking"}`, nil); status != 200 {
		t.Errorf("a token made meanwhile: %d", status)
	}
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) != 1 {
		t.Errorf("ask meanwhile: %+v", a)
	}
	tokens := u.tokens()
	if tokens[3].LastUsed == nil {
		t.Errorf("use was not noted: %+v", tokens[3])
	}
	u.must("token", "revoke", tokens[3].ID)
	if status := s.call(fresh, "POST", "/search", `{"query":"parking"}`, nil); status != 401 {
		t.Errorf("a revoked token: %d", status)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status := s.call("", "GET", path, "", nil); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.errs)
	}
}

func TestServeStreamsStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	u, server := withModel(t, modeltest.Script{Replies: []modeltest.Reply{
		searchFor("visitors parking level"),
		{Chunks: []string{"Visitors park", " on level"}, HangAfter: modeltest.N(2)},
		{Text: "Level minus two."},
		{Text: "Once more."},
	}})
	u.env["FOOTNOTE_MEMBERS_DOMAINS"] = "example.com"
	ann, bob := u.token("ann@example.com"), u.token("bob@example.com")
	s := u.serving()
	in := bufio.NewReader(s.request(ann, "POST", sendPath, `{"message":"Where do visitors park?","stream":true}`).Body)
	turn := until(t, in, "turn")
	until(t, in, "text")
	again := bufio.NewReader(s.request(ann, "GET", "/chat/turns/"+turn.TurnID+"/events", "").Body)
	if status := s.call(bob, "POST", "/chat/turns/"+turn.TurnID+"/stop", "", nil); status != 404 {
		t.Errorf("somebody else stops it: %d", status)
	}
	if status := s.call(ann, "POST", "/chat/turns/"+turn.TurnID+"/stop", "", nil); status != 200 {
		t.Errorf("stopping: %d", status)
	}
	for _, reader := range []*bufio.Reader{in, again} {
		if done := until(t, reader, "done"); !done.Stopped || !strings.HasPrefix(done.Answer, "Visitors park") || done.TurnID != turn.TurnID {
			t.Errorf("last event %+v", done)
		}
	}
	var next struct {
		core.Answer
		ThreadID string `json:"thread_id"`
	}
	s.call(ann, "POST", sendPath, fmt.Sprintf(`{"message":"And which level?","thread_id":%q}`, turn.ThreadID), &next)
	if next.Text != "Level minus two." || next.ThreadID != turn.ThreadID {
		t.Errorf("next answer %+v", next)
	}
	requests := server.Requests()
	if last := fmt.Sprint(requests[len(requests)-1].Chat.Messages); !strings.Contains(last, "Where do visitors park?") {
		t.Errorf("the model was not told what came before: %s", last)
	}
	var sibling core.Answer
	s.call(ann, "POST", "/chat/turns/"+next.TurnID+"/regenerate", "", &sibling)
	if sibling.Text != "Once more." || sibling.TurnID == next.TurnID {
		t.Errorf("sibling %+v", sibling)
	}
	s.stop()
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	for id, want := range map[string]string{turn.TurnID: "", next.TurnID: turn.TurnID, sibling.TurnID: turn.TurnID} {
		kept, err := a.store.Turn(t.Context(), id)
		if err != nil || kept.Parent != want || kept.Asker != "ann@example.com" || kept.Thread != turn.ThreadID || kept.Answer.Text == "" {
			t.Errorf("kept %+v, %v; want parent %q", kept, err, want)
		}
	}
}

func TestServeStoppedWhileItAnswers(t *testing.T) {
	t.Parallel()
	u, _ := withModel(t, modeltest.Script{Replies: []modeltest.Reply{
		searchFor("visitors parking level"),
		{Chunks: []string{"Visitors park", " on level"}, HangAfter: modeltest.N(2)},
	}})
	token := u.token("ann@example.com")
	s := u.serving("--stop-after", "50ms")
	in := bufio.NewReader(s.request(token, "POST", sendPath, `{"message":"Where do visitors park?","stream":true}`).Body)
	id := until(t, in, "turn").TurnID
	until(t, in, "text")
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.errs)
	}
	if done := until(t, in, "done"); !done.Stopped {
		t.Errorf("last event %+v", done)
	}
	s = u.serving() // a later process knows the turn from the ledger
	in = bufio.NewReader(s.request(token, "GET", "/chat/turns/"+id+"/events?from=3", "").Body)
	if done := until(t, in, "done"); !done.Stopped || !strings.HasPrefix(done.Answer, "Visitors park") {
		t.Errorf("from the ledger: %+v", done)
	}
}

func TestServeSaysWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, address := range []string{taken.Addr().String(), "nowhere", "127.0.0.1:99999", "1.2.3.4.5:80"} {
		if o := u.run("serve", "--listen", address); o.code != exitConfig || !strings.Contains(o.err, address) || !strings.Contains(o.err, "http.listen") {
			t.Errorf("%s: %+v", address, o)
		}
	}
	s := u.serving()
	inv := u.invocation(strings.NewReader(""), io.Discard, &bytes.Buffer{}, "serve", "--listen", "127.0.0.1:0")
	inv.patience = 100 * time.Millisecond
	var errs bytes.Buffer
	inv.streams.Err = &errs
	if code := inv.run(t.Context()); code != exitFailure || !strings.Contains(errs.String(), "held by another footnote process") {
		t.Errorf("a second one: %d %s", code, errs.String())
	}
	s.stop()
	if !strings.Contains(s.errs.String(), "footnote token create") {
		t.Errorf("no hint that nobody can ask: %s", s.errs)
	}
}

func TestServeNotesWhenNobodyCanAsk(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	note := func(ip net.IP) string {
		var errs bytes.Buffer
		inv := u.invocation(strings.NewReader(""), io.Discard, &errs)
		inv.noteTokens(t.Context(), a, &net.TCPAddr{IP: ip, Port: 80})
		return errs.String()
	}
	for _, ip := range []net.IP{net.IPv4zero, net.IPv6unspecified, net.IPv4(10, 0, 0, 1)} {
		if got := note(ip); !strings.Contains(got, "http.listen lets other machines connect") || !strings.Contains(got, "token create") {
			t.Errorf("%s: %q", ip, got)
		}
	}
	if got := note(net.IPv6loopback); strings.Contains(got, "other machines") || !strings.Contains(got, "token create") {
		t.Errorf("loopback: %q", got)
	}
	if err := a.store.AddToken(t.Context(), store.Token{ID: "x", Name: "x", As: "a@b.c", Created: time.Now()}, "h"); err != nil {
		t.Fatal(err)
	}
	if got := note(net.IPv4zero); got != "" {
		t.Errorf("with a token: %q", got)
	}
}

// The real program ends well on a signal.
func TestServeEndsOnSignals(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "serve", "--listen", "127.0.0.1:0")
		cmd.Dir, cmd.Env = u.dir, append(os.Environ(), asProgram+"=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(sig)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", sig, err)
		}
	}
}
