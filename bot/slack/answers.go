package slack

import (
	"context"
	"sync"

	"github.com/footnote-bot/footnote/bot"
)

// answers are the replies that are being written. Each has a goroutine, which is
// waited for.
type answers struct {
	work sync.WaitGroup

	mu   sync.Mutex
	open map[*answer]bool
}

func newAnswers() *answers { return &answers{open: map[*answer]bool{}} }

// start runs an answer on a goroutine of its own.
func (s *answers) start(ctx context.Context, n *answer) {
	ctx, n.cancel = context.WithCancelCause(ctx)
	s.mu.Lock()
	s.open[n] = true
	s.mu.Unlock()
	s.work.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.open, n)
			s.mu.Unlock()
			n.cancel(nil)
		}()
		bot.Guarded(n.log, "answer", func() { n.run(ctx) })
	})
}

func (s *answers) wait() { s.work.Wait() }

func (s *answers) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// find lists the open answers that fit.
func (s *answers) find(fits func(*answer) bool) []*answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*answer
	for n := range s.open {
		if fits(n) {
			out = append(out, n)
		}
	}
	return out
}

// to lists the open answers to a message.
func (s *answers) to(channel, ts string) []*answer {
	return s.find(func(n *answer) bool { return n.req.channel == channel && n.req.ts == ts && ts != "" })
}

// in lists the open answers of a thread.
func (s *answers) in(channel, root string) []*answer {
	return s.find(func(n *answer) bool { return n.req.channel == channel && n.req.root == root && root != "" })
}
