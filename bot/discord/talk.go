package discord

import (
	"context"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	mostChain   = 20     // messages that a chain of replies is followed back
	mostRead    = 100    // messages of a thread
	threadBytes = 24_000 // of what a question brings along, about 6,000 tokens
	messageMost = 6_000  // of one message
	beganAge    = time.Hour
)

// climb follows a reply back to where the talk began. The chain ends where a
// message cannot be read, and is oldest first.
func (a *app) climb(ctx context.Context, m message) []message {
	var out []message
	at := m
	for range mostChain {
		ref := at.Reference
		if ref == nil || ref.Kind != 0 || ref.Message == "" || ref.Channel != "" && ref.Channel != m.Channel {
			break
		}
		next := at.Replied
		if next == nil || next.ID == "" {
			read, err := a.api.message(ctx, m.Channel, ref.Message)
			if err != nil {
				break
			}
			next = &read
		}
		out = append([]message{*next}, out...)
		at = *next
	}
	return out
}

// began tells whether a thread began with the bot: it made it, or the message that
// it hangs on is the bot's, or names it. Discord's own facts decide, not the
// ledger. In doubt it did not.
func (a *app) began(ctx context.Context, thread channelInfo) bool {
	own := a.own().User
	if thread.Owner == own {
		return true
	}
	got, err := a.starts.get(ctx, thread.ID, func(ctx context.Context) (bool, error) {
		first, err := a.api.message(ctx, thread.Parent, thread.ID)
		if err != nil { // a forum post holds its first message itself
			first, err = a.api.message(ctx, thread.ID, thread.ID)
		}
		if gone(err) {
			return false, nil
		}
		return first.author().ID == own || mentioned(first.Content, own), err
	})
	return err == nil && got
}

// context is what stands before a question: the thread, or the chain of replies.
// The bot's own answers come from the ledger, and so do the questions that it
// answered.
func (a *app) context(ctx context.Context, r request, thread string, inThread bool) []core.Said {
	list := r.chain
	if inThread {
		read, err := a.thread(ctx, r.channel, r.asked)
		if err != nil {
			a.log.Warn("a thread cannot be read; the question is answered without it", "place", placeID(r.guild, r.channel), "error", err)
		}
		list = read
	}
	asked := a.asked(ctx, thread)
	var said []core.Said
	for _, m := range list {
		if m.author().ID == a.own().User {
			continue
		}
		if s, ok := a.said(ctx, r.guild, m); ok && !asked[s.Text] { // else it is in the history
			said = append(said, s)
		}
	}
	return bot.FitSaid(said, threadBytes)
}

// said is a message as a model reads it; not ok if it has no words.
func (a *app) said(ctx context.Context, guild string, m message) (core.Said, bool) {
	text := a.readable(ctx, guild, m.text(), m.Mentions)
	return core.Said{Author: firstOf(a.nameOf(ctx, guild, m), "somebody"), Text: cut(text, messageMost)}, text != ""
}

// thread reads the messages of a thread before one, or the newest, oldest first. The
// message that it hangs on stands in the channel above, and begins it.
func (a *app) thread(ctx context.Context, channel, before string) ([]message, error) {
	list, err := a.api.before(ctx, channel, before, mostRead)
	slices.Reverse(list)
	if err != nil {
		return nil, err
	}
	c, err := a.facts.channel(ctx, channel)
	if err != nil || !c.isThread() || len(list) > 0 && list[0].ID == channel {
		return list, nil // a forum post holds its first message itself
	}
	first, err := a.api.message(ctx, c.Parent, channel)
	if err != nil {
		return list, nil // it is gone, or the thread began with none
	}
	return append([]message{first}, list...), nil
}

func (a *app) nameOf(ctx context.Context, guild string, m message) string {
	u := m.author()
	if guild == "" || u.Bot || m.Webhook != "" {
		return u.display()
	}
	got, err := a.facts.member(ctx, guild, u.ID)
	if err != nil || !got.in {
		return u.display()
	}
	return firstOf(got.display(), u.display())
}

// asked are the questions of the thread that turns were made of, as they were
// asked.
func (a *app) asked(ctx context.Context, thread string) map[string]bool {
	out := map[string]bool{}
	if thread == "" {
		return out
	}
	turns, err := a.opts.Turns.Thread(ctx, thread)
	if err != nil {
		a.log.Warn("the turns of a thread cannot be read", "error", err)
	}
	for _, t := range turns {
		out[t.Question] = true
	}
	return out
}

// text is what a message says, for people and models: its content, what it
// forwards, or what its embeds say where there is nothing else.
func (m message) text() string {
	out := m.Content
	for _, s := range m.Snapshots {
		if t := s.Message.text(); t != "" {
			out = firstOf(joined(out, "(forwarded:)"), "(forwarded:)") + "\n" + t
		}
	}
	if out == "" {
		for _, e := range m.Embeds {
			out = joined(joined(out, e.Title), e.Description)
		}
	}
	return out
}

func joined(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n" + b
}
