package plugins

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Use lends the source's connector. One process serves all who use the source at
// a time; it is started if none runs, with new settings if these changed, and
// stopped when nobody has used it for Options.IdleStop. The lease must be closed.
//
// A process that does not come up, or ends by itself, is started again after 1, 5
// and 30 minutes; then the source is parked. Wrong settings park it at once.
// Meanwhile Use fails with an error that Resting knows, and so do Sync, List and
// Grants of a lease after these failed in the same way; refused credentials park
// them at once. Changed settings end both.
func (h *Host) Use(ctx context.Context, src core.Source) (*Lease, error) {
	s, err := h.take(ctx, src.Name)
	if err != nil {
		return nil, err
	}
	defer s.unlock()
	if !sameSettings(s.src, src) {
		s.end()
		s.reset(h.opts.Now())
	}
	s.src = src
	h.bury(s)
	if s.conn == nil {
		if err := h.seatNew(ctx, s); err != nil {
			return nil, err
		}
	}
	if s.unused != nil {
		s.unused.Stop()
		s.unused = nil
	}
	s.users++
	return &Lease{Connection: s.conn, host: h, seat: s}, nil
}

// take locks the source's seat, which is made if there is none yet.
func (h *Host) take(ctx context.Context, name string) (*seat, error) {
	for {
		s, err := h.seatOf(name)
		if err != nil {
			return nil, err
		}
		if err := s.lock(ctx); err != nil {
			return nil, err
		}
		if again, err := h.seatOf(name); err == nil && again == s {
			return s, nil
		}
		s.unlock() // it was forgotten while we waited
	}
}

func (h *Host) seatOf(name string) (*seat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, core.Errorf(core.KindCancelled, "source %q: the host of connectors is closed", name)
	}
	s, ok := h.seats[name]
	if !ok {
		s = &seat{name: name, turn: make(chan struct{}, 1)}
		s.reset(h.opts.Now())
		h.seats[name] = s
	}
	return s, nil
}

func sameSettings(a, b core.Source) bool {
	return a.Connector == b.Connector && bytes.Equal(a.Config, b.Config) && a.Discretion == b.Discretion && slices.Equal(a.Access, b.Access)
}

// seatNew starts a process for the seat, which must be locked and without one.
func (h *Host) seatNew(ctx context.Context, s *seat) error {
	if err := s.starts.refusal(s.name, h.opts.Now()); err != nil {
		return err
	}
	conn, err := h.Open(ctx, s.src)
	if err != nil {
		if ctx.Err() == nil { // who asked did not lose patience
			s.starts = s.starts.after(err, h.opts.Now())
		}
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		conn.Close()
		return core.Errorf(core.KindCancelled, "source %q: the host of connectors is closed", s.name)
	}
	s.conn, s.users = conn, 0
	h.watching.Go(func() { h.watch(s, conn) })
	return nil
}

// watch takes note when a process ends by itself.
func (h *Host) watch(s *seat, conn *Connection) {
	<-conn.Done()
	s.turn <- struct{}{}
	defer s.unlock()
	if s.conn == conn {
		h.bury(s)
	}
}

// bury removes a process that has ended by itself and counts the crash. Whoever
// sees it first does it; the seat must be locked.
func (h *Host) bury(s *seat) {
	if s.conn == nil {
		return
	}
	select {
	case <-s.conn.Done():
	default:
		return
	}
	dead := s.conn
	s.end()
	s.crashes++
	s.starts = s.starts.after(dead.crash(), h.opts.Now())
}

// Unpark lets a source that waits or is parked be tried again at once. An
// explicit command of the owner calls it first.
func (h *Host) Unpark(ctx context.Context, source string) error {
	s, err := h.take(ctx, source)
	if err != nil {
		return err
	}
	defer s.unlock()
	s.reset(h.opts.Now())
	return nil
}

// Forget stops the connector of a source that was removed, and forgets how it
// fared.
func (h *Host) Forget(ctx context.Context, source string) error {
	s, err := h.take(ctx, source)
	if err != nil {
		return err
	}
	defer s.unlock()
	s.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.seats, source)
	return nil
}

// States tells how every source fares that was used since the host started, by
// name. One that is being started at the moment is waited for.
func (h *Host) States(ctx context.Context) ([]SourceState, error) {
	var out []SourceState
	for _, s := range h.allSeats() {
		if err := s.lock(ctx); err != nil {
			return nil, err
		}
		out = append(out, s.report(h.opts.Now()))
		s.unlock()
	}
	return out, nil
}

func (h *Host) allSeats() []*seat {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*seat
	for _, s := range h.seats {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *seat) int { return strings.Compare(a.name, b.name) })
	return out
}

// Close stops every process that Use started and waits for them. Use fails from
// now on.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	for _, s := range h.allSeats() {
		s.turn <- struct{}{}
		s.end()
		s.unlock()
	}
	h.watching.Wait()
	return nil
}
