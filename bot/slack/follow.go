package slack

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	// tickEvery is how often the view may show more.
	tickEvery = 300 * time.Millisecond
	// usualFirstWords is how long the first words wait for more.
	usualFirstWords = 8 * time.Millisecond
)

// follow shows a turn as it goes on, until its end.
func (n *answer) follow(ctx context.Context, r *bot.Running) {
	n.took(r)
	n.save(ctx, true)
	n.entitle(ctx)
	n.loop(ctx, r.Reader())
}

// entitle names a new conversation of the agent pane after its first question.
func (n *answer) entitle(ctx context.Context) {
	if !n.sign.status || time.Now().Before(n.sign.rest) {
		return // no such conversation, or Slack has other troubles
	}
	facts, err := n.app.opts.Threads.ThreadFacts(ctx, n.place.Thread)
	if err == nil && facts.Turns <= 1 {
		title := strings.Join(strings.Fields(n.req.text), " ")
		ctx, cancel := context.WithTimeout(ctx, n.app.opts.signTime)
		defer cancel()
		n.app.api.title(ctx, n.req.channel, n.req.root, firstRunes(title, 80)) //nolint:errcheck // logged; it stays without
	}
}

// rhythm is when more of an answer is shown.
type rhythm struct {
	tick  *time.Ticker
	due   bool // it is time
	begun bool // there was text
}

// loop takes events as they come and shows text in between.
func (n *answer) loop(ctx context.Context, events *bot.Reader) {
	p := &rhythm{tick: time.NewTicker(tickEvery)}
	defer p.tick.Stop()
	var offered *core.Offered
	for {
		e, ok := n.next(ctx, events, p)
		if !ok {
			n.cut(ctx)
			return
		}
		if o, is := e.(core.Offered); is {
			offered = &o
		} else if last, shown := n.event(ctx, e); last {
			n.save(ctx, !shown)
			n.offer(ctx, offered)
			return
		}
		if _, text := e.(core.TextDelta); text && !p.begun {
			p.begun = true // the first words hardly wait; an answer that is complete by then needs no draft
			p.tick.Reset(n.app.opts.firstWords)
		}
	}
}

// cut says that everything ends. What nobody saw is mended by the next start.
func (n *answer) cut(ctx context.Context) {
	n.save(ctx, !n.fail(ctx, core.FailedOf(core.Errorf(core.KindUnavailable, "%s", n.req.who.say("Footnote is stopping; ask again in a minute.")), n.requestID())))
}

// next waits for the next event and shows text meanwhile, when all that came
// before has been read: it may take the text back. Text that goes on is taken when it
// is shown, and wakes nobody before.
func (n *answer) next(ctx context.Context, events *bot.Reader, p *rhythm) (core.Event, bool) {
	for {
		e, more := events.Next(!p.begun)
		if more == nil {
			return e, true
		}
		if p.due {
			p.due = false
			n.tick(ctx)
			continue
		}
		select {
		case <-more:
		case <-p.tick.C:
			p.tick.Reset(tickEvery)
			p.due = true
		case <-ctx.Done():
			return nil, false
		}
	}
}

func (n *answer) tick(ctx context.Context) {
	if !n.isDeleted() {
		n.view.tick(ctx)
		n.sign.refresh(ctx)
	}
}

// event shows one event and tells whether it was the last, and whether somebody
// sees what it says.
func (n *answer) event(ctx context.Context, e core.Event) (last, shown bool) {
	switch e := e.(type) {
	case core.TextDelta:
		n.view.text(e.Delta)
	case core.Cited:
		n.cited = true
	case core.Withdrawn:
		n.withdraw(ctx, e)
	case core.Noticed:
		if e.Kind != "skipped" { // of drafts only; the end is complete
			n.view.note(e.Text)
		}
	case core.Done:
		return true, n.done(ctx, ending{answer: e.Answer})
	case core.Failed:
		n.app.opts.Counter.Add("slack_failed_answers_total", string(e.Kind))
		if e.Kind == core.KindDenied && !n.req.private() && !n.isDeleted() {
			n.whisper(ctx, e.Message) // why nothing may be said here is not for everybody
			return true, true
		}
		return true, n.done(ctx, ending{failed: &e})
	default:
		if s := stage(e, n.req.who); s != "" {
			n.sign.stage(ctx, s)
		}
	}
	return false, true
}

func (n *answer) done(ctx context.Context, end ending) bool {
	ctx, cancel := lasting(ctx)
	defer cancel()
	if n.isDeleted() {
		n.view.erase(ctx)
		return true
	}
	n.app.opts.Counter.Add("slack_answers_total", n.req.from)
	if n.strict && end.failed == nil && len(end.answer.Citations) == 0 {
		n.keepBack(ctx, end.answer)
		return true
	}
	return n.view.end(ctx, end)
}

// keepBack tells the asker alone that there is no answer with a source, which is
// the only kind that the place wants.
func (n *answer) keepBack(ctx context.Context, a core.Answer) {
	n.view.erase(ctx)
	n.view.ended = true
	n.app.opts.Counter.Add("slack_answers_unsourced_total", "")
	if n.req.who.Class == core.AccountBot {
		return // nobody is there to be told
	}
	text := n.req.who.say("I found nothing in the sources that answers this, and here I only post answers with a source.")
	if a.Stopped {
		text = n.req.who.say("Stopped before there was an answer.")
	}
	n.whisper(ctx, strings.Join(append([]string{text}, n.view.notes...), "\n"))
}

// withdraw takes back what was shown: more people can read the place now.
func (n *answer) withdraw(ctx context.Context, w core.Withdrawn) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.view.withdraw(ctx, w.Text)
	n.cited = false
	if now, err := n.app.opts.Front.Audience(ctx, n.place, n.viewer); err == nil {
		n.made = now
	}
	n.save(ctx, true)
}

// offer tells the asker alone that there is more that they may read.
func (n *answer) offer(ctx context.Context, o *core.Offered) {
	if o == nil || n.isDeleted() || n.req.private() || n.req.who.Class == core.AccountBot {
		return
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.app.tell(ctx, n.req, offerPayload(o.Text, n.id, n.req.who))
}

// requestID is what a person can quote to who runs the install.
func (n *answer) requestID() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.turn != nil {
		return n.turn.ID
	}
	return n.id
}

// where a posted answer stands, beside what core.Posted has fields for.
type standing struct {
	Channel string `json:"channel"`
	Root    string `json:"root,omitempty"`
	TS      string `json:"ts,omitempty"` // of the question
	User    string `json:"user"`
}

// expect notes a question before anything of it is looked up, so that a crash from
// here on is mended. It tells whether the question is new, and what the answer's
// buttons carry. The error is for people.
func (a *app) expect(ctx context.Context, key string, s standing, account string, private bool) (id string, first bool, err error) {
	extra, err := json.Marshal(s)
	if err != nil {
		return "", false, err
	}
	now := time.Now()
	first, err = a.opts.Posts.Expect(ctx, key, now, func() core.Posted {
		id = a.opts.NewID()
		p := core.Posted{
			ID: id, TurnID: id, Platform: platform, Place: placeID(a.own().Team, s.Channel), Account: account,
			Private: private, Open: true, Extra: extra, Updated: now,
		}
		if s.Root != "" {
			p.Thread = threadID(a.own().Team, s.Channel, s.Root)
		}
		return p
	})
	if err != nil {
		a.log.Error("the ledger cannot tell whether an event is new", "error", err)
		err = noMemory(err)
	}
	return id, first, err
}

// save notes where the answer stands, so that its buttons work later and a crash
// can be mended.
func (n *answer) save(ctx context.Context, open bool) {
	extra, err := json.Marshal(standing{Channel: n.req.channel, Root: n.req.root, TS: n.req.ts, User: n.req.who.ID})
	if err != nil {
		return
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	p := core.Posted{
		ID: n.id, TurnID: n.requestID(), Platform: platform, Place: n.place.ID, Thread: n.place.Thread,
		Account: n.req.who.Key(), Refs: n.view.refs(), Private: n.req.private(), Open: open, Extra: extra, Updated: time.Now(),
	}
	if err := n.app.opts.Posts.PutPosted(ctx, p); err != nil {
		n.log.Warn("where an answer stands cannot be noted; its buttons will not work after a restart", "request_id", p.TurnID, "error", err)
	}
}
