package bot

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// clock is set by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// put tells whether all turns are put away.
func put(d *Desk) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open == 0
}

func TestFinishedTurnsAreKeptForAWhile(t *testing.T) {
	c := &clock{now: time.Unix(1000, 0)}
	d, s := desk(t, words, func(o *Options) { o.Now = c.Now })
	r := ask(t, d, ann("th", "a b"), Wait)
	r.Wait(t.Context())
	waitFor(t, "the turn to be put away", func() bool { return put(d) })
	whole := []string{"turn", "text:a ", "text:b ", "done:a b "}
	short := []string{"turn", "done:a b "}
	for _, row := range []struct {
		after time.Duration
		want  []string
	}{{9 * time.Minute, whole}, {59 * time.Second, whole}, {2 * time.Second, short}, {time.Hour, short}} {
		c.forward(row.after)
		found, err := d.Find(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, row.want, heard(t.Context(), found, 0))
		same(t, row.want[len(row.want)-1:], heard(t.Context(), found, 99))
		if found.Asker != "ann@example.com" || found.Thread != "th" || found.Place != "http:x" {
			t.Errorf("found %+v", found)
		}
	}
	s.ledger["empty"] = core.Turn{ID: "empty"}
	failed, err := d.Find(t.Context(), "empty")
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{"turn", "error:unavailable"}, heard(t.Context(), failed, 0))
	if _, err := d.Find(t.Context(), "nope"); core.KindOf(err) != core.KindNotFound {
		t.Errorf("finding nothing: %v", err)
	}
	if len(d.turns) != 0 || d.kept != 0 {
		t.Errorf("%d turns, %d bytes are kept", len(d.turns), d.kept)
	}
}

func TestFinishedTurnsTakeABoundedRoom(t *testing.T) {
	d, _ := desk(t, words, func(o *Options) { o.KeptBytes = 100 << 10 })
	for i := range 50 {
		ask(t, d, ann(fmt.Sprint(i), strings.Repeat("x", 5000)), Wait).Wait(t.Context())
	}
	waitFor(t, "the last turn to be put away", func() bool { return put(d) })
	if d.kept > 100<<10 || len(d.turns) == 0 || len(d.turns) > 20 {
		t.Errorf("%d turns with %d bytes are kept", len(d.turns), d.kept)
	}
}

func TestOneTurnTakesABoundedRoom(t *testing.T) {
	const pieces = 5000
	d, _ := desk(t, func(_ context.Context, _ core.Question, emit func(core.Event)) error {
		for i := range pieces {
			emit(core.TextDelta{Delta: fmt.Sprintf("%d,", i)})
		}
		return nil
	}, func(o *Options) { o.TurnBytes = 20 << 10 })
	r := ask(t, d, ann("th", "x"), Wait)
	r.Wait(t.Context())
	if n := r.log.bytes(); n > 40<<10 { // the last event alone has the whole text
		t.Errorf("the log takes %d bytes", n)
	}
	got := heard(t.Context(), r, 0)
	if got[0] != "turn" || got[1] != "notice:skipped" || !strings.HasSuffix(got[len(got)-1], fmt.Sprintf("%d,", pieces-1)) {
		t.Errorf("heard %v … %v", got[:3], got[len(got)-1][:20])
	}
	if n := len(got); n > 1000 {
		t.Errorf("%d events are kept", n)
	}
	same(t, "done:0,1,", got[len(got)-1][:9])
}

// A reader that takes nothing holds up neither the turn nor the others.
func TestSlowReaderDelaysNobody(t *testing.T) {
	d, _ := desk(t, func(_ context.Context, _ core.Question, emit func(core.Event)) error {
		for range 20_000 {
			emit(core.TextDelta{Delta: "x"})
		}
		return nil
	}, nil)
	r := ask(t, d, ann("th", "x"), Wait)
	stuck := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		n := 0
		for range r.Subscribe(t.Context(), 0) {
			if n++; n == 2 {
				<-stuck
			}
		}
		if n != 20_002 {
			t.Errorf("the slow reader heard %d events", n)
		}
	})
	r.Wait(t.Context())
	if n := len(heard(t.Context(), r, 0)); n != 20_002 {
		t.Errorf("another reader heard %d events", n)
	}
	close(stuck)
	wait.Wait()
}

func TestManyTurnsAndReaders(t *testing.T) {
	d, s := desk(t, words, func(o *Options) { o.Running = 8 })
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() {
			r, err := d.Ask(t.Context(), ann(fmt.Sprint("th", i%10), "a b c"), Wait)
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				wait.Go(func() {
					got := heard(t.Context(), r, 0)
					if n := len(got); n < 5 || n > 6 || got[n-1] != "done:a b c " {
						t.Errorf("heard %v", got)
					}
				})
			}
		})
	}
	wait.Wait()
	if s.most != 1 {
		t.Errorf("%d turns of a thread ran at once", s.most)
	}
	waitFor(t, "threads to be left", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.tails) == 0 && d.open == 0
	})
}

func TestKnownTo(t *testing.T) {
	d, _ := desk(t, words, nil)
	direct := func(p core.Place) core.Place { p.Kind = core.PlaceDirect; return p }(core.Place{ID: "http:y"})
	person := func(email string, member bool) core.Viewer { return access.Person(email, member, nil) }
	r := ask(t, d, ann("th", "x"), Wait)
	bypass := ann("th2", "x")
	bypass.Viewer.Bypass = true
	free := ask(t, d, bypass, Wait)
	for _, row := range []struct {
		name   string
		turn   *Running
		place  core.Place
		viewer core.Viewer
		want   bool
	}{
		{"the asker", r, direct, person("ann@example.com", true), true},
		{"the asker, no longer a member", r, direct, person("ann@example.com", false), false},
		{"the asker, in public", r, core.Place{Kind: core.PlacePublic, Home: true}, person("ann@example.com", true), false},
		{"somebody else", r, direct, person("bob@example.com", true), false},
		{"the asker, without the bypass it was made with", free, direct, person("ann@example.com", true), false},
	} {
		if got := row.turn.KnownTo(row.place, row.viewer); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}

func TestFirstOfAThread(t *testing.T) {
	release := make(chan struct{})
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		<-release
		return words(ctx, q, emit)
	}, nil)
	r := ask(t, d, ann("th", "x"), Wait)
	for _, stage := range []string{"running", "stored"} {
		got, err := d.First(t.Context(), "th")
		if err != nil || got.ID != r.ID || got.Asker != "ann@example.com" {
			t.Errorf("%s: %+v, %v", stage, got, err)
		}
		if stage == "running" {
			close(release)
			r.Wait(t.Context())
		}
	}
	for _, thread := range []string{"", "nope"} {
		if _, err := d.First(t.Context(), thread); core.KindOf(err) != core.KindNotFound {
			t.Errorf("thread %q: %v", thread, err)
		}
	}
}
