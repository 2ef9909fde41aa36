package slack

import (
	"context"
	"errors"
	"strings"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/bot/render"
)

// outlet is where an answer is shown. It is used by one goroutine.
type outlet interface {
	// show shows what there is so far, or leaves it for later.
	show(ctx context.Context, md string)
	// finish shows the whole answer, which is the Markdown cut into pieces, in
	// place of everything shown so far. The error says that this was not possible
	// in any form.
	finish(ctx context.Context, md string, pieces []piece) error
	// retract takes everything back that was shown and puts the text there; an
	// empty text leaves nothing.
	retract(ctx context.Context, text string)
	refs() []string
	// plain says that what comes rests on no document: all may see it.
	plain()
}

// view is an answer as it is being shown. The text belongs to the view: whatever
// happens to a message, the whole of it is shown in the end.
type view struct {
	n     *answer
	out   outlet
	body  strings.Builder
	notes []string
	ended bool // the last word was said
}

func newView(n *answer) *view {
	v := &view{n: n}
	if n.req.private() {
		v.out = &quiet{n: n}
	} else {
		v.out = newLive(n)
	}
	return v
}

func (v *view) text(delta string) { v.body.WriteString(delta) }

// note keeps a line that stands below the answer.
func (v *view) note(text string) {
	if text = strings.TrimSpace(text); text != "" {
		v.notes = append(v.notes, text)
	}
}

// tick shows more of the text, where it is sure that it will be for the place.
func (v *view) tick(ctx context.Context) {
	if v.body.Len() > 0 && (v.n.cited || !v.n.strict) {
		v.out.show(ctx, v.body.String())
	}
}

func (v *view) refs() []string { return v.out.refs() }

// erase takes back what was shown.
func (v *view) erase(ctx context.Context) { v.out.retract(ctx, "") }

// withdraw replaces what was shown by a notice; what comes is another answer.
func (v *view) withdraw(ctx context.Context, text string) {
	v.out.retract(ctx, text)
	v.body.Reset()
	v.notes = nil
}

// end shows the ending and tells whether somebody sees it. Where the place takes
// no message, the asker gets it by another way.
func (v *view) end(ctx context.Context, e ending) (seen bool) {
	defer func() { v.ended = v.ended || seen }()
	restated := ""
	if v.n.req.restate {
		restated = v.n.req.text
	}
	if e.failed != nil || e.canned {
		v.out.plain() // nothing of a document is in it
	}
	md := body(e, restated, v.n.req.who)
	pieces := compose(md, e, v.notes, v.n.buttons(ctx))
	err := v.n.fits(ctx, e)
	if err == nil {
		err = v.out.finish(ctx, md, pieces)
	}
	if err == nil {
		return true
	}
	if errors.Is(err, errStale) {
		v.out.retract(ctx, "")
		v.n.whisper(ctx, v.n.req.who.say("More people can read this place than when I began, so I did not post the answer. Please ask again."))
		return true
	}
	v.n.log.Warn("an answer could not be shown in its place; the asker gets it directly", "request_id", v.n.requestID(), "error", err)
	v.n.app.opts.Counter.Add("slack_answers_misplaced_total", "")
	return v.n.app.direct(ctx, v.n.req, pieces)
}

// fits asks once more who can read the place, before a file is made of an answer.
func (n *answer) fits(ctx context.Context, e ending) error {
	if e.failed != nil || e.canned || n.req.private() {
		return nil
	}
	return n.still(ctx)
}

// buttons are those that the answer gets.
func (n *answer) buttons(ctx context.Context) buttons {
	a, r := n.app, n.req
	b := buttons{id: n.id, who: r.who, again: true, votes: a.opts.Feedback != nil, list: a.opts.Curation != nil}
	if r.who.ID == "" || r.who.Class == "bot" {
		b.again = false
	}
	b.share = r.private() && !r.direct && !strings.HasPrefix(r.channel, "D")
	if settings, err := a.opts.Front.Settings(ctx, placeID(a.own().Team, r.channel)); err == nil {
		b.help = a.opts.Feedback != nil && settings.Helpers != ""
	}
	return b
}

// climb sends a message in the best form that Slack takes.
func (a *app) climb(p piece, send func(payload) error) error {
	var err error
	for _, form := range forms(p) {
		if err = send(form); err == nil || !tooBig(err) {
			return err
		}
		a.opts.Counter.Add("slack_forms_refused_total", "")
	}
	return err
}

// direct brings an answer to its asker where the place does not take it: the
// asker is one of those for whom it was made.
func (a *app) direct(ctx context.Context, r request, pieces []piece) bool {
	if r.who.ID == "" {
		return false
	}
	intro := piece{md: r.who.say("I could not post this where you asked it, so here it is.")}
	send := func(p piece) error {
		return a.climb(p, func(form payload) error { return a.api.whisper(ctx, r.channel, r.root, r.who.ID, form) })
	}
	if channel, err := a.api.openDirect(ctx, r.who.ID); err == nil {
		send = func(p piece) error {
			return a.climb(p, func(form payload) error { _, err := a.api.post(ctx, channel, "", form); return err })
		}
	}
	for _, p := range append([]piece{intro}, pieces...) {
		if err := send(p); err != nil {
			a.log.Error("an answer could not be brought to its asker", "error", err)
			return false
		}
	}
	return true
}

// tell shows something to the asker alone, by the best way there is.
func (a *app) tell(ctx context.Context, r request, p payload) {
	if err := a.reach(ctx, r, p); err != nil {
		a.log.Error("somebody could not be told why there is no answer", "error", err)
	}
}

// reach is tell for those who do something about a failure.
func (a *app) reach(ctx context.Context, r request, p payload) error {
	var err error
	if r.response != "" {
		if err = a.api.respond(ctx, r.response, p, false); err == nil {
			return nil
		}
	}
	if r.direct {
		_, err = a.api.post(ctx, r.channel, r.root, p)
	} else if r.who.ID != "" {
		err = a.api.whisper(ctx, r.channel, r.root, r.who.ID, p)
	}
	if err == nil || r.who.ID == "" {
		return nil
	}
	channel, err := a.api.openDirect(ctx, r.who.ID)
	if err == nil {
		_, err = a.api.post(ctx, channel, "", p)
	}
	return err
}

// mostSections is how long a notice gets, in sections. It may repeat what people
// said, which has no limit.
const mostSections = 3

// notice is a message of ours, from Markdown. What is too long is cut.
func notice(md string, blocks ...slack.Block) payload {
	text := render.Render(render.Mrkdwn, md)
	parts := render.Split(text, render.Limit{N: sectionRoom - 2, Count: render.UTF16})
	if len(parts) > mostSections {
		parts = parts[:mostSections]
		parts[mostSections-1] += " …"
	}
	var out []slack.Block
	for _, p := range parts {
		out = append(out, section(p))
	}
	return payload{text: briefly(text), blocks: append(out, blocks...)}
}
