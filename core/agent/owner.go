package agent

import (
	"context"
	"sync"
	"time"
)

// owner waits for what goes on after the turns that began it.
type owner struct {
	mu     sync.Mutex
	busy   map[string]bool // threads that are being summarised
	closed bool
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup
}

func newOwner() *owner {
	o := &owner{busy: map[string]bool{}}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

// begin takes the thread; false if somebody else has it.
func (o *owner) begin(thread string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy[thread] {
		return false
	}
	o.busy[thread] = true
	return true
}

func (o *owner) end(thread string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.busy, thread)
}

// background runs the work unless the thread is taken or the agent closed.
func (o *owner) background(thread string, limit time.Duration, work func(context.Context)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.busy[thread] {
		return
	}
	o.busy[thread] = true
	o.group.Go(func() {
		defer o.end(thread)
		ctx, cancel := context.WithTimeout(o.ctx, limit)
		defer cancel()
		work(ctx)
	})
}

// after runs what waits for something that ends by itself, unless the agent is
// closed. Close waits for it.
func (o *owner) after(wait func()) {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		wait()
		return
	}
	o.group.Go(wait)
	o.mu.Unlock()
}

// Close stops what still runs after finished turns, which is summarising
// branches, and waits until it has ended. Nothing is lost: it is done after the
// next turn. Close the agent before the ledger.
func (o *owner) Close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.cancel()
	o.group.Wait()
}
