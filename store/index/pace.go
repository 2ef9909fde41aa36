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
	waitShare = 9                      // times as long as it worked a piece of work waits
	maxWait   = 100 * time.Millisecond // and no longer than this where no other works
	lastWait  = time.Second            // in any case
)

// pace lets searches go before the work of writing: the runtime knows no priorities,
// and what works without a pause holds a processor for ten milliseconds at a time. For
// a moment after a search one processor stays free for the next one, and while it runs
// two, the other one for what serves it. When nobody asks, nothing waits. However much
// is asked, one piece of work at a time goes on for a tenth of the time, and no wait is
// longer than lastWait, so that every write ends.
type pace struct {
	processors int

	mu      sync.Mutex
	asking  int       // searches that run, and reads for them
	asked   time.Time // when the last one ended
	working int       // turns that are taken
	queue   []chan struct{}

	begun chan struct{} // holds one once somebody asks after a time when nobody did
}

func newPace() *pace {
	return &pace{processors: runtime.GOMAXPROCS(0), begun: make(chan struct{}, 1)}
}

// ask notes a search until the function that it returns is called.
func (p *pace) ask() (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit() == math.MaxInt {
		select {
		case p.begun <- struct{}{}:
		default:
		}
	}
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

// quietFor tells that nobody asks and nobody did for so long.
func (p *pace) quietFor(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asking == 0 && (p.asked.IsZero() || time.Since(p.asked) > d)
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

// wait takes a turn, after that time also one that there is not, unless another goes
// on already. It is called with the lock, which it gives back.
func (p *pace) wait(patience time.Duration) {
	mine, start := make(chan struct{}), time.Now()
	p.queue = append(p.queue, mine)
	p.mu.Unlock()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case <-mine:
			return
		case <-late.C:
			if p.take(mine, time.Since(start) >= lastWait) {
				return
			}
			late.Reset(max(patience, firstWait))
		}
	}
}

// take takes a turn that was not granted, if none is taken or in any case.
func (p *pace) take(waiting chan struct{}, always bool) (taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.queue, waiting)
	switch {
	case i < 0:
		return true // it was granted just now
	case p.working > 0 && !always:
		return false
	}
	p.queue = slices.Delete(p.queue, i, i+1)
	p.working++
	return true
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
