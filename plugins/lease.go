package plugins

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Lease is the use of a source's connector for a while; see Host.Use. It works as
// a Connection does, and how its streams end decides whether the source rests.
type Lease struct {
	*Connection
	host *Host
	seat *seat
	once sync.Once
}

// Close ends the use. The process goes on for others, and for a while without any.
func (l *Lease) Close() error {
	l.once.Do(func() {
		l.seat.turn <- struct{}{}
		defer l.seat.unlock()
		if l.seat.conn != l.Connection {
			return // it is gone already
		}
		l.seat.users--
		switch {
		case l.seat.users > 0:
		case l.seat.outdated:
			l.seat.end()
		default:
			l.host.stopLater(l.seat)
		}
	})
	return nil
}

// stopLater ends the seat's process after a while without use.
func (h *Host) stopLater(s *seat) {
	conn := s.conn
	s.unused = time.AfterFunc(h.opts.IdleStop, func() {
		s.turn <- struct{}{}
		defer s.unlock()
		if s.conn == conn && s.users == 0 {
			s.end()
			s.starts = s.starts.after(nil, h.opts.Now()) // it behaved
		}
	})
}

// Sync is Connection.Sync. Refused credentials are renewed once, where the host
// keeps them, and the sync goes on from its last checkpoint.
func (l *Lease) Sync(ctx context.Context, since core.Cursor, reason core.SyncReason, each func(core.Change) error) error {
	var ours error // of each: says nothing of the source
	last, lastReason := since, reason
	record := func(change core.Change) error {
		if ours = each(change); ours != nil {
			return ours
		}
		if c, ok := change.(core.Checkpoint); ok {
			last, lastReason = c.Cursor, core.SyncPoll
		}
		return nil
	}
	if err := l.refused(ctx, syncs); err != nil {
		return err
	}
	run := func() error { return l.Connection.Sync(ctx, last, lastReason, record) }
	err := run()
	if l.renewed(ctx, err, ours) {
		err = run()
	}
	l.outcome(ctx, syncs, err, ours)
	return err
}

// Grants is Connection.Grants, with credentials renewed as Sync does.
func (l *Lease) Grants(ctx context.Context, since core.Cursor, each func(core.AccessChange) error) error {
	var ours error
	record := func(change core.AccessChange) error {
		ours = each(change)
		return ours
	}
	if err := l.refused(ctx, grants); err != nil {
		return err
	}
	err := l.Connection.Grants(ctx, since, record)
	if l.renewed(ctx, err, ours) {
		err = l.Connection.Grants(ctx, since, record)
	}
	l.outcome(ctx, grants, err, ours)
	return err
}

// List is Connection.List. Credentials that are refused half-way fail it: a list
// cannot go on.
func (l *Lease) List(ctx context.Context, each func(externalID, revision string) error) error {
	if err := l.refused(ctx, lists); err != nil {
		return err
	}
	var ours error
	err := l.Connection.List(ctx, func(id, revision string) error {
		ours = each(id, revision)
		return ours
	})
	l.outcome(ctx, lists, err, ours)
	return err
}

// refused is why no stream of the kind may run now, nil if one may.
func (l *Lease) refused(ctx context.Context, stream int) error {
	if err := l.seat.lock(ctx); err != nil {
		return err
	}
	defer l.seat.unlock()
	return l.seat.streams[stream].refusal(l.seat.name, l.host.opts.Now())
}

// renewed tells whether refused credentials were replaced.
func (l *Lease) renewed(ctx context.Context, err, ours error) bool {
	if err == nil || ours != nil || core.KindOf(err) != core.KindAuth || !l.renewable() {
		return false
	}
	if err := l.refresh(ctx); err != nil {
		l.log.Warn("refused credentials were not renewed", "error", err)
		return false
	}
	return true
}

// outcome takes note of how a stream ended.
func (l *Lease) outcome(ctx context.Context, stream int, err, ours error) {
	if ours != nil || ctx.Err() != nil {
		return
	}
	l.seat.turn <- struct{}{}
	defer l.seat.unlock()
	if l.seat.conn != l.Connection {
		return // stopped by the host, or counted as a crash
	}
	l.host.bury(l.seat)
	if l.seat.conn == nil {
		return // that was the failure
	}
	health := l.seat.streams[stream].after(err, l.host.opts.Now())
	l.seat.streams[stream] = health
	if err == nil {
		l.seat.starts = health // the process did what it is for
	}
	var stuck *stuckError
	if errors.As(err, &stuck) || core.KindOf(err) == core.KindTimeout {
		l.seat.end() // it does not listen
	}
}

// CensorFor asks the source's connector, started if needed, each time it is asked.
// A connector that cannot be reached is an error, which drops the passages.
func (h *Host) CensorFor(src core.Source) core.Censor { return leasedCensor{host: h, src: src} }

type leasedCensor struct {
	host *Host
	src  core.Source
}

// Censor is Connection.Censor.
func (c leasedCensor) Censor(ctx context.Context, viewer core.Viewer, passages []core.Result) ([]core.Verdict, error) {
	l, err := c.host.Use(ctx, c.src)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.Censor(ctx, viewer, passages)
}
