package discord

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// interrupted lists the answers that were being written when the program ended
// the last time. It is read before new ones begin.
func (a *app) interrupted(ctx context.Context) []core.Posted {
	all, err := a.opts.Posts.Unfinished(ctx, platform)
	if err != nil {
		a.log.Warn("answers that were interrupted cannot be found", "error", err)
		return nil
	}
	var mine []core.Posted
	for _, p := range all {
		var s standing
		if json.Unmarshal(p.Extra, &s) == nil && s.App == a.own().App && s.Channel != "" {
			mine = append(mine, p)
		}
	}
	return mine
}

// mend finishes interrupted answers: their askers learn that they have to ask
// again, and nothing looks as if it were still being written.
func (a *app) mend(ctx context.Context, list []core.Posted) {
	for _, p := range list {
		if ctx.Err() != nil {
			return
		}
		bot.Guarded(a.log, "mend", func() { a.mendOne(ctx, p) })
	}
}

func (a *app) mendOne(ctx context.Context, p core.Posted) {
	var s standing
	if json.Unmarshal(p.Extra, &s) != nil {
		return
	}
	form := notice("I was interrupted before this was complete. Please ask again.", row(button(actAgain, p.ID, "Ask again"))...)
	err := a.mendShown(ctx, p, s, form)
	if err != nil && !shut(err) && !tokenGone(err) && !isCode(err, discordgo.ErrCodeCannotSendMessagesToThisUser) {
		a.log.Warn("an interrupted answer cannot be mended yet", "error", err)
		return // the next start tries again
	}
	s.Token, s.Until = "", time.Time{}
	if p.Extra, err = json.Marshal(s); err != nil {
		return
	}
	p.Open, p.Updated = false, time.Now()
	if err := a.opts.Posts.PutPosted(ctx, p); err != nil {
		a.log.Warn("an interrupted answer cannot be marked as mended", "error", err)
	}
}

// mendBefore deletes all messages of an interrupted answer but the last: nobody knows
// whether it was about to be taken back.
func (a *app) mendBefore(ctx context.Context, p core.Posted, s standing) error {
	for _, ref := range p.Refs[:max(0, len(p.Refs)-1)] {
		err := errExpired
		if s.Token != "" && time.Now().Before(s.Until) {
			err = a.api.deleteByToken(ctx, s.App, s.Token, ref)
		}
		if err != nil && !(p.Private && s.Guild != "") {
			err = a.api.delete(ctx, s.Channel, ref)
		}
		if unsure(err) && !errors.Is(err, errExpired) {
			return err
		}
	}
	return nil
}

// mendShown puts the words in the place of what was shown. A private answer is
// mended by its token, or directly; never in the channel.
func (a *app) mendShown(ctx context.Context, p core.Posted, s standing, form payload) error {
	if err := a.mendBefore(ctx, p, s); err != nil {
		return err
	}
	if s.Token != "" && time.Now().Before(s.Until) {
		ref := "@original"
		if n := len(p.Refs); n > 0 {
			ref = p.Refs[n-1]
		}
		_, err := a.api.editByToken(ctx, s.App, s.Token, ref, form, false)
		if err == nil || !tokenGone(err) {
			return err
		}
	}
	switch n := len(p.Refs); {
	case p.Private && s.Guild != "":
		return a.directly(ctx, s.User, form)
	case n > 0:
		err := a.api.edit(ctx, s.Channel, p.Refs[n-1], form, false)
		if err == nil || !gone(err) && !isCode(err, discordgo.ErrCodeMaximumNumberOfEditsToMessagesOlderThanOneHourReached) {
			return err
		}
	}
	if s.Asked != "" {
		form.Reference = &reference{Message: s.Asked, Channel: s.Channel}
	}
	_, err := a.api.post(ctx, s.Channel, nonce("mend", p.ID), form)
	return err
}
