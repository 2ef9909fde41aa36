package index

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// How work makes room for searches.
const (
	calm      = 2 * time.Second        // after the last search nobody has to be waited for
	fairTurn  = 5 * time.Millisecond   // after which others that wait go first
	firstWait = 10 * time.Millisecond  // at most, before a piece of work begins
	waitShare = 4                      // times as long as it worked a piece of work waits at most
	maxWait   = 100 * time.Millisecond // and never longer than this
)

// pace lets searches go before the work of writing: the runtime knows no priorities,
// and what works without a pause holds a processor for ten milliseconds at a time. For
// a moment after a search one processor stays free for the next one, and while it runs
// two, the other one for what serves it. When nobody asks, nothing waits. No wait is
// longer than maxWait, and of the time at least a fifth is work, so that a write ends
// however much is asked.
type pace struct {
	processors int

	mu      sync.Mutex
	asking  int       // searches that run, and reads for them
	asked   time.Time // when the last one ended
	working int       // turns that are taken
	queue   []chan struct{}
}

func newPace() *pace { return &pace{processors: runtime.GOMAXPROCS(0)} }

// ask notes a search until the function that it returns is called.
func (p *pace) ask() (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asking--
		p.asked = time.Now()
		p.grant()
	}
}

// searched tells whether somebody asks, or did a moment ago.
func (p *pace) searched() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit() < math.MaxInt
}

// limit is how many turns there may be now. It is called with the lock.
func (p *pace) limit() int {
	if p.asking == 0 && (p.asked.IsZero() || time.Since(p.asked) > calm) {
		return math.MaxInt
	}
	return max(0, p.processors-max(1, 2*p.asking))
}

// turn is one goroutine's right to work. It belongs to that goroutine.
type turn struct {
	p     *pace
	since time.Time
}

// begin waits for a turn. It must be ended, and nothing be waited for meanwhile that
// needs another one.
func (p *pace) begin() *turn {
	t := &turn{p: p}
	p.mu.Lock()
	if len(p.queue) == 0 && p.working < p.limit() {
		p.working++
		p.mu.Unlock()
	} else {
		p.wait(firstWait)
	}
	t.since = time.Now()
	return t
}

// step is called every millisecond or so of work. It waits where a search needs the
// processor, or others have waited for it.
func (t *turn) step() {
	p := t.p
	p.mu.Lock()
	limit, worked := p.limit(), time.Since(t.since)
	if p.working <= limit && (len(p.queue) == 0 || worked < fairTurn) {
		p.mu.Unlock()
		return
	}
	p.working--
	p.grant()
	p.wait(min(waitShare*worked, maxWait))
	t.since = time.Now()
}

// end gives the turn back.
func (t *turn) end() {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.p.working--
	t.p.grant()
}

// grant hands out what turns there are, in the order of asking. It is called with the
// lock.
func (p *pace) grant() {
	for len(p.queue) > 0 && p.working < p.limit() {
		p.working++
		close(p.queue[0])
		p.queue = p.queue[1:]
	}
}

// wait takes a turn, at the latest after that time. It is called with the lock, which
// it gives back.
func (p *pace) wait(longest time.Duration) {
	mine := make(chan struct{})
	p.queue = append(p.queue, mine)
	p.mu.Unlock()
	late := time.NewTimer(longest)
	defer late.Stop()
	select {
	case <-mine:
		return
	case <-late.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, mine); i >= 0 { // else it was granted just now
		p.queue = slices.Delete(p.queue, i, i+1)
		p.working++
	}
}

// Asking notes, until done is called, that somebody waits for something beside the
// index that belongs to a search. Work makes room for it as for the search itself.
func (x *Index) Asking() (done func()) { return x.pace.ask() }

// Yield does a piece of work that takes processor time as soon as searches leave some
// for it.
func (x *Index) Yield(work func()) {
	t := x.pace.begin()
	defer t.end()
	work()
}

// Searched tells whether somebody searches, or did a moment ago: large pieces of work
// are then better done in small ones.
func (x *Index) Searched() bool { return x.pace.searched() }
