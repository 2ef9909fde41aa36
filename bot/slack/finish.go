package slack

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/render"
)

// finish makes the messages what they have to be: the first pieces take the place
// of the drafts, the others are posted, drafts too many are deleted.
func (l *live) finish(ctx context.Context, md string, pieces []piece) error {
	pieces = l.bundle(ctx, pieces)
	if l.complete(ctx, md, pieces) {
		return nil
	}
	a, r := l.n.app, l.n.req
	drafts := l.parts
	l.parts = nil
	for _, d := range drafts {
		l.done[d.ts] = true
	}
	for i, p := range pieces {
		var done *part
		settled, err := l.settled(ctx, drafts, i, p)
		if errors.Is(err, errStale) {
			l.parts = append(l.parts, drafts[min(i, len(drafts)):]...) // to be taken back
			return err
		}
		if settled {
			done = drafts[i]
		} else {
			if i < len(drafts) {
				a.api.delete(ctx, r.channel, drafts[i].ts) //nolint:errcheck // logged; it may be gone
			}
			ts, err := l.post(ctx, p)
			if err != nil {
				l.parts = append(l.parts, drafts[min(i+1, len(drafts)):]...)
				return err
			}
			done = &part{ts: ts}
		}
		done.state = sealed
		l.parts = append(l.parts, done)
	}
	for _, d := range drafts[min(len(pieces), len(drafts)):] {
		l.stop(ctx, d)
		a.api.delete(ctx, r.channel, d.ts) //nolint:errcheck // logged; it may be gone
	}
	l.n.save(ctx, true)
	return nil
}

// complete ends streams that showed the whole answer: nothing has to be written
// again. It tells whether that was so.
func (l *live) complete(ctx context.Context, md string, pieces []piece) bool {
	d := l.current()
	if d == nil || !d.native {
		return false
	}
	shown := ""
	for _, p := range l.parts {
		if !p.native || p.state == failed || strings.Count(p.shown, "```")%2 != 0 {
			return false // a fence that goes on in the next message
		}
		shown += p.shown
	}
	rest, ok := strings.CutPrefix(streamed(md), shown)
	if !ok || units(d.shown)+units(rest) > blockRoom || units(rest) > appendRoom {
		return false
	}
	if l.api.stopStream(ctx, l.n.req.channel, d.ts, rest, pieces[len(pieces)-1].extras) != nil {
		return false
	}
	d.state = sealed
	return true
}

// post puts a whole piece into the place, in the best form that Slack takes, and
// as a file where it takes none.
func (l *live) post(ctx context.Context, p piece) (ts string, err error) {
	a := l.n.app
	err = a.climb(p, func(form payload) error {
		ts, err = l.put(ctx, form)
		return err
	})
	if tooBig(err) && a.can("files:write") {
		return "", l.upload(ctx, "", p.md)
	}
	return ts, err
}

// upload shares a text as a file. One that may be there although Slack did not say
// so is taken away again.
func (l *live) upload(ctx context.Context, comment, text string) error {
	a, r := l.n.app, l.n.req
	id, err := l.api.upload(ctx, r.channel, r.root, "answer.md", comment, text)
	switch {
	case err == nil:
		l.files = append(l.files, id)
	case id != "" && unsure(err):
		ctx, cancel := lasting(ctx)
		defer cancel()
		a.insist(ctx, func() error { return a.api.deleteFile(ctx, id) })
	}
	return err
}

// bundle makes a file of an answer that would take too many messages: its first
// piece, the file with all of it, and what stands below.
func (l *live) bundle(ctx context.Context, pieces []piece) []piece {
	a, r := l.n.app, l.n.req
	if len(pieces) <= mostMessages || !a.can("files:write") || len(a.own().Scopes) == 0 {
		return pieces
	}
	var all strings.Builder
	for _, p := range pieces {
		all.WriteString(p.md + "\n\n")
	}
	if l.upload(ctx, r.who.say("The whole answer"), all.String()) != nil {
		return pieces
	}
	first, last := pieces[0], pieces[len(pieces)-1]
	first.md = strings.TrimSpace(first.md) + "\n\n_" + r.who.say("The answer is long: all of it is in the file %s.", "answer.md") + "_"
	first.extras, first.tail = last.extras, last.tail
	return []piece{first}
}

// settled turns the ith draft into its piece, if there is one, and tells whether
// that worked.
func (l *live) settled(ctx context.Context, drafts []*part, i int, p piece) (bool, error) {
	if i >= len(drafts) {
		return false, nil
	}
	l.stop(ctx, drafts[i])
	err := l.n.app.climb(p, func(form payload) error {
		return l.api.update(ctx, l.n.req.channel, drafts[i].ts, form, false)
	})
	return err == nil, err
}

// stop ends a native stream that is still running.
func (l *live) stop(ctx context.Context, d *part) {
	if d.native && d.state == open {
		l.n.app.api.stopStream(ctx, l.n.req.channel, d.ts, "", nil) //nolint:errcheck // it may have ended by itself
	}
	d.state = sealed
}

// retract deletes what was shown, files too. Where that fails, the text stands in
// its place; where Slack does not work, it is tried again as long as ctx allows,
// and what is left then is kept for the end. The text is shown in any case, if
// there was something to take back.
func (l *live) retract(ctx context.Context, text string) {
	a, r := l.n.app, l.n.req
	parts, files := l.parts, l.files
	l.parts, l.files = nil, nil
	l.restart()
	told := false
	for _, d := range parts {
		if d.ts == "" {
			continue // it was a file
		}
		l.stop(ctx, d)
		said := text
		if told {
			said = ""
		}
		showed, ok := l.takeBack(ctx, d.ts, said)
		told = told || showed
		if l.done[d.ts] = true; !ok {
			d.state = failed
			l.parts = append(l.parts, d)
		}
	}
	for _, id := range files {
		if !a.insist(ctx, func() error { return a.api.deleteFile(ctx, id) }) {
			l.files = append(l.files, id)
		}
	}
	if len(l.parts)+len(l.files) > 0 {
		l.n.log.Error("an answer could not be taken back everywhere", "request_id", l.n.requestID(), "messages", len(l.parts), "files", len(l.files))
	}
	if text != "" && !told && len(parts) > 0 {
		a.api.post(ctx, r.channel, r.root, notice(text)) //nolint:errcheck // logged; the answer follows
	}
}

// takeBack takes one message back: the text stands in its place, or nothing where
// there is none. It tells whether the text is shown, and whether the message is
// gone.
func (l *live) takeBack(ctx context.Context, ts, text string) (told, ok bool) {
	a, r := l.n.app, l.n.req
	ok = a.insist(ctx, func() error {
		if text != "" && a.api.update(ctx, r.channel, ts, notice(text), false) == nil {
			told = true
			return nil
		}
		err := a.api.delete(ctx, r.channel, ts)
		if err == nil || isCode(err, "message_not_found") {
			return nil
		}
		return a.api.update(ctx, r.channel, ts, notice(firstOf(text, r.who.say("This was taken back."))), false)
	})
	return told, ok
}

// insist does something again and again until it works, until Slack refuses it for
// good, or until ctx ends. It tells whether it is done.
func (a *app) insist(ctx context.Context, do func() error) bool {
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		err := do()
		switch {
		case err == nil, gone(err):
			return true
		case hopeless(err), a.api.sleep(ctx, wait) != nil:
			return false
		}
	}
}

// streamed is what a native stream would have shown of a whole text.
func streamed(md string) string {
	var out strings.Builder
	s := render.NewStream(render.MarkdownBlock, func(piece string) { out.WriteString(piece) })
	s.Write(md)
	s.Close()
	return out.String()
}
