package slacktest

import (
	"context"
	"fmt"
	"time"
)

// Wait returns once the condition holds. It is looked at after every change of
// the server's state and every ten milliseconds, because it may ask the bot too,
// and may use every method of the server. The error is the context's, or says
// that the server was closed.
func (s *Server) Wait(ctx context.Context, condition func() bool) error {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if condition() {
			return nil
		}
		select {
		case <-changed:
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return fmt.Errorf("the server was closed: %w", s.ctx.Err())
		}
	}
}

// Eventually waits up to two minutes for a condition and fails the test of New
// with Dump and Trace when it does not come.
func (s *Server) Eventually(what string, condition func() bool) {
	if s.tb == nil {
		return
	}
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 2*time.Minute)
	defer cancel()
	if err := s.Wait(ctx, condition); err != nil {
		s.tb.Fatalf("waited for %s: %v\n%s\n%s", what, err, s.Dump(), s.Trace())
	}
}

// WaitDelivery waits until a delivery is acked or lost.
func (s *Server) WaitDelivery(ctx context.Context, id string) (Delivery, error) {
	var d Delivery
	if _, ok := s.Delivery(id); !ok {
		return d, fmt.Errorf("there is no delivery %q", id)
	}
	err := s.Wait(ctx, func() bool {
		d, _ = s.Delivery(id)
		return d.Acked || d.Lost
	})
	return d, err
}

// WaitIdle waits until every delivery is acked or lost.
func (s *Server) WaitIdle(ctx context.Context) error {
	return s.Wait(ctx, func() bool {
		for _, d := range s.Deliveries("") {
			if !d.Acked && !d.Lost {
				return false
			}
		}
		return true
	})
}

// Settle is WaitIdle that pushes the clock ahead by a step whenever nothing has
// come to an end for 20 milliseconds, so that waits for acks and retries pass.
func (s *Server) Settle(ctx context.Context, step time.Duration) error {
	for {
		round, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		err := s.WaitIdle(round)
		cancel()
		if err == nil || ctx.Err() != nil || s.ctx.Err() != nil {
			return err
		}
		s.clock.Advance(step)
	}
}

// WaitSocket waits until n sockets are up.
func (s *Server) WaitSocket(ctx context.Context, n int) error {
	return s.Wait(ctx, func() bool { return len(s.OpenSockets()) >= n })
}
