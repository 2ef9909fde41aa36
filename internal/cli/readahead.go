package cli

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/store"
)

// pagesAhead is how many pages of facts wait until the index can take them: those of
// 65,536 documents, in 4 MB where the ledger has them packed and in 20 MB where it does
// not yet.
const pagesAhead = 64

// readAhead is a ledger whose facts are read while the index opens, because a start
// waits for both. What changes after they were read stands in the backlog, as at any
// other time.
type readAhead struct {
	ingest.Outbox
	pages chan store.FactPage
	stop  context.CancelFunc
	err   error // once pages is closed
	taken bool
}

func newReadAhead(ctx context.Context, s *store.Store) *readAhead {
	ctx, stop := context.WithCancel(ctx)
	r := &readAhead{Outbox: s, pages: make(chan store.FactPage, pagesAhead), stop: stop}
	go func() {
		defer close(r.pages)
		r.err = s.FactPages(ctx, func(page store.FactPage) error {
			select {
			case r.pages <- page:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	return r
}

// Facts hands over what was read ahead. Where it is asked again, and by others than
// the start, it reads anew.
func (r *readAhead) Facts(ctx context.Context, each func([]core.Facts) error) error {
	if r.taken {
		return r.Outbox.Facts(ctx, each)
	}
	r.taken = true
	defer r.close()
	return r.unpacked(ctx, each)
}

// unpacked unpacks a page while the one before it is taken.
func (r *readAhead) unpacked(ctx context.Context, each func([]core.Facts) error) error {
	ready, used := make(chan []core.Facts), make(chan []core.Facts, 2)
	used <- nil
	used <- nil
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		defer close(ready)
		for page := range r.pages {
			facts, err := page.Unpack((<-used)[:0])
			if err != nil {
				return err
			}
			select {
			case ready <- facts:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return r.err
	})
	work.Go(func() error {
		for facts := range ready {
			if err := each(facts); err != nil {
				return err
			}
			used <- facts
		}
		return nil
	})
	return work.Wait()
}

// close ends the reading and waits for it.
func (r *readAhead) close() {
	r.stop()
	for range r.pages { // what nobody takes any more
	}
}
