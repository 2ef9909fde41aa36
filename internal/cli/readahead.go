package cli

import (
	"context"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// pagesAhead is how many pages of facts wait until the index can take them: those of
// 32,768 documents where the ledger has pages of them, in 9 MB.
const pagesAhead = 32

// readAhead is a ledger whose facts are read while the index opens, because a start
// waits for both. What changes after they were read stands in the backlog, as at any
// other time.
type readAhead struct {
	ingest.Outbox
	pages chan []core.Facts
	stop  context.CancelFunc
	err   error // once pages is closed
	taken bool
}

func newReadAhead(ctx context.Context, s ingest.Outbox) *readAhead {
	ctx, stop := context.WithCancel(ctx)
	r := &readAhead{Outbox: s, pages: make(chan []core.Facts, pagesAhead), stop: stop}
	go func() {
		defer close(r.pages)
		r.err = s.Facts(ctx, func(page []core.Facts) error {
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
	for page := range r.pages {
		if err := each(page); err != nil {
			return err
		}
	}
	return r.err
}

// close ends the reading and waits for it.
func (r *readAhead) close() {
	r.stop()
	for range r.pages { // what nobody takes any more
	}
}
