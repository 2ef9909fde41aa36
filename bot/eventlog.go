package bot

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// eventLog is what a turn has said so far. Readers come for events by number, so
// none of them can hold the turn up.
type eventLog struct {
	limit int // bytes

	mu      sync.Mutex
	events  []core.Event
	sizes   []int
	base    int // events that were left out at the front
	gone    int // and those of them that were withdrawn
	first   core.Event
	size    int
	ended   bool
	stage   string
	found   []string // ids of documents that were named as found, with repeats
	cited   []string // and of those that the text cites
	notices []core.Noticed
	latest  time.Time
	changed chan struct{} // closed with the next event; nil where nobody waits for it
	beyond  chan struct{} // the same with the next event that is not text
}

func newEventLog(limit int) *eventLog {
	return &eventLog{limit: limit, latest: time.Now()}
}

// append adds an event, unless the last one has come.
func (l *eventLog) append(e core.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(e)
}

func (l *eventLog) add(e core.Event) {
	if l.ended {
		return
	}
	l.note(e)
	if l.first == nil {
		l.first = e
	}
	l.ended = isLast(e)
	l.latest = time.Now()
	n := sizeOf(e)
	l.events, l.sizes = append(l.events, e), append(l.sizes, n)
	if l.size += n; l.size > l.limit {
		l.shrink()
	}
	wake(&l.changed)
	if _, text := e.(core.TextDelta); !text {
		wake(&l.beyond)
	}
}

func wake(waiting *chan struct{}) {
	if *waiting != nil {
		close(*waiting)
		*waiting = nil
	}
}

func wait(waiting *chan struct{}) <-chan struct{} {
	if *waiting == nil {
		*waiting = make(chan struct{})
	}
	return *waiting
}

// note remembers what the event says beyond its place in the list.
func (l *eventLog) note(e core.Event) {
	switch e := e.(type) {
	case core.StatusChanged:
		l.stage = e.Stage
	case core.DocumentsFound:
		for _, d := range e.Documents {
			l.found = append(l.found, d.DocumentID)
		}
	case core.Noticed:
		l.notices = append(l.notices, e)
	case core.Cited:
		l.cited = append(l.cited, e.DocumentID)
	case core.Done:
		for _, c := range e.Citations {
			l.cited = append(l.cited, c.DocumentID)
		}
	}
}

// withdraw forgets all that was said but the turn's start, also for readers who
// have not come to it yet, and says so. It does nothing where the last event has
// come.
func (l *eventLog) withdraw(e core.Withdrawn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.base += len(l.events)
	l.gone, l.size = l.base, 0
	l.events, l.sizes = nil, nil
	l.found, l.cited, l.notices, l.stage = nil, nil, nil, ""
	l.add(e)
}

// documents are the ids of the documents that the events so far name.
func (l *eventLog) documents() (found, cited []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return distinct(l.found), distinct(l.cited)
}

func (l *eventLog) noticed() []core.Noticed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.notices)
}

func distinct(ids []string) []string {
	out := slices.Clone(ids)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > 0 && out[0] == "" {
		return out[1:] // a document that was not named
	}
	return out
}

// shrink leaves out the oldest events, down to half of the limit. The newest
// always stays.
func (l *eventLog) shrink() {
	n := 0
	for ; n < len(l.events)-1 && l.size > l.limit/2; n++ {
		l.size -= l.sizes[n]
	}
	l.base += n
	l.events, l.sizes = slices.Clone(l.events[n:]), slices.Clone(l.sizes[n:])
}

// at returns the event with the number and the number to go on with, or a
// channel that is closed when there is more; without text, when there is more
// than that.
func (l *eventLog) at(n int, text bool) (e core.Event, next int, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > 0 {
		n = max(n, l.gone)
	}
	switch end := l.base + len(l.events); {
	case n == 0 && l.first != nil:
		return l.first, 1, nil
	case n < l.base:
		return core.Noticed{
			Kind: "skipped",
			Text: strconv.Itoa(l.base-n) + " events were left out here; the final answer is complete.",
		}, l.base, nil
	case n < end:
		return l.events[n-l.base], n + 1, nil
	case l.ended:
		return l.events[len(l.events)-1], end, nil
	}
	if text {
		return nil, n, wait(&l.changed)
	}
	return nil, n, wait(&l.beyond)
}

// last returns the last event, or a channel that is closed when there is more.
func (l *eventLog) last() (core.Event, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		return nil, wait(&l.changed)
	}
	return l.events[len(l.events)-1], nil
}

// beat adds a sign of life if there was silence for the interval, and returns
// when to look again.
func (l *eventLog) beat(interval time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left := interval - time.Since(l.latest); left > 0 {
		return left
	}
	stage := l.stage
	if stage == "" {
		stage = "working"
	}
	l.add(core.StatusChanged{Stage: stage, Detail: "still at it"})
	return interval
}

func (l *eventLog) finished() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

func (l *eventLog) bytes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// perEvent is what an event takes in memory beside its text, about.
const perEvent = 64

// sizeOf is how much memory an event takes, about.
func sizeOf(e core.Event) int {
	if t, ok := e.(core.TextDelta); ok {
		return perEvent + len(t.Delta)
	}
	raw, err := core.MarshalEvent(e)
	if err != nil {
		return perEvent
	}
	return perEvent + len(raw)
}
