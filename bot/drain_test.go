package bot

import (
	"context"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// What runs when Footnote is stopped ends by itself, if it does so in time; nothing
// new is taken, and what is cut in the end keeps what it had said.
func TestDrain(t *testing.T) {
	goOn := make(chan struct{})
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		emit(core.TextDelta{Delta: "first "})
		if q.Text == "endless" {
			<-ctx.Done()
			return ctx.Err()
		}
		select {
		case <-goOn:
		case <-ctx.Done():
			return ctx.Err()
		}
		emit(core.TextDelta{Delta: "last"})
		return nil
	}, nil)
	short, endless := ask(t, d, ann("a", "short"), Wait), ask(t, d, ann("b", "endless"), Wait)
	limited, cancel := context.WithCancel(t.Context())
	drained := make(chan bool)
	go func() { drained <- d.Drain(limited) }()
	waitFor(t, "the desk to refuse", func() bool { return d.Open() == 2 && refuses(d) })
	close(goOn)
	waitFor(t, "the short turn", func() bool { return d.Open() == 1 })
	cancel()
	if <-drained {
		t.Error("an endless turn counts as ended")
	}
	closing, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	if err := d.Close(closing); err != nil {
		t.Fatal(err)
	}
	for r, want := range map[*Running]string{short: "first last", endless: "first "} {
		turn, err := d.opts.Turns.Turn(t.Context(), r.ID)
		if err != nil || turn.Answer.Text != want {
			t.Errorf("turn %s says %q, want %q (%v)", r.ID, turn.Answer.Text, want, err)
		}
	}
	if !d.Drain(t.Context()) {
		t.Error("a closed desk has turns")
	}
}

// refuses tells whether the desk takes no more questions.
func refuses(d *Desk) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}
