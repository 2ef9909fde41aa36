package discord

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// promised notes in the ledger that Discord shows somebody that an answer is coming,
// before anything else is done for it: after a crash there is a word in its place.
// The function notes its end, where no answer was begun that does so itself.
func (a *app) promised(ctx context.Context, i interaction, r *reply) (end func()) {
	r.id = a.opts.NewID()
	p := core.Posted{
		ID: r.id, TurnID: r.id, Platform: platform, Place: placeID(i.Guild, i.Channel), Private: r.private,
		Account: core.Account{Platform: platform, Team: i.Guild, ID: i.by().ID}.Key(),
	}
	note := func(open bool) {
		ctx, cancel := lasting(ctx)
		defer cancel()
		s := standing{App: a.own().App, Guild: i.Guild, Channel: i.Channel, User: i.by().ID}
		if open {
			s.Token, s.Until = i.Token, r.until
		}
		extra, err := json.Marshal(s)
		if err == nil {
			p.Extra, p.Open, p.Updated = extra, open, time.Now()
			err = a.opts.Posts.PutPosted(ctx, p)
		}
		if err != nil {
			a.log.Warn("a promise of an answer cannot be noted", "error", err)
		}
	}
	note(true)
	return func() {
		if !r.begun {
			note(false)
		}
	}
}
