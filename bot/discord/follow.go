package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	tickEvery  = 250 * time.Millisecond // how often more may be shown
	stageAfter = 2500 * time.Millisecond
)

// follow shows a turn as it goes on, until its end.
func (n *answer) follow(ctx context.Context, r *bot.Running) {
	n.took(r)
	n.posted(ctx)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	events := make(chan core.Event, 64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(events)
		for e := range r.Subscribe(reading, 0) {
			select {
			case events <- e:
			case <-reading.Done():
				return
			}
		}
	}()
	defer func() { stop(); <-done }()
	n.loop(ctx, events)
}

// loop takes events as they come and shows text in between.
func (n *answer) loop(ctx context.Context, events <-chan core.Event) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	offered := ""
	for {
		select {
		case e, ok := <-events:
			if !ok { // everything ends: the turn was closed by its desk, or will be
				n.fail(ctx, core.FailedOf(core.Errorf(core.KindUnavailable, "Footnote is stopping; ask again in a minute."), n.requestID()))
				n.save(ctx, false)
				return
			}
			if o, is := e.(core.Offered); is {
				offered = o.Text
			} else if n.event(ctx, e) {
				n.save(ctx, false)
				n.offer(ctx, offered)
				return
			}
		case <-tick.C:
			if !n.isDeleted() {
				n.tick(ctx)
			}
		}
	}
}

// tick shows what there is: the text, else what is being done, else typing.
func (n *answer) tick(ctx context.Context) {
	switch {
	case n.body.Len() > 0 && (n.cited || !n.strict):
		n.out.show(ctx, n.body.String())
	case n.stage != "" && time.Since(n.began) > stageAfter:
		n.out.show(ctx, "_"+n.stage+"…_")
	default:
		n.typing(ctx)
	}
}

// typing shows that the bot is at work, where nothing else does.
func (n *answer) typing(ctx context.Context) {
	if n.req.reply != nil || time.Since(n.typed) < n.app.opts.timing.typing {
		return
	}
	n.typed = time.Now()
	n.app.api.typing(ctx, n.req.channel) //nolint:errcheck // the answer comes without
}

// event shows one event and tells whether it was the last.
func (n *answer) event(ctx context.Context, e core.Event) bool {
	switch e := e.(type) {
	case core.TextDelta:
		n.body.WriteString(e.Delta)
	case core.Cited:
		n.cited = true
	case core.Withdrawn:
		n.withdraw(ctx, e)
	case core.Noticed:
		n.note(e.Text)
	case core.Done:
		n.end(ctx, ending{answer: e.Answer})
		n.app.opts.Counter.Add("discord_answers_total", n.req.from)
		return true
	case core.Failed:
		n.fail(ctx, e)
		return true
	default:
		if s := stage(e); s != "" {
			n.stage = s
		}
	}
	return false
}

// stage is what an event says the bot is doing, in a few words that name no
// document.
func stage(e core.Event) string {
	switch e := e.(type) {
	case core.StatusChanged:
		return map[string]string{
			"searching": "Searching", "reading": "Reading", "writing": "Writing", "waiting": "Waiting for a person",
		}[e.Stage]
	case core.DocumentsFound:
		switch len(e.Documents) {
		case 0:
			return ""
		case 1:
			return "Reading one document"
		}
		return fmt.Sprintf("Reading %d documents", len(e.Documents))
	}
	return ""
}

// note keeps a line that stands below the answer.
func (n *answer) note(text string) {
	if text = strings.TrimSpace(text); text != "" {
		n.notes = append(n.notes, text)
	}
}

// end shows the ending. Where the place takes no message, the asker gets it
// directly: they are one of those for whom it was made.
func (n *answer) end(ctx context.Context, e ending) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	if n.isDeleted() {
		n.out.retract(ctx, "")
		return
	}
	if n.strict && e.failed == nil && !e.canned && len(e.answer.Citations) == 0 {
		n.keepBack(ctx, e.answer)
		return
	}
	restated := ""
	if n.req.restate {
		restated = n.req.text
	}
	pieces := compose(e, n.notes, restated, n.buttons(ctx, e))
	err := n.out.finish(ctx, pieces)
	if errors.Is(err, errStale) {
		n.keptBack(ctx)
		return
	}
	n.log.Debug("an answer was shown", "request_id", n.requestID(), "after_ms", time.Since(n.began).Milliseconds(), "error", err)
	if err == nil {
		return
	}
	a := n.app
	n.log.Warn("an answer could not be shown in its place; the asker gets it directly", "request_id", n.requestID(), "error", err)
	a.opts.Counter.Add("discord_answers_misplaced_total", "")
	if n.req.who.machine || n.req.direct() {
		return
	}
	pieces = append([]payload{notice("I could not post this where you asked it, so here it is.")},
		compose(e, n.notes, n.req.text, n.buttons(ctx, e))...)
	for _, p := range pieces {
		if err := a.directly(ctx, n.req.who.ID, p); err != nil {
			n.log.Error("an answer could not be brought to its asker", "error", err)
			return
		}
	}
}

// keptBack takes back what is shown of an answer whose place was opened to more
// people before all of it stood there.
func (n *answer) keptBack(ctx context.Context) {
	n.out.retract(ctx, "")
	n.app.opts.Counter.Add("discord_answers_kept_back_total", "")
	n.app.tell(ctx, n.req, notice("More people can read this place than when I began, so I did not post the answer. Please ask again."))
}

const unsourcedText = "I found nothing in the sources that answers this, and there I only post answers with a source."

// keepBack tells the asker alone that there is no answer with a source, which is
// the only kind that the place wants. Who asked in a message is written to
// directly.
func (n *answer) keepBack(ctx context.Context, a core.Answer) {
	n.out.retract(ctx, "")
	n.app.opts.Counter.Add("discord_answers_unsourced_total", "")
	if n.req.who.machine {
		return // nobody is there to be told
	}
	text := unsourcedText
	if a.Stopped {
		text = "Stopped before there was an answer."
	}
	n.app.whisper(ctx, n.req, notice(escapeMarkdown(strings.Join(append([]string{text}, n.notes...), "\n"))))
}

// buttons are those that the answer gets.
func (n *answer) buttons(ctx context.Context, e ending) buttons {
	a, r := n.app, n.req
	b := buttons{id: n.id, votes: a.opts.Feedback != nil, list: a.opts.Curation != nil, again: !r.who.machine}
	b.share = r.private() && !r.direct()
	b.private = !r.private() && !r.direct()
	if settings, err := a.opts.Front.Settings(ctx, n.placeID()); err == nil {
		b.help = a.opts.Feedback != nil && settings.Helpers != "" && (e.failed == nil || e.failed.Kind != core.KindDenied)
	}
	return b
}

// withdraw takes back what was shown: more people can read the place now.
func (n *answer) withdraw(ctx context.Context, w core.Withdrawn) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.out.retract(ctx, w.Text)
	n.body.Reset()
	n.notes, n.stage, n.cited = nil, "", false
	if now, err := n.app.opts.Front.Audience(ctx, n.place, n.viewer); err == nil {
		n.made = now // what follows is for them
	}
	n.save(ctx, true)
}

// offer tells the asker alone that there is more that they may read. Only an
// interaction can; elsewhere every answer has the button, so that it tells nobody
// anything.
func (n *answer) offer(ctx context.Context, text string) {
	if text == "" || n.isDeleted() || n.req.private() || n.req.who.machine || n.req.reply == nil || n.req.reply.expired() {
		return
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.app.whisper(ctx, n.req, notice(escapeMarkdown(text), row(button(actPrivate, n.id, "Answer privately with my access"))...))
}

// standing is where a posted answer stands, beside what core.Posted has fields for.
type standing struct {
	App     string    `json:"app"`
	Guild   string    `json:"guild,omitempty"`
	Channel string    `json:"channel"`
	Root    string    `json:"root,omitempty"`
	Asked   string    `json:"asked,omitempty"` // the message that asked
	User    string    `json:"user"`
	Token   string    `json:"token,omitempty"` // of an interaction, while it is open
	Until   time.Time `json:"until,omitzero"`
}

func (n *answer) posted(ctx context.Context) { n.save(ctx, true) }

// save notes where the answer stands, so that its buttons work later and a crash
// can be mended.
func (n *answer) save(ctx context.Context, open bool) {
	r := n.req
	s := standing{App: n.app.own().App, Guild: r.guild, Channel: r.channel, Root: r.root, Asked: r.asked, User: r.who.ID}
	if r.reply != nil && open {
		s.Token, s.Until = r.reply.i.Token, r.reply.until
	}
	extra, err := json.Marshal(s)
	if err != nil {
		return
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.mu.Lock()
	place := n.place
	n.mu.Unlock()
	p := core.Posted{
		ID: n.id, TurnID: n.requestID(), Platform: platform, Place: place.ID, Thread: place.Thread, Account: r.who.Key(),
		Refs: n.out.refs(), Private: r.private(), Open: open, Extra: extra, Updated: time.Now(),
	}
	if err := n.app.opts.Posts.PutPosted(ctx, p); err != nil {
		n.log.Warn("where an answer stands cannot be noted; its buttons will not work after a restart", "request_id", p.TurnID, "error", err)
	}
}
