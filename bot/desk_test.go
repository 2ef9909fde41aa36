package bot

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// speaker answers as its script says and remembers what it was asked.
type speaker struct {
	say func(ctx context.Context, q core.Question, emit func(core.Event)) error

	mu     sync.Mutex
	asked  []core.Question
	active map[string]int // running turns by thread
	most   int
	ledger map[string]core.Turn
	order  []string
}

func (s *speaker) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	s.mu.Lock()
	s.asked = append(s.asked, q)
	s.active[q.Place.Thread]++
	s.most = max(s.most, s.active[q.Place.Thread])
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.active[q.Place.Thread]--
		s.mu.Unlock()
	}()
	emit(core.TurnStarted{TurnID: q.TurnID, ThreadID: q.Place.Thread})
	var text strings.Builder
	err := s.say(ctx, q, func(e core.Event) {
		if d, ok := e.(core.TextDelta); ok {
			text.WriteString(d.Delta)
		}
		emit(e)
	})
	if err != nil && ctx.Err() == nil {
		return core.Turn{}, err
	}
	t := core.Turn{
		ID: q.TurnID, Thread: q.Place.Thread, Place: q.Place.ID, Class: q.Audience.Class, Scope: q.Audience.Principals,
		Asker: q.Viewer.Email, Question: q.Text, Started: time.Now(),
		Answer: core.Answer{Text: text.String(), TurnID: q.TurnID, Stopped: ctx.Err() != nil, Citations: []core.Citation{}},
	}
	if n := len(q.History); n > 0 {
		t.Parent = q.History[n-1].ID
	}
	s.mu.Lock()
	s.ledger[t.ID], s.order = t, append(s.order, t.ID)
	s.mu.Unlock()
	emit(core.Done{Answer: t.Answer})
	return t, nil
}

func (s *speaker) Turn(_ context.Context, id string) (core.Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.ledger[id]; ok {
		return t, nil
	}
	return core.Turn{}, core.Errorf(core.KindNotFound, "no turn %s", id)
}

func (s *speaker) Thread(_ context.Context, thread string) ([]core.Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []core.Turn
	for _, id := range s.order {
		if s.ledger[id].Thread == thread {
			out = append(out, s.ledger[id])
		}
	}
	return out, nil
}

func (s *speaker) Branch(ctx context.Context, id string) ([]core.Turn, error) {
	var out []core.Turn
	for id != "" {
		t, err := s.Turn(ctx, id)
		if err != nil {
			return nil, err
		}
		out, id = append(out, t), t.Parent
	}
	slices.Reverse(out)
	return out, nil
}

func (s *speaker) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, q := range s.asked {
		out = append(out, q.Text)
	}
	return out
}

// words says the question's words, one event each.
func words(_ context.Context, q core.Question, emit func(core.Event)) error {
	for _, w := range strings.Fields(q.Text) {
		emit(core.TextDelta{Delta: w + " "})
	}
	return nil
}

// hanging says one word and then waits to be stopped.
func hanging(ctx context.Context, _ core.Question, emit func(core.Event)) error {
	emit(core.TextDelta{Delta: "partial"})
	<-ctx.Done()
	return ctx.Err()
}

type say = func(context.Context, core.Question, func(core.Event)) error

func desk(t *testing.T, say say, change func(*Options)) (*Desk, *speaker) {
	t.Helper()
	s := &speaker{say: say, active: map[string]int{}, ledger: map[string]core.Turn{}}
	n := 0
	var mu sync.Mutex
	o := Options{Answerer: s, Turns: s, NewID: func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("turn-%d", n)
	}}
	if change != nil {
		change(&o)
	}
	d := NewDesk(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return d, s
}

func ann(thread, text string) core.Question {
	viewer := access.Person("ann@example.com", true, nil)
	return core.Question{Text: text, Viewer: viewer, Place: core.Place{ID: "http:x", Platform: "http", Kind: core.PlaceDirect, Thread: thread, Home: true}}
}

func ask(t *testing.T, d *Desk, q core.Question, p Policy) *Running {
	t.Helper()
	r, err := d.Ask(t.Context(), q, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// opening is the first n events; the turn may go on.
func opening(t *testing.T, r *Running, n int) []string {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var out []string
	for e := range r.Subscribe(ctx, 0) {
		if out = append(out, short(e)); len(out) == n {
			break
		}
	}
	return out
}

// heard is all events from a number on, in short.
func heard(ctx context.Context, r *Running, from int) []string {
	var out []string
	for e := range r.Subscribe(ctx, from) {
		out = append(out, short(e))
	}
	return out
}

func short(e core.Event) string {
	switch e := e.(type) {
	case core.TextDelta:
		return "text:" + e.Delta
	case core.StatusChanged:
		return "status:" + e.Stage
	case core.Done:
		if e.Stopped {
			return "done(stopped):" + e.Text
		}
		return "done:" + e.Text
	case core.Failed:
		return "error:" + string(e.Kind)
	case core.Noticed:
		return "notice:" + e.Kind
	}
	return e.EventType()
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

func TestEveryReaderHearsTheWholeTurn(t *testing.T) {
	release := make(chan struct{})
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		emit(core.TextDelta{Delta: "a "})
		<-release
		return words(ctx, q, emit)
	}, nil)
	r := ask(t, d, ann("th", "b c"), Wait)
	all := []string{"turn", "text:a ", "text:b ", "text:c ", "done:a b c "}
	var wait sync.WaitGroup
	for from := range len(all) + 3 {
		wait.Go(func() {
			same(t, all[min(from, len(all)-1):], heard(t.Context(), r, from))
		})
	}
	gone, leave := context.WithCancel(t.Context())
	var left sync.WaitGroup
	twice := make(chan struct{})
	left.Go(func() {
		var early []string
		for e := range r.Subscribe(gone, 0) {
			if early = append(early, short(e)); len(early) == 2 {
				close(twice)
			}
		}
		same(t, all[:2], early)
	})
	<-twice
	leave() // while the turn is silent
	left.Wait()
	close(release)
	wait.Wait()
	same(t, all, heard(t.Context(), r, -5))
	same(t, all[2:], heard(t.Context(), r, 2))
}

func TestTurnOutlivesTheRequest(t *testing.T) {
	release := make(chan struct{})
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		<-release
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return words(ctx, q, emit)
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := d.Ask(ctx, ann("th", "x"), Wait)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	close(release)
	same(t, []string{"turn", "text:x ", "done:x "}, heard(t.Context(), r, 0))
}

func TestStopKeepsWhatWasSaid(t *testing.T) {
	d, s := desk(t, hanging, nil)
	r := ask(t, d, ann("th", "x"), Wait)
	for e := range r.Subscribe(t.Context(), 0) {
		if _, ok := e.(core.TextDelta); ok {
			if err := d.Stop(r.ID); err != nil {
				t.Error(err)
			}
		}
	}
	last, err := r.Wait(t.Context())
	if err != nil || short(last) != "done(stopped):partial" {
		t.Errorf("last event %v, error %v", last, err)
	}
	if kept, err := s.Turn(t.Context(), r.ID); err != nil || kept.Answer.Text != "partial" || !kept.Answer.Stopped {
		t.Errorf("kept %+v, error %v", kept, err)
	}
	if err := d.Stop(r.ID); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
	if err := d.Stop("nope"); core.KindOf(err) != core.KindNotFound {
		t.Errorf("stopping nothing: %v", err)
	}
}

func TestQuestionsOfAThreadWait(t *testing.T) {
	step := make(chan struct{})
	d, s := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		<-step
		return words(ctx, q, emit)
	}, nil)
	var all []*Running
	for i := range 4 {
		all = append(all, ask(t, d, ann("th", fmt.Sprint("q", i)), Wait))
	}
	other := ask(t, d, ann("elsewhere", "other"), Wait)
	waitFor(t, "both threads to start", func() bool { return len(s.texts()) == 2 })
	d.Stop(all[2].ID) // one that waits goes without running
	if last, _ := all[2].Wait(t.Context()); short(last) != "error:cancelled" {
		t.Errorf("a stopped waiting turn ends with %v", last)
	}
	time.Sleep(20 * time.Millisecond)
	if n := len(s.texts()); n != 2 {
		t.Errorf("%d turns have started", n)
	}
	close(step)
	same(t, []string{"turn", "status:waiting", "text:q3 ", "done:q3 "}, heard(t.Context(), all[3], 0))
	same(t, "done:other ", short(first(other.Wait(t.Context()))))
	texts := slices.DeleteFunc(s.texts(), func(s string) bool { return s == "other" })
	same(t, []string{"q0", "q1", "q3"}, texts)
	if s.most != 1 {
		t.Errorf("%d turns of a thread ran at once", s.most)
	}
	// Each knew those before it.
	var before [][]string
	for _, q := range s.asked {
		if q.Place.Thread == "th" {
			ids := []string{}
			for _, turn := range q.History {
				ids = append(ids, turn.Question)
			}
			before = append(before, ids)
		}
	}
	same(t, [][]string{{}, {"q0"}, {"q0", "q1"}}, before)
}

func first[T any](v T, _ error) T { return v }

func TestNewerQuestionReplaces(t *testing.T) {
	d, s := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		if strings.HasPrefix(q.Text, "hang") {
			return hanging(ctx, q, emit)
		}
		return words(ctx, q, emit)
	}, nil)
	old := ask(t, d, ann("th", "hang"), Wait)
	waitFor(t, "the first turn", func() bool { return len(s.texts()) == 1 })
	waiting := ask(t, d, ann("th", "hang too"), Wait)
	bystander := ask(t, d, ann("other", "hang"), Wait)
	newest := ask(t, d, ann("th", "now"), Replace)
	same(t, "done:now ", short(first(newest.Wait(t.Context()))))
	same(t, "done(stopped):partial", short(first(old.Wait(t.Context()))))
	same(t, "error:cancelled", short(first(waiting.Wait(t.Context()))))
	if bystander.Finished() {
		t.Error("a turn of another thread was stopped")
	}
	if s.most != 1 {
		t.Errorf("%d turns of a thread ran at once", s.most)
	}
}

func TestLimitsSayBusy(t *testing.T) {
	d, s := desk(t, hanging, func(o *Options) { o.Running, o.Open, o.PerThread = 2, 5, 3 })
	for range 3 {
		ask(t, d, ann("a", "x"), Wait)
	}
	_, err := d.Ask(t.Context(), ann("a", "x"), Wait)
	if core.KindOf(err) != core.KindBusy || !strings.Contains(err.Error(), "3 questions of this thread") {
		t.Errorf("fourth question of a thread: %v", err)
	}
	ask(t, d, ann("b", "x"), Wait)
	third := ask(t, d, ann("c", "x"), Wait)
	if _, err := d.Ask(t.Context(), ann("d", "x"), Replace); core.KindOf(err) != core.KindBusy {
		t.Errorf("sixth question: %v", err)
	}
	waitFor(t, "two turns", func() bool { return len(s.texts()) == 2 })
	time.Sleep(20 * time.Millisecond)
	if n := len(s.texts()); n != 2 {
		t.Errorf("%d turns run at once", n)
	}
	d.Stop(third.ID)
	third.Wait(t.Context())
	waitFor(t, "a free place", func() bool { _, err := d.Ask(t.Context(), ann("d", "x"), Wait); return err == nil })
}

func TestCloseStopsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	d, s := desk(t, hanging, func(o *Options) { o.Running = 3 })
	var all []*Running
	for i := range 9 {
		all = append(all, ask(t, d, ann(fmt.Sprint("th", i/2), "x"), Wait))
	}
	waitFor(t, "turns", func() bool { return len(s.texts()) == 3 })
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if end := short(first(r.Wait(t.Context()))); end != "done(stopped):partial" && end != "error:unavailable" {
			t.Errorf("%s ends with %s", r.ID, end)
		}
	}
	if _, err := d.Ask(t.Context(), ann("x", "x"), Wait); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("asking a closed desk: %v", err)
	}
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	release := make(chan struct{})
	d, s := desk(t, func(context.Context, core.Question, func(core.Event)) error { <-release; return nil }, nil)
	ask(t, d, ann("th", "x"), Wait)
	waitFor(t, "the turn", func() bool { return len(s.texts()) == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := d.Close(ctx); core.KindOf(err) != core.KindTimeout {
		t.Errorf("closing: %v", err)
	}
	close(release)
}

// Whatever the answerer does, every turn has an end.
func TestEveryTurnHasAnEnd(t *testing.T) {
	for _, row := range []struct {
		name string
		say  say
		want string
	}{
		{"error", func(context.Context, core.Question, func(core.Event)) error {
			return core.Errorf(core.KindUnavailable, "down")
		}, "error:unavailable"},
		{"error of others", func(context.Context, core.Question, func(core.Event)) error { return errors.New("secret") }, "error:internal"},
		{"panic", func(context.Context, core.Question, func(core.Event)) error { panic("secret") }, "error:internal"},
		{"failed and error", func(_ context.Context, _ core.Question, emit func(core.Event)) error {
			emit(core.Failed{Kind: core.KindBusy})
			return core.Errorf(core.KindTimeout, "later")
		}, "error:busy"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, _ := desk(t, row.say, nil)
			r := ask(t, d, ann("th", "x"), Wait)
			got := heard(t.Context(), r, 0)
			same(t, []string{"turn", row.want}, got)
			if last, _ := r.Wait(t.Context()); strings.Contains(fmt.Sprint(last), "secret") {
				t.Errorf("the reader sees %v", last)
			}
			after := ask(t, d, ann("th", "x"), Wait)
			after.Wait(t.Context()) // the thread goes on
		})
	}
}

func TestSilenceIsFilled(t *testing.T) {
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		emit(core.StatusChanged{Stage: "reading"})
		return hanging(ctx, q, func(core.Event) {})
	}, func(o *Options) { o.Heartbeat = 30 * time.Millisecond })
	r := ask(t, d, ann("th", "x"), Wait)
	n := 0
	for e := range r.Subscribe(t.Context(), 0) {
		if s, ok := e.(core.StatusChanged); ok && s.Stage == "reading" && s.Detail != "" {
			if n++; n == 3 {
				d.Stop(r.ID)
			}
		}
	}
}

func TestHistoryIsWhatTheAudienceMayKnow(t *testing.T) {
	d, s := desk(t, words, nil)
	for _, turn := range []core.Turn{
		{ID: "1", Class: string(core.PlacePublic), Scope: []core.Principal{core.Public, core.Workspace}},
		{ID: "2", Parent: "1", Class: string(core.PlaceDirect), Scope: []core.Principal{core.Public}, Asker: "bob@example.com"},
		{ID: "3", Parent: "2", Class: string(core.PlaceDirect), Scope: []core.Principal{core.Public, core.User("ann@example.com")}, Asker: "ann@example.com"},
		{ID: "4", Parent: "1", Class: string(core.PlacePublic), Scope: []core.Principal{core.Group("hr", "all")}},
	} {
		turn.Thread = "th"
		s.ledger[turn.ID], s.order = turn, append(s.order, turn.ID)
	}
	for _, row := range []struct {
		name   string
		change func(*core.Question)
		want   []string
	}{
		{"the newest branch", func(*core.Question) {}, []string{"1"}},
		{"a branch", func(q *core.Question) { q.Parent = "3" }, []string{"1", "3"}},
		{"nothing before it", func(q *core.Question) { q.History = []core.Turn{} }, []string{}},
		{"in public", func(q *core.Question) { q.Parent, q.Place.Kind = "3", core.PlacePublic }, []string{"1"}},
		{"somebody else", func(q *core.Question) { q.Parent, q.Viewer = "3", access.Person("eve@example.com", false, nil) }, []string{}},
		{"no thread", func(q *core.Question) { q.Place.Thread = "" }, []string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := ann("th", "x")
			row.change(&q)
			n := len(s.texts())
			ask(t, d, q, Wait).Wait(t.Context())
			ids := []string{}
			for _, turn := range s.asked[n].History {
				ids = append(ids, turn.ID)
			}
			same(t, row.want, ids)
			s.mu.Lock()
			s.order = s.order[:4] // forget the new turn
			s.mu.Unlock()
		})
	}
}
