package discord

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/core"
)

// votedUp notes that somebody likes an answer.
func (a *app) votedUp(ctx context.Context, p press) {
	if a.vote(ctx, p, true, "") {
		a.say(ctx, p, "Thank you, noted.")
	}
}

// votedDown opens the form for the reason, and notes the vote, which counts
// without one too.
func (a *app) votedDown(ctx context.Context, i interaction, id string) {
	err := a.api.respond(ctx, i, discordgo.InteractionResponseModal, form(viewReason, id, "Thank you", "Reason", "What was wrong or missing?"))
	if err != nil {
		a.log.Warn("the form for a reason could not be opened; the vote counts without", "error", err)
	}
	if isCode(err, discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged) {
		return
	}
	r := a.newReply(i, true)
	r.quiet = true
	a.vote(ctx, press{i, a.requestOf(ctx, i, actDown, r), id}, false, "")
}

// reasoned adds the reason to a vote against.
func (a *app) reasoned(ctx context.Context, i interaction, id string) {
	r := a.newReply(i, true)
	if !a.firstWord(ctx, i, r.acknowledge) {
		return
	}
	p := press{i, a.requestOf(ctx, i, viewReason, r), id}
	if a.vote(ctx, p, false, cut(i.field("text"), 2000)) {
		a.say(ctx, p, "Thank you, noted.")
	}
}

// vote notes what somebody thinks of an answer; the person is told where that
// fails.
func (a *app) vote(ctx context.Context, p press, up bool, reason string) bool {
	if a.opts.Feedback == nil {
		a.say(ctx, p, noAdmin)
		return false
	}
	got, _, ok := a.stands(ctx, p)
	if !ok {
		return false
	}
	err := a.opts.Feedback.PutVote(ctx, core.Vote{TurnID: got.TurnID, Account: p.who.Key(), Up: up, Reason: reason, At: time.Now()})
	if err != nil {
		a.say(ctx, p, a.sorry(err))
		return false
	}
	a.opts.Counter.Add("discord_votes_total", map[bool]string{true: "up", false: "down"}[up])
	return true
}
