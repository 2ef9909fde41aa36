package plugins

import (
	"context"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// seat is a source's place in the host: one process at most, and how it fared.
type seat struct {
	name string
	turn chan struct{} // holds a token for who may touch what follows

	src     core.Source
	conn    *Connection // nil where none runs
	users   int         // leases of conn
	unused  *time.Timer // ends conn, once nobody has used it for a while
	starts  health      // of processes: did they come up, and stay
	streams [streamKinds]health
	crashes int

	outdated bool // conn is of a program that was replaced meanwhile
}

// The streams of a lease, which fail and rest apart: that groups may not be read
// is no reason to stop reading documents.
const (
	syncs = iota
	lists
	grants
	streamKinds
)

// lock waits for the seat: starting a process takes a while, and holds up nobody
// but those who want the same source.
func (s *seat) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}: // even where the time was up at the same moment
		return nil
	default:
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return stopped(ctx, "waiting for the connector of source \""+s.name+"\"")
	}
}

func (s *seat) unlock() { <-s.turn }

func (s *seat) reset(now time.Time) {
	s.starts = health{state: StateReady, since: now}
	for i := range s.streams {
		s.streams[i] = s.starts
	}
}

// end stops the seat's process, if it has one, and waits for it. Leases of it
// fail from now on.
func (s *seat) end() {
	if s.unused != nil {
		s.unused.Stop()
		s.unused = nil
	}
	if s.conn == nil {
		return
	}
	conn := s.conn
	s.conn, s.users, s.outdated = nil, 0, false
	conn.Close()
}

// crash is the error of a process that ended by itself.
func (c *Connection) crash() error {
	if err := c.death(context.Background(), "source \""+c.src.Name+"\": running its connector", errors.New("the process ended")); err != nil {
		return err
	}
	return core.Errorf(core.KindUnavailable, "source %q: its connector's process ended", c.src.Name)
}

// report tells of what holds the source up most.
func (s *seat) report(now time.Time) SourceState {
	worst, failures := s.starts, s.starts.failures
	for _, h := range s.streams {
		if d := rank(h, now) - rank(worst, now); d > 0 || d == 0 && worst.err == nil {
			worst = h
		}
		failures = max(failures, h.failures)
	}
	out := SourceState{
		Source: s.name, State: worst.state, Since: worst.since, Until: worst.until, Failures: failures, Crashes: s.crashes, Err: worst.err,
	}
	if rank(worst, now) == 0 {
		out.State, out.Until = StateReady, time.Time{}
		if s.conn != nil {
			out.State = StateRunning
		}
	}
	return out
}

// rank orders healths by how much they hold up.
func rank(h health, now time.Time) int {
	switch {
	case h.state == StateParked:
		return 2
	case h.state == StateWaiting && now.Before(h.until):
		return 1
	}
	return 0
}
