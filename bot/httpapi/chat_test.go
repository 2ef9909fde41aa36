package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

func TestAnswerIsOneObject(t *testing.T) {
	w := start(t, nil)
	first := w.answer("ann", `{"message":"hello <b>","stream":false}`)
	if first.Text != "hello <b>" || first.TurnID == "" || first.ThreadID == "" || len(first.Citations) != 1 {
		t.Errorf("answer = %+v", first)
	}
	q := w.mind.last()
	same(t, core.Place{ID: "http:ann", Platform: "http", Kind: core.PlaceDirect, Thread: first.ThreadID}, q.Place)
	if !q.Audience.AskerOnly || q.Viewer.Email != "ann@example.com" || q.TurnID != first.TurnID {
		t.Errorf("question = %+v", q)
	}
	second := w.answer("ann2", fmt.Sprintf(`{"message":"more","thread_id":%q,"agent":"helper"}`, first.ThreadID))
	q = w.mind.last()
	if second.ThreadID != first.ThreadID || len(q.History) != 1 || q.History[0].ID != first.TurnID || q.Agent.Name != "helper" {
		t.Errorf("the thread does not go on: %+v, question %+v", second, q)
	}
	branch := w.answer("ann", fmt.Sprintf(`{"message":"other","parent_id":%q}`, first.TurnID))
	q = w.mind.last()
	if branch.ThreadID != first.ThreadID || q.Parent != first.TurnID || len(q.History) != 1 {
		t.Errorf("branch: %+v, question %+v", branch, q)
	}
}

func TestEventsArriveAsTheyCome(t *testing.T) {
	w := start(t, nil)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step a b c","stream":true}`)
	e, _ := s.next()
	if e.Type != "turn" || e.TurnID == "" || e.ThreadID == "" {
		t.Fatalf("first event %+v", e)
	}
	for _, want := range []string{"a ", "b ", "c "} {
		w.mind.steps <- struct{}{} // the next word is not said before the last one was read
		if got := s.until("text"); got.Delta != want {
			t.Errorf("got %q, want %q", got.Delta, want)
		}
	}
	if done := s.until("done"); done.Answer != "a b c " || done.TurnID != e.TurnID {
		t.Errorf("last event %+v", done)
	}
	if left := s.rest(); len(left) > 0 {
		t.Errorf("after the end: %+v", left)
	}
}

func TestLeavingAndComingBack(t *testing.T) {
	w := start(t, nil)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step a b c","stream":true}`)
	id := s.until("turn").TurnID
	w.mind.steps <- struct{}{}
	s.until("text")
	s.stop() // the connection is cut in mid-stream
	path := "/chat/turns/" + id + "/events"
	again, other := w.open("ann", "GET", path, ""), w.open("ann2", "GET", path+"?from=7", "")
	w.mind.steps <- struct{}{}
	w.mind.steps <- struct{}{}
	var whole []string
	for _, e := range again.rest() {
		whole = append(whole, e.Type+e.Delta)
	}
	same(t, []string{"turn", "status", "query", "documents", "tool", "citation", "texta ", "textb ", "textc ", "done"}, whole)
	for from := range len(whole) + 2 {
		var got []string
		for _, e := range w.open("ann", "GET", fmt.Sprint(path, "?from=", from), "").rest() {
			got = append(got, e.Type+e.Delta)
		}
		same(t, whole[min(from, len(whole)-1):], got)
	}
	if e, _ := other.next(); e.Delta != "b " {
		t.Errorf("from the middle: %+v", e)
	}
	other.until("done")
}

func TestLeavingWithoutAStreamDoesNotStopTheTurn(t *testing.T) {
	w := start(t, nil)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step a","stream":true}`)
	thread := s.until("turn").ThreadID
	s.stop()
	time.Sleep(20 * time.Millisecond)
	w.mind.steps <- struct{}{}
	a := w.answer("ann", fmt.Sprintf(`{"message":"next","thread_id":%q}`, thread))
	if q := w.mind.last(); len(q.History) != 1 || q.History[0].Answer.Text != "a " || q.History[0].Answer.Stopped {
		t.Errorf("the turn before: %+v, answer %+v", q.History, a)
	}
}

func TestAnswerWhoseSourceWasClosedIsNotShownAgain(t *testing.T) {
	w := start(t, nil)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step a","stream":true}`)
	path := "/chat/turns/" + s.until("turn").TurnID + "/events"
	w.shelf.mu.Lock()
	w.shelf.closed = true
	w.shelf.mu.Unlock()
	running := w.open("ann", "GET", path, "")
	w.mind.steps <- struct{}{}
	running.until("done")
	if r := w.call("ann", "GET", path, ""); r.status != 403 || strings.Contains(r.body, "x.example") {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.shelf.mu.Lock()
	w.shelf.closed = false
	w.shelf.mu.Unlock()
	w.open("ann", "GET", path, "").until("done")
}

func TestWhoLosesRightsLosesOldAnswers(t *testing.T) {
	w := start(t, nil)
	old := w.answer("ann", `{"message":"x"}`)
	if r := w.call("left", "GET", "/chat/turns/"+old.TurnID+"/events", ""); r.status != 403 || strings.Contains(r.body, "x.example") {
		t.Errorf("%d %s", r.status, r.body)
	}
	// The thread goes on without what was said in it.
	next := w.answer("left", fmt.Sprintf(`{"message":"y","thread_id":%q}`, old.ThreadID))
	if q := w.mind.last(); next.ThreadID != old.ThreadID || len(q.History) != 0 {
		t.Errorf("next answer %+v to %+v", next, q)
	}
}

func TestAcceptAsksForAStream(t *testing.T) {
	w := start(t, nil)
	for body, want := range map[string]string{`{"message":"x"}`: ndjson, `{"message":"x","stream":false}`: "application/json; charset=utf-8"} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/chat/send-chat-message", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer ann")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/html, "+ndjson+";q=0.9")
		if got := w.whole(w.raw(r, false)); got.header.Get("Content-Type") != want {
			t.Errorf("%s: %s", body, got.header)
		}
	}
}

func TestStop(t *testing.T) {
	w := start(t, nil)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	id := s.until("turn").TurnID
	s.until("text")
	path := "/chat/turns/" + id + "/stop"
	if r := w.call("bob", "POST", path, ""); r.status != 404 {
		t.Errorf("somebody else stops it: %d", r.status)
	}
	if r := w.call("ann", "POST", path, ""); r.status != 200 || !strings.Contains(r.body, `"state":"stopping"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if done := s.until("done"); done.Answer != "partial" || !done.Stopped {
		t.Errorf("last event %+v", done)
	}
	if r := w.call("ann", "POST", path, ""); r.status != 200 || !strings.Contains(r.body, `"state":"finished"`) {
		t.Errorf("a second time: %d %s", r.status, r.body)
	}
	if kept, err := w.mind.Turn(t.Context(), id); err != nil || kept.Answer.Text != "partial" {
		t.Errorf("kept: %+v, %v", kept, err)
	}
}

func TestSecondQuestionWaitsOrReplaces(t *testing.T) {
	w := start(t, nil)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	thread := s.until("turn").ThreadID
	s.until("text")
	waiting := w.open("ann", "POST", "/chat/send-chat-message", fmt.Sprintf(`{"message":"second","thread_id":%q,"stream":true}`, thread))
	if e := waiting.until("status"); e.Stage != "waiting" {
		t.Errorf("the second one says %+v", e)
	}
	a := w.answer("ann", fmt.Sprintf(`{"message":"third","thread_id":%q,"replace":true}`, thread))
	if a.Text != "third" {
		t.Errorf("answer = %+v", a)
	}
	if done := s.until("done"); !done.Stopped || done.Answer != "partial" {
		t.Errorf("the first one ends with %+v", done)
	}
	if end := waiting.until("error"); end.Kind != "cancelled" {
		t.Errorf("the second one ends with %+v", end)
	}
}

func TestRegenerate(t *testing.T) {
	w := start(t, nil)
	first := w.answer("ann", `{"message":"one","agent":"helper"}`)
	second := w.answer("ann", fmt.Sprintf(`{"message":"two","thread_id":%q}`, first.ThreadID))
	for _, row := range []struct {
		id, body string
		history  int
		question string
		agent    string
	}{{second.TurnID, "", 1, "two", ""}, {first.TurnID, `{"stream":false}`, 0, "one", "helper"}, {second.TurnID, `{"agent":"helper"}`, 1, "two", "helper"}} {
		r := w.call("ann", "POST", "/chat/turns/"+row.id+"/regenerate", row.body)
		var a answered
		if err := json.Unmarshal([]byte(r.body), &a); err != nil || r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		q := w.mind.last()
		if a.TurnID == row.id || a.ThreadID != first.ThreadID || q.Text != row.question || len(q.History) != row.history || q.Agent.Name != row.agent {
			t.Errorf("answer %+v to %+v", a, q)
		}
		if row.history > 0 && q.Parent != first.TurnID {
			t.Errorf("parent %q, want that of the first", q.Parent)
		}
	}
	s := w.open("ann", "POST", "/chat/turns/"+second.TurnID+"/regenerate", `{"stream":true}`)
	if done := s.until("done"); done.Answer != "two" {
		t.Errorf("stream ends with %+v", done)
	}
	running := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	id := running.until("turn").TurnID
	if r := w.call("ann", "POST", "/chat/turns/"+id+"/regenerate", ""); r.status != 409 {
		t.Errorf("regenerating a running turn: %d %s", r.status, r.body)
	}
}

// What belongs to somebody else looks exactly like what does not exist.
func TestNobodyElseLearnsOfATurn(t *testing.T) {
	w := start(t, nil)
	stored := w.answer("ann", `{"message":"mine"}`)
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	running := s.until("turn")
	w.mind.mu.Lock()
	slack := core.Turn{ID: "S1", Thread: "slack-thread", Place: "slack:T1/C1", Class: "dm", Asker: "bob@example.com", Question: "x"}
	w.mind.turns["S1"], w.mind.order = slack, append(w.mind.order, "S1")
	w.mind.mu.Unlock()
	for _, id := range []string{stored.TurnID, running.TurnID, "S1"} {
		for _, request := range []string{"POST /chat/turns/%s/stop", "POST /chat/turns/%s/regenerate", "GET /chat/turns/%s/events"} {
			method, path, _ := strings.Cut(request, " ")
			theirs := w.call("bob", method, fmt.Sprintf(path, id), "")
			nobodys := w.call("bob", method, fmt.Sprintf(path, "NOSUCH"), "")
			if theirs.status != 404 || anonymous(theirs, id) != anonymous(nobodys, "NOSUCH") {
				t.Errorf("%s %s: %d %s", method, path, theirs.status, theirs.body)
			}
		}
	}
	for _, thread := range []string{stored.ThreadID, running.ThreadID, "slack-thread"} {
		ask := `{"message":"x","thread_id":"%s"}`
		theirs := w.call("bob", "POST", "/chat/send-chat-message", fmt.Sprintf(ask, thread))
		nobodys := w.call("bob", "POST", "/chat/send-chat-message", fmt.Sprintf(ask, "NOSUCH"))
		if theirs.status != 404 || anonymous(theirs, thread) != anonymous(nobodys, "NOSUCH") {
			t.Errorf("thread: %d %s", theirs.status, theirs.body)
		}
	}
	for _, body := range []string{`{"message":"x","parent_id":"` + stored.TurnID + `"}`, `{"message":"x","parent_id":"NOSUCH"}`} {
		if r := w.call("bob", "POST", "/chat/send-chat-message", body); r.status != 404 {
			t.Errorf("parent: %d %s", r.status, r.body)
		}
	}
	if r := w.call("ann", "POST", "/chat/send-chat-message", fmt.Sprintf(`{"message":"x","thread_id":%q,"parent_id":%q}`, running.ThreadID, stored.TurnID)); r.status != 400 {
		t.Errorf("parent of another thread: %d %s", r.status, r.body)
	}
	// Tokens without an address share nothing but themselves.
	own := w.answer("none", `{"message":"x"}`)
	if r := w.call("none", "GET", "/chat/turns/"+own.TurnID+"/events", ""); r.status != 200 {
		t.Errorf("one's own turn: %d %s", r.status, r.body)
	}
}

// anonymous is an error without what differs between any two requests.
func anonymous(r reply, id string) string {
	var body errorBody
	json.Unmarshal([]byte(r.body), &body)
	return strings.ReplaceAll(fmt.Sprint(r.status, body.Error.Kind, body.Error.Message, body.Error.TurnID), id, "ID")
}

func TestFailuresHaveTheirStatus(t *testing.T) {
	w := start(t, nil)
	for kind, status := range map[string]int{"unavailable": 503, "timeout": 504, "busy": 429, "too_large": 413, "internal": 500, "config": 500} {
		r := w.call("ann", "POST", "/chat/send-chat-message", `{"message":"fail `+kind+`"}`)
		var body errorBody
		if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != status || string(body.Error.Kind) != kind || body.Error.TurnID == "" {
			t.Errorf("%s: %d %s", kind, r.status, r.body)
		}
	}
	if r := w.call("ann", "POST", "/chat/send-chat-message", `{"message":"panic"}`); r.status != 500 || strings.Contains(r.body, "secret") {
		t.Errorf("panic: %d %s", r.status, r.body)
	}
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"fail timeout","stream":true}`)
	if e := s.until("error"); e.Kind != "timeout" || e.Message != "It failed as asked." {
		t.Errorf("last event %+v", e)
	}
	w.mind.broken = core.Errorf(core.KindDisk, "The ledger is damaged.")
	if r := w.call("ann", "GET", "/chat/turns/x/events", ""); r.status != 500 {
		t.Errorf("broken ledger: %d %s", r.status, r.body)
	}
	if r := w.call("broken", "POST", "/search", `{"query":"a"}`); r.status != 500 {
		t.Errorf("broken tokens: %d %s", r.status, r.body)
	}
}

func TestCrowdedThreadIsRefused(t *testing.T) {
	w := start(t, func(_ *Options, b *bot.Options) { b.PerThread = 1 })
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	thread := s.until("turn").ThreadID
	r := w.call("ann", "POST", "/chat/send-chat-message", fmt.Sprintf(`{"message":"x","thread_id":%q}`, thread))
	if r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %s %s", r.status, r.header, r.body)
	}
}

func TestSilentStreamsShowLife(t *testing.T) {
	w := start(t, func(_ *Options, b *bot.Options) { b.Heartbeat = 20 * time.Millisecond })
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hang","stream":true}`)
	s.until("text")
	for range 3 {
		if e := s.until("status"); e.Stage == "" {
			t.Errorf("%+v", e)
		}
	}
}

func TestManyStreamsAtOnce(t *testing.T) {
	w := start(t, nil)
	var wait sync.WaitGroup
	for i := range 50 {
		s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step a b c d e f g h","stream":true}`)
		wait.Go(func() {
			id := s.until("turn").TurnID
			if i%5 == 0 {
				s.stop()
				s = w.open("ann", "GET", "/chat/turns/"+id+"/events", "")
			}
			if done := s.until("done"); done.Answer != "a b c d e f g h " {
				t.Errorf("%+v", done)
			}
		})
	}
	for range 50 * 8 {
		w.mind.steps <- struct{}{}
	}
	wait.Wait()
}
