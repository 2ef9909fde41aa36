package slack

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// unsaid is a question that was deleted: its answer stops, and what nobody has
// read yet goes.
func (a *app) unsaid(e event) {
	for _, n := range a.running.to(e.channel(), e.Deleted) {
		n.forget()
	}
}

// hush makes the bot quiet in a thread, and stops what it is saying there.
func (a *app) hush(ctx context.Context, e event, h bot.Heard) {
	r := a.request(e, h, "stop")
	if first, err := a.once(ctx, a.key(r.channel, r.ts)); !first || err != nil {
		return
	}
	stopped, others := 0, 0
	meant := a.running.in(r.channel, r.root)
	if h.Direct && !h.Thread { // people do not look for the thread
		meant = a.running.find(func(n *answer) bool { return n.req.channel == r.channel })
	}
	for _, n := range meant {
		if n.req.who.ID != r.who.ID && !a.manages(ctx, r.who, r.channel) {
			others++
			continue
		}
		n.stop()
		stopped++
	}
	if others > 0 && stopped == 0 {
		a.tell(ctx, r, notice(r.who.say("Only who asked, or who manages the channel, can stop that answer.")))
		return
	}
	if err := a.opts.Threads.SetQuiet(ctx, threadID(a.own().Team, r.channel, r.root), true, time.Now()); err != nil {
		a.log.Warn("a thread could not be marked as stopped", "error", err)
		a.tell(ctx, r, notice(r.who.say("I could not note that. Please say it again in a minute.")))
		return
	}
	switch {
	case stopped > 0:
	case h.Direct:
		a.tell(ctx, r, notice(r.who.say("There is nothing to stop.")))
	default:
		a.tell(ctx, r, notice(r.who.say("I will be quiet in this thread until somebody mentions me.")))
	}
}

// manages tells whether a person may act for the channel: they made it, or they
// run the workspace.
func (a *app) manages(ctx context.Context, who person, channel string) bool {
	if who.Class != core.AccountMember {
		return false
	}
	if who.admin {
		return true
	}
	facts, err := a.places.about(ctx, channel)
	return err == nil && (facts.im || facts.creator == who.ID)
}

// sessionStopped is Slack's own stop button in the agent pane.
func (a *app) sessionStopped(_ context.Context, e event) {
	root := e.root()
	channel := e.channel()
	if e.Assistant != nil {
		root = e.Assistant.Thread
	}
	for _, n := range a.running.in(channel, root) {
		n.stop()
	}
}
