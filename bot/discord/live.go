package discord

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/footnote-bot/footnote/bot/render"
)

// part is one message of a growing answer.
type part struct {
	ref    string
	shown  string
	broken bool // Discord refused an edit; the end will put it right
	drawn  bool // has buttons
}

// live shows an answer while it is being written. What stands there meanwhile is a
// draft; finish makes it right whatever happened.
type live struct {
	n     *answer
	to    poster
	parts []*part
	gap   time.Duration
	next  time.Time
}

func newLive(n *answer, to poster) *live {
	return &live{n: n, to: to, gap: n.app.opts.timing.edit}
}

func (l *live) refs() []string {
	var out []string
	for _, p := range l.parts {
		if p.ref != "" {
			out = append(out, p.ref)
		}
	}
	return out
}

// mostMessages is how many messages an answer may take before it becomes a file.
const mostMessages = 3

// show shows a draft by one call at most: the first message that differs is
// posted or changed. Between calls the gap grows, so that a long answer stays far
// from the limits.
func (l *live) show(ctx context.Context, md string) {
	if time.Now().Before(l.next) {
		return
	}
	texts := render.SplitMarkdown(render.Discord, render.Settle(md), pieceRoom)
	texts = texts[:min(len(texts), mostMessages)]
	for i, t := range texts {
		text, last := render.Render(render.Discord, t), i == len(texts)-1
		if text == "" || i < len(l.parts) && (l.parts[i].broken || l.parts[i].shown == text && l.parts[i].drawn == last) {
			continue
		}
		l.next, l.gap = time.Now().Add(l.gap), min(l.gap*6/5, l.n.app.opts.timing.slow)
		l.draft(ctx, i, text, last)
		return
	}
}

// draftTime is how long one draft may take. One that would come later may be for
// other readers than those who are there by then, and holds up the end.
const draftTime = 5 * time.Second

func (l *live) draft(ctx context.Context, i int, text string, last bool) {
	ctx, cancel := context.WithTimeout(ctx, draftTime)
	defer cancel()
	p := payload{Content: text, still: l.n.still}
	if last {
		p.Components = row(button(actStop, l.n.id, "Stop"))
	}
	if i < len(l.parts) {
		switch err := l.to.edit(ctx, l.parts[i].ref, p, true); {
		case err == nil:
			l.parts[i].shown, l.parts[i].drawn = text, last
		case !errors.Is(err, errDropped) && !errors.Is(err, errStale):
			l.parts[i].broken = true
		}
		return
	}
	ref, err := l.to.post(ctx, p)
	if err != nil {
		l.next = time.Now().Add(l.n.app.opts.timing.slow) // the end tries again, and tells
		return
	}
	l.parts = append(l.parts, &part{ref: ref, shown: text, drawn: last})
	l.n.posted(ctx)
}

// finish makes the messages what they have to be: the first take the place of the
// drafts, the others are posted, drafts too many are deleted. The error says that
// this was not possible.
func (l *live) finish(ctx context.Context, pieces []payload) error {
	drafts := l.parts
	l.parts = nil
	for i, p := range pieces {
		p.still = l.n.still
		if i < len(drafts) {
			settled, err := l.settle(ctx, drafts[i], p)
			if settled || errors.Is(err, errStale) {
				l.parts = append(l.parts, drafts[i])
			}
			if settled {
				continue
			}
			if errors.Is(err, errStale) {
				l.parts = append(l.parts, drafts[i+1:]...) // to be taken back
				return err
			}
			l.to.delete(ctx, drafts[i].ref) //nolint:errcheck // it may be gone
		}
		ref, err := l.to.post(ctx, p)
		if err != nil {
			l.parts = append(l.parts, drafts[min(i+1, len(drafts)):]...)
			return err
		}
		l.parts = append(l.parts, &part{ref: ref, shown: p.Content})
	}
	for _, d := range drafts[min(len(pieces), len(drafts)):] {
		l.to.delete(ctx, d.ref) //nolint:errcheck // it may be gone
	}
	return nil
}

// settle turns a draft into its piece and tells whether that worked. It does not
// where the draft is gone, too old for another edit, or its token has ended.
func (l *live) settle(ctx context.Context, d *part, p payload) (bool, error) {
	if d.ref == "" {
		return false, nil
	}
	if d.shown == p.Content && !d.drawn && !d.broken && len(p.Components) == 0 && len(p.files) == 0 {
		return true, nil
	}
	err := l.to.edit(ctx, d.ref, p, false)
	if err != nil {
		l.n.log.Info("a draft cannot be changed any more", "error", err)
		return false, err
	}
	d.shown, d.drawn = p.Content, len(p.Components) > 0
	return true, nil
}

// retract takes everything back that was shown. A text stands in its place where
// something was; where a message can be neither changed nor deleted, it is tried
// the other way, again and again as long as Discord does not work and ctx allows.
// What is left then is kept, so that the end tries once more.
func (l *live) retract(ctx context.Context, text string) {
	parts := l.parts
	l.parts = nil
	for i, d := range parts {
		if d.ref == "" {
			continue // it was written to the asker directly
		}
		if i > 0 {
			text = ""
		}
		if !l.takeBack(ctx, d.ref, text) {
			d.broken = true
			l.parts = append(l.parts, d)
		}
	}
	if n := len(l.parts); n > 0 {
		l.n.log.Error("an answer could not be taken back everywhere", "request_id", l.n.requestID(), "messages", n)
	}
}

// takeBack takes one message back and tells whether it is gone, or says something
// else.
func (l *live) takeBack(ctx context.Context, ref, text string) bool {
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		if text != "" && l.to.edit(ctx, ref, notice(text), false) == nil {
			return true
		}
		err := l.to.delete(ctx, ref)
		if err == nil || gone(err) {
			return true
		}
		if err = l.to.edit(ctx, ref, notice(firstOf(text, "This was taken back.")), false); err == nil {
			return true
		}
		if !unsure(err) && !isStatus(err, http.StatusTooManyRequests) || sleep(ctx, wait) != nil {
			return false
		}
	}
}
