package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Checkpoints are sent at least this often.
const (
	checkpointEvents = 100
	checkpointEvery  = 30 * time.Second
)

// sink is the part of sdk.Out that takes what a crawl finds.
type sink interface {
	Document(sdk.Document) error
	Unread(sdk.Document, error) error
	Note(text string) error
	Checkpoint(sdk.Cursor) error
}

// Sync crawls the site once: a crawl that was interrupted goes on, else a new one
// begins. Each known page costs one request, without content where it is as it was.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	return s.sync(ctx, since, out)
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out sink) (err error) {
	s.keep(nil)
	st, err := open(s.dir, s.settings(), since)
	if err != nil {
		return err
	}
	defer func() {
		if e := st.close(); err == nil {
			err = e
		}
	}()
	c := s.crawl(st, out)
	if err := c.run(ctx); err != nil {
		return err
	}
	s.keep(st.documents(s.GoneAfter))
	return nil
}

// settings is a digest of all that decides what is read: with other settings the crawl
// begins anew.
func (s *Source) settings() string {
	text, err := json.Marshal([]any{
		2, s.Site, s.Also, s.Sitemaps, s.Include, s.Exclude, s.Depth, s.MaxPages, s.MaxMB, s.Access, s.Server, sha256.Sum256([]byte(s.Authorization)), s.Header,
	})
	if err != nil {
		return "" // never, of such values
	}
	sum := sha256.Sum256(text)
	return short(sum[:])
}

// crawl is one run over a site.
type crawl struct {
	src    *Source
	state  *state
	out    sink
	strict bool // what cannot be read ends it: it is for a listing

	rules  map[string]*rules
	shapes shapes
	prints map[string]string // key of the page that was the first with a text, in this round
	later  []*known          // is looked at once more at the end

	twice map[*known]bool // was read anew; see look

	waiting map[string][]*known // by the key of the page that stands for them

	failures int // in a row
	events   int // since the last checkpoint
	last     time.Time
	starts   startCount
	tally    tally
}

// tally is what the notes tell.
type tally struct {
	full, endless, forbidden, noindex, away, thin, other int
	firstAway                                            string
}

func (s *Source) crawl(st *state, out sink) *crawl {
	return &crawl{src: s, state: st, out: out, rules: map[string]*rules{}, shapes: shapes{}, prints: map[string]string{}, waiting: map[string][]*known{}, twice: map[*known]bool{}, last: s.now()}
}

func (c *crawl) run(ctx context.Context) error {
	if c.state.Round == 0 || c.state.Whole {
		c.state.begin(c.src.GoneAfter, c.src.MaxPages)
	}
	c.remember()
	if !c.state.Named {
		if err := c.seed(ctx); err != nil {
			return err
		}
	}
	c.starts.left = len(c.src.scope.named)
	if err := c.pages(ctx); err != nil {
		return err
	}
	if err := c.doubt(); err != nil {
		return err
	}
	c.state.set(func() { c.state.Whole = true })
	if err := c.notes(); err != nil {
		return err
	}
	return c.checkpoint()
}

// pages looks at all pages, those too that are found on the way, and at last at those
// that are looked at once more.
func (c *crawl) pages(ctx context.Context) error {
	for i, j := 0, 0; ; {
		var k *known
		again := i == len(c.state.order)
		switch {
		case !again:
			k = c.state.order[i]
			i++
		case j < len(c.later):
			k = c.later[j]
			j++
		default:
			return ctx.Err()
		}
		if err := c.step(ctx, k, again); err != nil {
			return err
		}
	}
}

// step looks at one page, unless this round has done that.
func (c *crawl) step(ctx context.Context, k *known, again bool) error {
	start := c.src.scope.named[keyOf(k.URL)]
	if k.Round == c.state.Round {
		if start {
			c.starts.left--
			c.starts.good++
		}
		return nil
	}
	err := c.visit(ctx, k)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		c.failures = 0
		c.state.looked(k)
		c.look(k)
	case sdk.KindOf(err) == "busy":
		return errors.Join(err, c.checkpoint())
	default:
		if err := c.failed(ctx, k, err, again); err != nil {
			return err
		}
	}
	if start && !again {
		if err := c.started(err); err != nil {
			return err
		}
	}
	if c.events++; c.events < checkpointEvents && c.src.now().Sub(c.last) < checkpointEvery {
		return nil
	}
	return c.checkpoint()
}

func (c *crawl) checkpoint() error {
	c.events, c.last = 0, c.src.now()
	at, err := c.state.checkpoint()
	if err != nil {
		return err
	}
	return c.out.Checkpoint(at)
}
