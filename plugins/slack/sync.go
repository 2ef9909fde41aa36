package slack

import (
	"context"
	"time"

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
	src    *Source
	me     account
	cursor *cursor
	failed int // threads that could not be read
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out history.Sink) error {
	f, err := s.resolve(ctx, true)
	if err != nil {
		return err
	}
	if err := s.folks.load(ctx, fresh); err != nil {
		return err
	}
	s.folks.name(f.channels)
	at := s.readCursor(since)
	p := &pass{Pass: history.NewPass(out, at, s.now, f.lost), src: s, me: f.me, cursor: at}
	if err := p.Outside(f.outside, "the bot is not in %s, so that they are not read: invite it, or set join for public channels"); err != nil {
		return err
	}
	if err := p.closeVanished(f.channels); err != nil {
		return err
	}
	history.Order(f.channels, func(c channel) (bool, int64) { return at.at(c).To != 0, at.at(c).Done })
	return history.Each(ctx, p.Pass, f.channels, func(c channel) error { return p.channel(ctx, c, at.at(c)) })
}

func (p *pass) closeVanished(list []channel) error {
	names, there := map[string]string{}, map[string]bool{}
	for id, at := range p.cursor.Channels {
		names[id] = at.Name
	}
	for _, c := range list {
		there[c.id] = true
	}
	return p.Vanished(names, there, "it was deleted or archived, the bot was taken out, or it is no longer configured",
		func(id string) { delete(p.cursor.Channels, id) }, p.src.files())
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
