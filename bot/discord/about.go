package discord

import (
	"context"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	mostPending = 1000
	pendingAge  = 30 * time.Minute
)

// pending are the messages that open forms are about: a message may be longer than
// what Discord lets a form carry.
type pending struct {
	mu    sync.Mutex
	forms map[string]waiting
}

type waiting struct {
	message message
	user    string
	at      time.Time
}

func newPending() *pending { return &pending{forms: map[string]waiting{}} }

func (p *pending) put(id string, m message, user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, one := range p.forms {
		if time.Since(one.at) > pendingAge || len(p.forms) >= mostPending {
			delete(p.forms, k)
		}
	}
	p.forms[id] = waiting{m, user, time.Now()}
}

// take returns the message of a form of the user's.
func (p *pending) take(id, user string) (message, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, ok := p.forms[id]
	if !ok || w.user != user || time.Since(w.at) > pendingAge {
		return message{}, false
	}
	delete(p.forms, id)
	return w.message, true
}

// aboutMessage opens the form of "Ask about this message". A form has to be the
// first answer.
func (a *app) aboutMessage(ctx context.Context, i interaction) {
	m, ok := i.Data.Resolved.Messages[i.Data.Target]
	if !ok {
		r := a.newReply(i, true)
		if a.firstWord(ctx, i, r.acknowledge) {
			a.whisper(ctx, request{who: person{Account: core.Account{ID: i.by().ID}}, reply: r}, notice("Discord did not tell me what the message says."))
		}
		return
	}
	id := a.opts.NewID()
	a.pending.put(id, m, i.by().ID)
	err := a.api.respond(ctx, i, discordgo.InteractionResponseModal, form(viewAbout, id, "Ask about this message",
		"Your question", "What do our sources say about this?"))
	if err != nil {
		a.log.Warn("a form could not be opened", "error", err)
	}
}

// form is a window with one field, which may stay empty.
func form(view, id, title, label, hint string) map[string]any {
	return map[string]any{
		"custom_id": customID(view, id), "title": title,
		"components": row(discordgo.TextInput{
			CustomID: "text", Label: label, Placeholder: hint, Style: discordgo.TextInputParagraph, MaxLength: 2000,
		}),
	}
}

// askedAbout answers the form, for its sender alone.
func (a *app) askedAbout(ctx context.Context, i interaction, id string) {
	r := a.newReply(i, i.Guild != "")
	if !a.firstWord(ctx, i, r.acknowledge) {
		return
	}
	defer a.promised(ctx, i, r)()
	q := a.requestOf(ctx, i, "about", r)
	if a.refusedGuild(ctx, q) {
		return
	}
	m, ok := a.pending.take(id, i.by().ID)
	if !ok {
		a.whisper(ctx, q, notice("I no longer know which message this was about. Please open the form again."))
		return
	}
	q.text = firstOf(i.field("text"), "What do our sources say about this message?")
	q.said = []core.Said{}
	if s, ok := a.said(ctx, i.Guild, m); ok {
		q.said = append(q.said, s)
	}
	q.files, q.restate, q.full = m.Attachments, true, true
	a.begin(q)
}

// summarise sums up, for the person alone, the thread that a message is in or
// began, or the replies that lead to it.
func (a *app) summarise(ctx context.Context, i interaction, q request) {
	if a.refusedGuild(ctx, q) {
		return
	}
	m, ok := i.Data.Resolved.Messages[i.Data.Target]
	if !ok {
		a.whisper(ctx, q, notice("Discord did not tell me what the message says."))
		return
	}
	list, err := a.threadOf(ctx, i, m)
	if err != nil {
		a.whisper(ctx, q, notice("I cannot read this thread. I may lack *Read Message History* there."))
		return
	}
	q.said = []core.Said{}
	for _, one := range list {
		if s, ok := a.said(ctx, i.Guild, one); ok {
			q.said = append(q.said, s)
		}
	}
	if len(q.said) == 0 {
		a.whisper(ctx, q, notice("There are no words to sum up."))
		return
	}
	q.said = bot.FitSaid(q.said, threadBytes)
	q.text, q.restate, q.full = "Summarise the thread.", true, true
	a.begin(q)
}

// threadOf are the messages of the thread that belongs to a message. A thread that
// began with it is read only where the person may read it.
func (a *app) threadOf(ctx context.Context, i interaction, m message) ([]message, error) {
	if c, err := a.facts.channel(ctx, i.Channel); i.Guild != "" && err == nil && c.isThread() {
		return a.thread(ctx, i.Channel, "")
	}
	m.Channel = i.Channel
	head := append(a.climb(ctx, m), m)
	if i.Guild == "" {
		return head, nil
	}
	if c, err := a.facts.channel(ctx, m.ID); err != nil || !c.isThread() {
		return head, nil // a thread has the id of the message that it began with
	}
	if reads, err := a.facts.reads(ctx, i.Guild, m.ID, i.by().ID); err != nil || !reads {
		return head, nil
	}
	rest, err := a.thread(ctx, m.ID, "")
	if len(rest) > 0 && rest[0].ID == m.ID {
		rest = rest[1:]
	}
	return append(head, rest...), err
}
