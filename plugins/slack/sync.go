package slack

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
	src     *Source
	me      account
	out     sink
	cursor  *cursor
	refused []error   // rights that were missing
	failed  int       // threads that could not be read
	saved   time.Time // when the last checkpoint was
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out sink) error {
	f, err := s.resolve(ctx, true)
	if err != nil {
		return err
	}
	if err := s.folks.load(ctx, fresh); err != nil {
		return err
	}
	s.folks.name(f.channels)
	p := &pass{src: s, me: f.me, out: out, cursor: s.readCursor(since), refused: f.lost, saved: s.now()}
	if err := p.tell(f); err != nil {
		return err
	}
	if err := p.closeVanished(f.channels); err != nil {
		return err
	}
	for _, c := range p.order(f.channels) {
		err := p.channel(ctx, c, p.cursor.at(c))
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
func (p *pass) order(list []channel) []channel {
	key := func(c channel) (int, int64) {
		at := p.cursor.at(c)
		if at.To != 0 {
			return 0, at.Done
		}
		return 1, at.Done
	}
	slices.SortStableFunc(list, func(a, b channel) int {
		stoppedA, doneA := key(a)
		stoppedB, doneB := key(b)
		return cmp.Or(cmp.Compare(stoppedA, stoppedB), cmp.Compare(doneA, doneB))
	})
	return list
}

// tell notes which public channels are not read, and why.
func (p *pass) tell(f found) error {
	if len(f.outside) == 0 {
		return nil
	}
	few := strings.Join(f.outside[:min(len(f.outside), 5)], ", ")
	if more := len(f.outside) - 5; more > 0 {
		few += fmt.Sprintf(" and %d more", more)
	}
	return p.out.Note("the bot is not in " + few + ", so that they are not read: invite it, or set join for public channels")
}

func (p *pass) checkpoint() error {
	c, err := sdk.JSONCursor(p.cursor)
	if err != nil {
		return err
	}
	p.saved = p.src.now()
	return p.out.Checkpoint(c)
}

// breathe is a checkpoint where the last one was a while ago: with few requests a
// minute one hour of a channel takes long.
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
// deleted, archived, left, or no longer configured. Who is in them is not known.
func (p *pass) closeVanished(list []channel) error {
	seen := map[string]bool{}
	for _, c := range list {
		seen[c.id] = true
	}
	var closed []channel
	for _, id := range slices.Sorted(maps.Keys(p.cursor.Channels)) {
		if seen[id] {
			continue
		}
		name := p.cursor.Channels[id].Name
		err := sdk.Denied(fmt.Errorf("the channel #%s cannot be read any more: it was deleted or archived, the bot was taken out, or it is no longer configured", name))
		if err := p.out.FolderFailed(id, err); err != nil {
			return err
		}
		if err := p.out.Note(fmt.Sprintf("nobody may read what was read of #%s: the channel cannot be read any more", name)); err != nil {
			return err
		}
		delete(p.cursor.Channels, id) // it is sent anew when it is back
		closed = append(closed, channel{id: id})
	}
	if len(closed) == 0 {
		return nil
	}
	if err := p.checkpoint(); err != nil {
		return err
	}
	for _, c := range closed {
		if err := os.Remove(p.src.knownFile(c)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the list of what was sent cannot be removed: %w", err)
		}
	}
	return nil
}

// lookEvery is how old the knowledge may be by which a document gets its readers: a
// first sync takes hours.
const lookEvery = time.Minute

// look renews what is known of the channel.
func (p *pass) look(ctx context.Context, c *channel) error {
	if p.src.now().Sub(c.looked) < p.src.lookEvery {
		return nil
	}
	began := p.src.now()
	now, err := p.src.info(ctx, *c)
	if err != nil {
		return err
	}
	now.name = c.name // a new name is for the next pass, in all documents alike
	now.looked = began
	*c = now
	return nil
}
