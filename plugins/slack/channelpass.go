package slack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// channelPass is a pass through one channel.
type channelPass struct {
	*pass
	c        channel
	at       *place
	start    stamp
	was      known             // what was sent before
	now      map[string]string // what is there
	unsaved  bool              // ids that are not in the file
	begun    stamp             // what lies later was sent by a run of this pass that was stopped
	restrain stamp             // ids older than this are not kept
}

// channel sends what changed in a channel, back in time from now.
func (p *pass) channel(ctx context.Context, c channel, at *place) error {
	if at.To == 0 {
		at.To, at.At = p.src.now().Unix()+1, 0
	}
	to := stamp(at.To) * second
	cp := &channelPass{
		pass: p, c: c, at: at, start: p.src.start(at), was: p.src.readKnown(c, at.Done), now: map[string]string{},
		restrain: to - stamp(p.src.Days+2)*day,
	}
	until := to
	cp.begun = to
	if at.At == 0 {
		at.Live = slices.DeleteFunc(at.Live, func(ts string) bool { t, _ := stampOf(ts); return t >= cp.start })
	} else {
		until = stamp(at.At) * second
		cp.begun = until
	}
	if until > cp.start {
		if err := cp.walk(ctx, until); err != nil {
			return err
		}
	}
	if err := cp.revisit(ctx); err != nil {
		return err
	}
	at.Done, at.To, at.At = at.To, 0, 0
	if err := cp.save(); err != nil {
		return err
	}
	return cp.settle()
}

func (p *channelPass) walk(ctx context.Context, until stamp) error {
	pages := history.Pages[message, stamp]{From: p.start, Hour: hour, At: message.when}
	return p.src.back(ctx, p.me, p.c, p.start, until, pageSize, func(list []message, down stamp) error {
		if err := p.look(ctx, &p.c); err != nil {
			return err
		}
		whole, edge := pages.Add(list, down)
		for _, h := range whole {
			if err := p.hour(ctx, h); err != nil {
				return err
			}
		}
		if edge >= until {
			return p.Breathe()
		}
		if err := p.gone(edge, until); err != nil {
			return err
		}
		until, p.at.At = edge, int64(edge/second)
		return p.save()
	})
}

// hour sends the documents of one hour.
func (p *channelPass) hour(ctx context.Context, list []message) error {
	for _, u := range units(list) {
		if err := p.unit(ctx, u); err != nil {
			return err
		}
		if err := p.Breathe(); err != nil {
			return err
		}
	}
	return nil
}

func (p *channelPass) unit(ctx context.Context, u unit) error {
	mark, sent := p.was.IDs[u.id]
	if !sent {
		p.unsaved = true
	}
	list := u.messages
	settled := p.at.Done > 0 && mark == u.mark() && !slices.Contains(p.at.Retry, u.id)
	if u.thread {
		root := u.messages[0]
		span := stamp(p.src.Days) * day
		to := stamp(p.at.To) * second
		if root.latest > to-span && root.at < to-span/2 {
			p.cursor.live(p.at, u.id)
		}
		settled = settled && root.latest < stamp(p.at.Done)*second-recent
	}
	if settled {
		p.now[u.id] = mark
		return nil
	}
	if u.thread {
		var err error
		if list, err = p.src.thread(ctx, p.me, p.c, u.id); err != nil {
			return p.unreadable(ctx, u, err)
		}
		p.at.Retry = history.Without(p.at.Retry, u.id)
	}
	d, err := p.src.document(ctx, p.me, p.c, u, list)
	if err != nil {
		return err
	}
	p.now[u.id] = u.mark()
	return p.send(ctx, d)
}

// unreadable records a thread that cannot be read. One that may be readable later
// is kept in mind.
func (p *channelPass) unreadable(ctx context.Context, u unit, err error) error {
	kind := sdk.KindOf(err)
	switch {
	case history.Fatal(err):
		return err
	case kind == "gone":
		p.at.Retry = history.Without(p.at.Retry, u.id)
		return nil // deleted since it was listed
	case kind == "":
		if p.failed++; p.failed > mostFailed || !p.cursor.retry(p.at, u.id) {
			return fmt.Errorf("too many threads cannot be read: %w", err)
		}
	}
	p.now[u.id] = ""
	if looking := p.look(ctx, &p.c); looking != nil {
		return looking
	}
	d := p.src.facts(p.me, p.c, u)
	d.Access = p.src.access(p.c)
	return p.Out.Unread(d, err)
}

// send sends a document for those who may read it at this moment: with few requests
// a minute one page of a channel, or its old threads, take long.
func (p *channelPass) send(ctx context.Context, d sdk.Document) error {
	if err := p.look(ctx, &p.c); err != nil {
		return err
	}
	d.Access = p.src.access(p.c)
	return p.Out.Document(d)
}

// gone removes what was sent of a part of the channel and is not there any more.
func (p *channelPass) gone(from, until stamp) error {
	for _, id := range slices.Sorted(maps.Keys(p.was.IDs)) {
		t, _ := stampOf(id)
		if _, there := p.now[id]; there || t < from || t >= until {
			continue
		}
		if err := p.Out.Removed(documentID(p.c, id)); err != nil {
			return err
		}
	}
	return nil
}

// revisit reads the old threads in which somebody still wrote, or that could not be
// read before.
func (p *channelPass) revisit(ctx context.Context) error {
	limit := stamp(p.at.To)*second - stamp(p.src.Days)*day
	for _, ts := range slices.Concat(p.at.Live, p.at.Retry) {
		at, ok := stampOf(ts)
		if ok && at >= p.start {
			continue // the pass came by it
		}
		drop := func() { p.at.Live, p.at.Retry = history.Without(p.at.Live, ts), history.Without(p.at.Retry, ts) }
		if !ok {
			drop()
			continue
		}
		u := unit{id: ts, at: at, thread: true}
		list, err := p.src.thread(ctx, p.me, p.c, ts)
		if err == nil && len(list) == 0 {
			err = sdk.Gone(errors.New("nothing is left of the thread"))
		}
		switch {
		case sdk.KindOf(err) == "gone":
			drop()
			if err := p.Out.Removed(documentID(p.c, ts)); err != nil {
				return err
			}
			continue
		case err != nil:
			if err := p.unreadable(ctx, u, err); err != nil {
				return err
			}
			continue
		}
		d, err := p.src.document(ctx, p.me, p.c, u, list)
		if err != nil {
			return err
		}
		if err := p.send(ctx, d); err != nil {
			return err
		}
		if p.at.Retry = history.Without(p.at.Retry, ts); list[len(list)-1].at < limit {
			drop()
		}
		if err := p.Breathe(); err != nil {
			return err
		}
	}
	return nil
}

// save writes a checkpoint, and before it that the host may have what was sent.
func (p *channelPass) save() error {
	if p.unsaved {
		all := known{Done: p.was.Done, IDs: maps.Clone(p.was.IDs)}
		for id := range p.now {
			if _, ok := all.IDs[id]; !ok && p.keeps(id) {
				all.IDs[id] = ""
			}
		}
		if err := p.src.files().Write(p.c.id, all); err != nil {
			return err
		}
		p.was, p.unsaved = all, false
	}
	return p.Checkpoint()
}

func (p *channelPass) keeps(id string) bool {
	t, ok := stampOf(id)
	return ok && t >= p.restrain
}
