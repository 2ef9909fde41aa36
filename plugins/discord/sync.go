package discord

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// Sync sends what changed in each channel since the cursor. What cannot be read
// for want of a right is named at the end, when all else has been sent.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	return s.sync(ctx, since, out)
}

// pass is one run of Sync.
type pass struct {
	*history.Pass
	*found
	src    *Source
	cursor *cursor
	failed int // threads that could not be read
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out history.Sink) error {
	f, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	at := s.readCursor(since)
	p := &pass{Pass: history.NewPass(out, at, s.now, f.lost), src: s, found: f, cursor: at}
	if err := p.Outside(f.outside, "the bot may not read %s: it needs View Channel and Read Message History there"); err != nil {
		return err
	}
	if err := p.closeVanished(); err != nil {
		return err
	}
	history.Order(f.rooms, func(r room) (bool, int64) { return at.at(r).To != 0, int64(at.at(r).Done) })
	return history.Each(ctx, p.Pass, f.rooms, func(r room) error { return p.room(ctx, r, at.at(r)) })
}

func (p *pass) closeVanished() error {
	names, there := map[string]string{}, map[string]bool{}
	for id, at := range p.cursor.Rooms {
		names[id] = at.Name
	}
	for _, r := range p.rooms {
		there[r.ID] = true
	}
	return p.Vanished(names, there, "it was deleted, is closed to the bot, or is no longer configured",
		func(id string) { delete(p.cursor.Rooms, id) }, p.src.files())
}

// lookEvery is how old the knowledge may be by which a document gets its readers: a
// first sync takes hours.
const lookEvery = time.Minute

// look renews what is known of who sees the channel.
func (p *pass) look(ctx context.Context, r *room) error {
	if p.src.now().Sub(r.looked) < lookEvery {
		return nil
	}
	doing := "the channel #" + r.Name
	began := p.src.now()
	g, err := p.api.Guild(r.GuildID, discordgo.WithContext(ctx))
	if err != nil {
		return explain(doing, err)
	}
	c, err := p.api.Channel(r.ID, discordgo.WithContext(ctx))
	if err != nil {
		return explain(doing, err)
	}
	if g.ID != r.GuildID || len(g.Roles) == 0 || c.ID != r.ID {
		return explain(doing, errOdd)
	}
	c.Name = r.Name // a new name is for the next pass, in all documents alike
	in := *r.in
	in.Guild = g
	*r = room{c, &in, began}
	if !reads(r.may(holder{p.me, in.bot}), false, false) {
		return sdk.Denied(fmt.Errorf("%s was closed to the bot while it was read", doing))
	}
	return nil
}
