package cli

import (
	"context"

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
	var facts []core.Facts
	for page := range r.pages {
		var err error
		if facts, err = page.Unpack(facts[:0]); err != nil {
			return err
		}
		if err := each(facts); err != nil {
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
