package jsonapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// atOnce is how many items are asked for side by side.
const atOnce = 4

// Sync sends what changed in each list since the cursor.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	return s.sync(ctx, since, out)
}

// sink is the part of sdk.Out that takes what a pass finds.
type sink interface {
	Document(sdk.Document) error
	Unread(sdk.Document, error) error
	Failed(id string, err error) error
	Removed(id string) error
	Checkpoint(sdk.Cursor) error
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out sink) error {
	at := s.readCursor(since)
	for i := range s.recipe.Lists {
		l := &s.recipe.Lists[i]
		p := &pass{client: s.client, list: l, out: out, cursor: at, place: at.Lists[l.Name]}
		if err := p.run(ctx); err != nil {
			return voided(l.Name, err)
		}
	}
	return at.send(out)
}

func (c *cursor) send(out sink) error {
	now, err := sdk.JSONCursor(c)
	if err != nil {
		return err
	}
	return out.Checkpoint(now)
}

// voided names the list, and keeps its loss from reading as the loss of one
// document.
func voided(list string, err error) error {
	if err == nil {
		return nil
	}
	if sdk.KindOf(err) == "gone" {
		return sdk.Denied(fmt.Errorf("the list %s is not there: %w", list, err))
	}
	return fmt.Errorf("the list %s: %w", list, err)
}

// pass reads one list.
type pass struct {
	client *client
	list   *list
	out    sink
	cursor *cursor
	place  *place
	since  time.Time         // from where on the list is asked for
	done   time.Time         // what is older was sent
	seen   map[uint64]uint64 // from an item's id to its content, of this pass
	anchor *place            // where the pass is resumed, until that page was read
}

// errMoved says that what a pass was resumed at is somewhere else now.
var errMoved = errors.New("the list moved")

func (p *pass) run(ctx context.Context) error {
	overlap, err := p.list.Since.overlap()
	if err != nil {
		return err
	}
	p.since, p.done = before(p.place.Since, overlap), before(p.place.Done, overlap)
	if p.place.At != nil {
		at := *p.place
		p.anchor = &at
		err := p.walk(ctx, *at.At)
		if !errors.Is(err, errMoved) && !refused(err) {
			return err
		}
		p.anchor, p.place.At, p.place.Anchor = nil, nil, nil // a cursor of the system does not live for ever
	}
	w := walk{pages: &p.list.List}
	return p.walk(ctx, w.first())
}

func (p *pass) walk(ctx context.Context, at position) error {
	p.seen = map[uint64]uint64{}
	s := p.client.scope()
	s.since = p.list.Since.format(p.since)
	w := walk{client: p.client, pages: &p.list.List, scope: s, looks: true, each: func(ctx context.Context, g page) (int, error) {
		return p.page(ctx, g, s)
	}}
	if err := w.run(ctx, at); err != nil {
		return err
	}
	p.place.finish()
	return p.cursor.send(p.out)
}

// page sends what is new on a page.
func (p *pass) page(ctx context.Context, g page, s scope) (int, error) {
	if p.place.Start == 0 {
		p.place.Start = g.when.UnixMilli()
	}
	var wanted []one
	ids, old, fresh := make([]uint64, 0, len(g.items)), 0, 0
	for i, item := range g.items {
		id, err := p.list.id(ctx, item, s)
		if err != nil {
			return 0, err
		}
		key := printOf([]byte(id))
		ids = append(ids, key)
		if was, ok := p.seen[key]; ok && was == g.prints[i] {
			continue
		}
		fresh++
		p.seen[key] = g.prints[i]
		o, err := p.judge(ctx, id, item, s)
		if err != nil {
			return 0, err
		}
		if o.early {
			old++
		}
		if o.old && !slices.Contains(p.place.Retry, key) {
			continue
		}
		wanted = append(wanted, o)
	}
	if p.anchor != nil {
		if !p.anchor.anchored(ids) {
			return 0, errMoved
		}
		p.anchor = nil
	}
	if err := p.send(ctx, wanted, s); err != nil {
		return 0, err
	}
	if !g.again {
		p.place.passed(g, ids)
	}
	if err := p.cursor.send(p.out); err != nil {
		return 0, err
	}
	if p.list.Since.Stop && !g.again && old > 0 && old == len(g.items) {
		return fresh, errEnough
	}
	return fresh, nil
}

// send reads the items side by side and sends them in their order.
func (p *pass) send(ctx context.Context, wanted []one, s scope) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range wanted {
		o := &wanted[i]
		if o.gone {
			continue
		}
		group.Go(func() error {
			o.doc, o.err = p.client.whole(within, p.list, o.id, o.item, s)
			if ends(o.err) {
				return o.err
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, o := range wanted {
		if err := p.tell(o); err != nil {
			return err
		}
	}
	return nil
}

// ends tells that an error is about the system and not about one item.
func ends(err error) bool {
	kind := sdk.KindOf(err)
	return kind == "auth" || kind == "busy" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (p *pass) tell(o one) error {
	var wrong *mistake
	switch {
	case o.gone:
		return p.out.Removed(o.id)
	case o.err == nil:
		return p.out.Document(o.doc)
	case sdk.KindOf(o.err) == "gone":
		// The list names it, so that it is closed rather than deleted; the whole list
		// tells what is gone.
		return p.out.Unread(sdk.Document{ID: o.id}, sdk.Denied(o.err))
	case sdk.KindOf(o.err) == "denied", errors.As(o.err, &wrong):
		return p.out.Unread(sdk.Document{ID: o.id}, o.err) // who may read it is not known
	}
	p.place.left(o.id)
	return p.out.Failed(o.id, o.err)
}

// refused tells that the system does not know a page that there was before.
func refused(err error) bool {
	var status *statusError
	return errors.As(err, &status) && slices.Contains([]int{400, 404, 410, 422}, status.code)
}
