package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// roomPass is a pass through one channel.
type roomPass struct {
	*pass
	r        room
	at       *place
	start    snowflake
	was      known // what was sent before
	now      known // what is there
	unsaved  bool  // ids that are not in the file
	begun    snowflake
	restrain snowflake // windows older than this are not kept
}

// room sends what changed in a channel: its messages back in time from now, then
// its threads.
func (p *pass) room(ctx context.Context, r room, at *place) error {
	if at.To == 0 {
		at.To, at.At, at.Next = snowflakeAt(p.src.now())+second, 0, 0
	}
	rp := &roomPass{
		pass: p, r: r, at: at, start: p.src.start(at), was: p.src.readKnown(r, at.Done), begun: at.To,
		now: known{Windows: map[string]string{}, Threads: map[string]string{}}, restrain: at.To - snowflake(p.src.Days+2)*day,
	}
	if at.At != 0 {
		rp.begun = at.At
	}
	if until := rp.begun; !r.forum() && until > rp.start && at.Next == 0 {
		if err := rp.walk(ctx, until); err != nil {
			return err
		}
	}
	if err := rp.allThreads(ctx); err != nil {
		return err
	}
	at.Done, at.To, at.At, at.Next = at.To, 0, 0, 0
	if err := rp.save(); err != nil {
		return err
	}
	return rp.settle()
}

func (p *roomPass) walk(ctx context.Context, until snowflake) error {
	pages := history.Pages[message, snowflake]{From: p.start, Hour: hour, At: message.when}
	return p.back(ctx, p.r, p.start, until, func(list []message, down snowflake) error {
		if err := p.look(ctx, &p.r); err != nil {
			return err
		}
		whole, edge := pages.Add(list, down)
		for _, h := range whole {
			for _, w := range windows(h) {
				if err := p.sendWindow(ctx, w); err != nil {
					return err
				}
			}
		}
		if edge >= until {
			return p.Breathe()
		}
		if err := p.gone(edge, until); err != nil {
			return err
		}
		until, p.at.At = edge, edge
		return p.save()
	})
}

func (p *roomPass) sendWindow(ctx context.Context, list []message) error {
	id, mark := list[0].id.String(), markOf(list)
	was, sent := p.was.Windows[id]
	p.unsaved = p.unsaved || !sent
	p.now.Windows[id] = mark
	if p.at.Done > 0 && was == mark {
		return nil
	}
	return p.send(ctx, p.src.window(p.r, list), nil)
}

// gone removes the windows of a part of the channel that are not there any more.
func (p *roomPass) gone(from, until snowflake) error {
	for _, id := range slices.Sorted(maps.Keys(p.was.Windows)) {
		t, _ := snowflakeOf(id)
		if _, there := p.now.Windows[id]; there || t < from || t >= until {
			continue
		}
		if err := p.Out.Removed(windowID(p.r, t)); err != nil {
			return err
		}
	}
	return nil
}

// allThreads sends the threads that changed, the newest first.
func (p *roomPass) allThreads(ctx context.Context) error {
	since := p.src.Since
	if p.at.Done > 0 {
		since = (p.at.Done - day).time()
	}
	list, err := p.src.threads(ctx, p.found, p.r, since)
	if err != nil {
		return err
	}
	if err := p.lostThreads(list); err != nil {
		return err
	}
	for n, t := range list {
		if p.at.Next != 0 && idOf(t) >= p.at.Next && !slices.Contains(p.at.Retry, t.ID) {
			continue
		}
		if err := p.look(ctx, &p.r); err != nil {
			return err
		}
		if err := p.sendThread(ctx, t); err != nil {
			return err
		}
		if p.at.Next = idOf(t); n%50 == 49 {
			if err := p.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// lostThreads removes threads that were open and are neither that nor archived
// since. Others that were deleted are for List to tell.
func (p *roomPass) lostThreads(list []*discordgo.Channel) error {
	there := map[string]bool{}
	for _, t := range list {
		there[t.ID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(p.was.Threads)) {
		if there[id] || !wasOpen(p.was.Threads[id]) {
			continue
		}
		p.at.Retry = history.Without(p.at.Retry, id)
		delete(p.was.Threads, id)
		if err := p.Out.Removed(threadID(p.r, id)); err != nil {
			return err
		}
	}
	return nil
}

func (p *roomPass) sendThread(ctx context.Context, t *discordgo.Channel) error {
	mark := threadMark(t)
	was, sent := p.was.Threads[t.ID]
	p.unsaved = p.unsaved || !sent
	last, ok := snowflakeOf(t.LastMessageID)
	if again := slices.Contains(p.at.Retry, t.ID); !again && ok && p.at.Done > 0 && sameMark(was, mark) && last < p.at.Done-recent {
		p.now.Threads[t.ID] = mark
		return nil
	}
	list, more, err := p.src.said(ctx, p.found, t)
	if err != nil {
		return p.unreadable(ctx, t, err)
	}
	p.at.Retry = history.Without(p.at.Retry, t.ID)
	p.now.Threads[t.ID] = mark
	return p.send(ctx, p.src.thread(p.r, t, list, more), t)
}

// unreadable records a thread that cannot be read. One that may be readable later
// is kept in mind.
func (p *roomPass) unreadable(ctx context.Context, t *discordgo.Channel, err error) error {
	kind := sdk.KindOf(err)
	switch {
	case history.Fatal(err):
		return err
	case kind == "gone":
		p.at.Retry = history.Without(p.at.Retry, t.ID)
		return p.Out.Removed(threadID(p.r, t.ID)) // deleted since it was listed
	case kind == "":
		if p.failed++; p.failed > mostFailed || !p.cursor.retry(p.at, t.ID) {
			return fmt.Errorf("too many threads cannot be read: %w", err)
		}
	}
	p.now.Threads[t.ID] = ""
	if looking := p.look(ctx, &p.r); looking != nil {
		return looking
	}
	d := p.src.thread(p.r, t, nil, false)
	d.Access = p.src.access(p.r, t)
	return p.Out.Unread(d, err)
}

// send sends a document for those who may read it at this moment: a pause that
// Discord calls for may lie between reading and sending.
func (p *roomPass) send(ctx context.Context, d sdk.Document, t *discordgo.Channel) error {
	if err := p.look(ctx, &p.r); err != nil {
		return err
	}
	d.Access = p.src.access(p.r, t)
	return p.Out.Document(d)
}

// save writes a checkpoint, and before it that the host may have what was sent.
func (p *roomPass) save() error {
	if p.unsaved {
		for id := range p.now.Windows {
			if _, ok := p.was.Windows[id]; !ok && p.keeps(id) {
				p.was.Windows[id] = ""
			}
		}
		for id := range p.now.Threads {
			if _, ok := p.was.Threads[id]; !ok {
				p.was.Threads[id] = ""
			}
		}
		if err := p.src.files().Write(p.r.ID, p.was); err != nil {
			return err
		}
		p.unsaved = false
	}
	return p.Checkpoint()
}

func (p *roomPass) keeps(id string) bool {
	t, ok := snowflakeOf(id)
	return ok && t >= p.restrain
}

// settle writes, once the host has it, what is there and in which state. What a
// stopped run of this pass had sent keeps its place without a state, and a thread
// that was not listed keeps what it had.
func (p *roomPass) settle() error {
	all := known{Done: p.at.Done, Windows: map[string]string{}, Threads: p.was.Threads}
	for id, mark := range p.now.Windows {
		if p.keeps(id) {
			all.Windows[id] = mark
		}
	}
	for id := range p.was.Windows {
		t, _ := snowflakeOf(id)
		if _, ok := all.Windows[id]; !ok && p.keeps(id) && t >= p.begun {
			all.Windows[id] = ""
		}
	}
	maps.Copy(all.Threads, p.now.Threads)
	return p.src.files().Write(p.r.ID, all)
}
