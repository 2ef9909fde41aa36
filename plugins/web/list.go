package web

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// latest is what the crawl that ended last found to be there.
type latest struct {
	ids []string
	at  time.Time
}

// freshFor is how old a crawl may be to be taken for a listing.
const freshFor = 10 * time.Minute

func (s *Source) keep(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest = nil; ids != nil {
		s.latest = &latest{ids, s.now()}
	}
}

// take hands the last crawl to one listing.
func (s *Source) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.latest
	s.latest = nil
	if l == nil || s.now().Sub(l.at) > freshFor {
		return nil
	}
	return l.ids
}

// documents are the ids of what is there, or may be: a page counts as deleted when it
// was missing in so many complete crawls in a row.
func (st *state) documents(goneAfter int) []string {
	out := []string{}
	for _, k := range st.order {
		if (k.Sent != "" || k.Unread) && k.Misses < goneAfter {
			out = append(out, keyOf(k.URL))
		}
	}
	return out
}

// List names what a complete crawl finds: that of the sync just before, else one of its
// own, which sends nothing. A site that is down, or a page of which nothing can be said
// and nothing was known, makes the whole list fail.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	return s.list(ctx, out.Document)
}

func (s *Source) list(ctx context.Context, document func(id, revision string) error) error {
	ids := s.take()
	if ids == nil {
		st, _, err := load(s.dir, s.settings(), "")
		if err != nil {
			return err
		}
		if st == nil {
			st = newState(s.settings())
		}
		c := s.crawl(st, silent{})
		c.strict = true
		if err := c.run(ctx); err != nil {
			return voided(err)
		}
		ids = st.documents(s.GoneAfter)
	}
	for _, id := range ids {
		if err := document(id, ""); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// voided keeps the loss of one page from reading as the loss of the site.
func voided(err error) error {
	if kind := sdk.KindOf(err); kind == "gone" || kind == "invalid" || kind == "too_large" {
		return fmt.Errorf("nothing is deleted: %v", err)
	}
	return err
}

// silent takes what a listing finds on its way.
type silent struct{}

func (silent) Document(sdk.Document) error      { return nil }
func (silent) Unread(sdk.Document, error) error { return nil }
func (silent) Note(string) error                { return nil }
func (silent) Checkpoint(sdk.Cursor) error      { return nil }
