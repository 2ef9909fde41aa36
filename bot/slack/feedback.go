package slack

import (
	"context"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// voted notes what somebody thinks of an answer. A vote against asks for the
// reason, and counts without one too.
func (a *app) voted(ctx context.Context, p press) {
	if a.opts.Feedback == nil {
		return
	}
	id, which, _ := strings.Cut(p.value, ":")
	if which == "down" && p.Trigger != "" { // first: the trigger lasts three seconds
		a.api.openView(ctx, p.Trigger, reasonForm(id, p.who)) //nolint:errcheck // logged; the vote counts without a reason
	}
	got, _, ok := a.posted(ctx, p)
	if !ok {
		return
	}
	err := a.opts.Feedback.PutVote(ctx, core.Vote{TurnID: got.TurnID, Account: p.who.Key(), Up: which == "up", At: time.Now()})
	if err != nil {
		a.tell(ctx, p.req, notice(a.sorry(err)))
		return
	}
	a.opts.Counter.Add("slack_votes_total", which)
	if which == "up" {
		a.tell(ctx, p.req, notice(p.who.say("Thank you, noted.")))
	}
}

func reasonForm(id string, who person) slack.ModalViewRequest {
	in := slack.NewPlainTextInputBlockElement(plainText(who.say("What was wrong or missing?")), "text")
	in.Multiline, in.MaxLength = true, 2000
	block := slack.NewInputBlock("reason", plainText(who.say("Reason")), nil, in)
	block.Optional = true
	return slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: viewReason, PrivateMetadata: id,
		Title: plainText(who.say("Thank you")), Submit: plainText(who.say("Send")), Close: plainText(who.say("Skip")),
		Blocks: slack.Blocks{BlockSet: []slack.Block{block}},
	}
}

// submitted handles a form.
func (a *app) submitted(ctx context.Context, i interaction, who person) {
	if first, err := a.once(ctx, placeID(a.own().Team, "form")+"/"+i.View.ID); err == nil && !first {
		return
	}
	switch i.View.Callback {
	case viewReason:
		a.reasoned(ctx, i, who)
	case viewAsk:
		a.askedAbout(ctx, i, who)
	}
}

func (a *app) reasoned(ctx context.Context, i interaction, who person) {
	reason := strings.TrimSpace(i.field("reason"))
	if reason == "" || a.opts.Feedback == nil {
		return
	}
	got, err := a.opts.Posts.Posted(ctx, i.View.Metadata)
	if err == nil {
		err = a.opts.Feedback.PutVote(ctx, core.Vote{TurnID: got.TurnID, Account: who.Key(), Reason: firstRunes(reason, 2000), At: time.Now()})
	}
	if err != nil {
		a.log.Warn("the reason of a vote could not be noted", "error", err)
	}
}
