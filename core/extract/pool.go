package extract

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	maxChildren   = 2                // at once
	maxChildFiles = 100              // then a fresh one, against slow leaks
	idleTime      = 30 * time.Second // that a child waits for the next file
)

// childPool lends out children and keeps one that did well for a while, since
// starting one costs up to seconds.
type childPool struct {
	executable string
	hello      hello
	log        *slog.Logger
	slots      chan struct{}

	mu     sync.Mutex
	idle   []*child
	timer  *time.Timer // ends idle children
	closed bool
}

func newChildPool(o Options, l Limits) *childPool {
	return &childPool{
		executable: o.Executable,
		hello:      hello{CacheDir: o.CacheDir, Memory: l.Memory},
		log:        o.Log,
		slots:      make(chan struct{}, maxChildren),
	}
}

var errClosed = errors.New("the extractor is closed")

// take waits for a free slot. Every child taken must be given back. One for
// office files is ready at once; any other reads those as well as PDF.
func (p *childPool) take(ctx context.Context, office bool) (*child, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := p.waiting(office)
	if err == nil && c == nil {
		h := p.hello
		h.Office = office
		c, err = startChild(ctx, p.executable, h)
	}
	if err != nil {
		<-p.slots
		return nil, err
	}
	return c, nil
}

// waiting returns an idle child that is still alive and can do the work, nil if
// there is none. Those that cannot are ended, so that no more wait than may work.
func (p *childPool) waiting(office bool) (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if c.alive() && (office || !c.office) {
			return c, nil
		}
		c.stop()
	}
	return nil, nil
}

// give takes a child back. One that failed is ended, and gone when give returns.
func (p *childPool) give(c *child, good bool) {
	defer func() { <-p.slots }()
	c.files++
	p.mu.Lock()
	keep := good && !p.closed && c.files < maxChildFiles && c.alive()
	if keep {
		p.idle = append(p.idle, c)
		if p.timer != nil {
			p.timer.Stop()
		}
		p.timer = time.AfterFunc(idleTime, p.endIdle)
	}
	p.mu.Unlock()
	if !keep {
		c.stop()
	}
}

// endIdle holds the lock until they are gone, so that close waits for them too
// when the timer is just ending them.
func (p *childPool) endIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		c.stop()
	}
	p.idle = nil
}

// close ends idle children, waits for those at work and refuses new work.
func (p *childPool) close() error {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.endIdle()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for range cap(p.slots) {
		<-p.slots
	}
	return nil
}
