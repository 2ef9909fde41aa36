package discordtest

import (
	"context"
	"fmt"
	"time"
)

// Wait returns once the condition holds. It is looked at after every change of
// the server's state, and may use every method of the server. The error is the
// context's, or says that the server was closed.
func (s *Server) Wait(ctx context.Context, condition func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if condition() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return fmt.Errorf("the server was closed: %w", s.ctx.Err())
		}
	}
}

// Eventually waits up to two minutes for a condition and fails the test of New
// with the text of the whole state when it does not come.
func (s *Server) Eventually(what string, condition func() bool) {
	if s.tb == nil {
		return
	}
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 2*time.Minute)
	defer cancel()
	if err := s.Wait(ctx, condition); err != nil {
		s.tb.Fatalf("waited for %s: %v\n%s", what, err, s.Dump())
	}
}

// WaitReady waits until n connections have a session that is up.
func (s *Server) WaitReady(ctx context.Context, n int) error {
	return s.Wait(ctx, func() bool {
		ready := 0
		for _, c := range s.Connections() {
			if c.Ready() {
				ready++
			}
		}
		return ready >= n
	})
}
