package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Sync sends what changed in each channel since the cursor. What cannot be read
// for want of a right is named at the end, when all else has been sent.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	return s.sync(ctx, since, out)
}

// sink is the part of sdk.Out that takes what a pass finds.
type sink interface {
	Document(sdk.Document) error
	Unread(sdk.Document, error) error
	Removed(id string) error
	FolderFailed(folder string, err error) error
	Note(text string) error
	Checkpoint(sdk.Cursor) error
}

// pass is one run of Sync.
type pass struct {
	*found
	src     *Source
	out     sink
	cursor  *cursor
	refused []error   // rights that were missing
	failed  int       // threads that could not be read
	saved   time.Time // when the last checkpoint was
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out sink) error {
	f, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	p := &pass{src: s, found: f, out: out, cursor: s.readCursor(since), refused: f.lost, saved: s.now()}
	if err := p.tell(); err != nil {
		return err
	}
	if err := p.closeVanished(); err != nil {
		return err
	}
	for _, r := range p.order() {
		err := p.room(ctx, r, p.cursor.at(r))
		switch {
		case refusal(err):
			p.refused = append(p.refused, err)
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
	if err := p.checkpoint(); err != nil {
		return err
	}
	return p.want()
}

// order puts channels first whose pass was stopped, then those that were read
// longest ago: else the first ones would be read again and again before the last.
func (p *pass) order() []room {
	stopped := func(r room) int {
		if p.cursor.at(r).To != 0 {
			return 0
		}
		return 1
	}
	list := slices.Clone(p.rooms)
	slices.SortStableFunc(list, func(a, b room) int {
		return cmp.Or(cmp.Compare(stopped(a), stopped(b)), cmp.Compare(p.cursor.at(a).Done, p.cursor.at(b).Done))
	})
	return list
}

// tell notes which channels are not read, and why.
func (p *pass) tell() error {
	if len(p.outside) == 0 {
		return nil
	}
	few := strings.Join(p.outside[:min(len(p.outside), 5)], ", ")
	if more := len(p.outside) - 5; more > 0 {
		few += fmt.Sprintf(" and %d more", more)
	}
	return p.out.Note("the bot may not read " + few + ": it needs View Channel and Read Message History there")
}

func (p *pass) checkpoint() error {
	c, err := sdk.JSONCursor(p.cursor)
	if err != nil {
		return err
	}
	p.saved = p.src.now()
	return p.out.Checkpoint(c)
}

// breathe is a checkpoint where the last one was a while ago: a channel can
// take long.
func (p *pass) breathe() error {
	if p.src.now().Sub(p.saved) < 30*time.Second {
		return nil
	}
	return p.checkpoint()
}

// want is nil where no right was missing. It parks the source, with the words of
// the first few refusals.
func (p *pass) want() error {
	if len(p.refused) == 0 {
		return nil
	}
	few := p.refused[:min(len(p.refused), 3)]
	text := errors.Join(few...).Error()
	if more := len(p.refused) - len(few); more > 0 {
		text = fmt.Sprintf("%s\nand %d more", text, more)
	}
	return sdk.Denied(errors.New(text))
}

// closeVanished closes what was sent of channels that cannot be read any more:
// deleted, closed to the bot, or no longer configured. Who sees them is not known.
func (p *pass) closeVanished() error {
	seen := map[string]bool{}
	for _, r := range p.rooms {
		seen[r.ID] = true
	}
	var closed []string
	for _, id := range slices.Sorted(maps.Keys(p.cursor.Rooms)) {
		if seen[id] {
			continue
		}
		name := p.cursor.Rooms[id].Name
		err := sdk.Denied(fmt.Errorf("the channel #%s cannot be read any more: it was deleted, is closed to the bot, or is no longer configured", name))
		if err := p.out.FolderFailed(id, err); err != nil {
			return err
		}
		if err := p.out.Note(fmt.Sprintf("nobody may read what was read of #%s: the channel cannot be read any more", name)); err != nil {
			return err
		}
		delete(p.cursor.Rooms, id) // it is sent anew when it is back
		closed = append(closed, id)
	}
	if len(closed) == 0 {
		return nil
	}
	if err := p.checkpoint(); err != nil {
		return err
	}
	for _, id := range closed {
		if err := os.Remove(p.src.knownFile(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the list of what was sent cannot be removed: %w", err)
		}
	}
	return nil
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
