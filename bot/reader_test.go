package bot

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Whoever waits for more than text is not woken by it, finds it all the same, and is
// woken by everything else.
func TestReaderIsWokenByMoreThanText(t *testing.T) {
	rows := map[string]func(*eventLog){
		"status":    func(l *eventLog) { l.append(core.StatusChanged{Stage: "writing"}) },
		"citation":  func(l *eventLog) { l.append(core.Cited{Number: 1}) },
		"withdrawn": func(l *eventLog) { l.withdraw(core.Withdrawn{Text: "sorry"}) },
		"the end":   func(l *eventLog) { l.append(core.Done{}) },
	}
	for name, wakes := range rows {
		t.Run(name, func(t *testing.T) {
			r := &Running{log: newEventLog(1 << 20)}
			r.log.append(core.TurnStarted{TurnID: "t"})
			events := r.Reader()
			if e, more := events.Next(true); e == nil || more != nil {
				t.Fatalf("the first event is %v", e)
			}
			_, any := events.Next(true)
			_, beyond := events.Next(false)
			r.log.append(core.TextDelta{Delta: "a"})
			r.log.append(core.TextDelta{Delta: "b"})
			if !closed(any) || closed(beyond) {
				t.Errorf("text wakes: who wants it %v, who does not %v", closed(any), closed(beyond))
			}
			if e, _ := events.Next(false); e != (core.Event)(core.TextDelta{Delta: "a"}) {
				t.Errorf("the text is not there: %v", e)
			}
			_, beyond = (&Reader{log: r.log, at: 3}).Next(false)
			wakes(r.log)
			if !closed(beyond) {
				t.Error("nobody was woken")
			}
		})
	}
}

// A Reader gives what Subscribe gives, also of a log that left events out.
func TestReaderReadsAsSubscribe(t *testing.T) {
	for _, limit := range []int{1 << 20, 400} {
		r := &Running{log: newEventLog(limit)}
		r.log.append(core.TurnStarted{TurnID: "t"})
		for range 20 {
			r.log.append(core.TextDelta{Delta: "some text"})
		}
		r.log.append(core.Done{})
		var want, got []core.Event
		for e := range r.Subscribe(t.Context(), 0) {
			want = append(want, e)
		}
		for events := r.Reader(); ; {
			e, more := events.Next(len(got)%2 == 0)
			if more != nil {
				t.Fatal("an event is missing")
			}
			if got = append(got, e); isLast(e) {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
