package slack

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/bot/render"
)

// state is where a message of a growing answer stands.
type state int

const (
	open   state = iota // may get more
	sealed              // complete as far as it goes
	failed              // Slack refused more; the end will put it right
)

// part is one message of a growing answer.
type part struct {
	ts     string
	native bool // one of Slack's own streams, still running while open
	state  state
	opened time.Time
	from   int    // where its text begins in the answer, about; at the start of a character
	upto   int    // and where what was shown of it ends
	shown  string // what stands in it, as it was sent
}

const (
	streamAge  = 4 * time.Minute // Slack ends a stream after about five
	appendRoom = 12_000
	firstGap   = time.Second // between edits of a message
	mostGap    = 8 * time.Second
)

// live shows an answer where all can read it, while it is being written. What
// stands there meanwhile is a draft; finish makes it right whatever happened.
type live struct {
	n      *answer
	api    *api // asks before each message whether the place still has the same readers
	parts  []*part
	stream *render.Stream // lets text out in safe pieces, for native streams
	fed    int            // bytes of the answer given to it
	ready  string         // let out and not sent yet
	native bool
	gap    time.Duration
	next   time.Time
	done   map[string]bool // messages that were parts and are settled or gone
	files  []string        // ids of files that were shared
}

func newLive(n *answer) *live {
	r := n.req
	l := &live{
		n: n, api: n.app.api.asking(n.still), gap: firstGap,
		done: map[string]bool{}, native: r.root != "" && r.who.ID != "" && r.who.Class != "bot" && n.app.streams.may(kindOfID(r.channel, r.direct)),
	}
	l.restart()
	return l
}

// restart begins a stream of safe pieces anew.
func (l *live) restart() {
	l.ready, l.fed = "", 0
	l.stream = render.NewStream(render.MarkdownBlock, func(piece string) { l.ready += piece })
}

func (l *live) refs() []string {
	var out []string
	for _, p := range l.parts {
		out = append(out, p.ts)
	}
	return out
}

// current is the message that grows; nil if there is none.
func (l *live) current() *part {
	if len(l.parts) == 0 || l.parts[len(l.parts)-1].state != open {
		return nil
	}
	return l.parts[len(l.parts)-1]
}

// plain lets the rest be sent without asking.
func (l *live) plain() { l.api = l.n.app.api }

func (l *live) show(ctx context.Context, md string) {
	if !l.native {
		l.edit(ctx, md)
		return
	}
	before := l.fed
	l.stream.Write(md[l.fed:])
	l.fed = len(md)
	l.grow(ctx, md, before)
}

// grow sends what is ready over a native stream. Nearly all of the answer before
// the place given was ready before.
func (l *live) grow(ctx context.Context, md string, before int) {
	p := l.current()
	if p != nil && (time.Since(p.opened) > l.n.app.streamAge || units(p.shown)+units(l.ready) > pieceRoom) {
		l.seal(ctx, p)
		p = nil
	}
	if l.ready == "" {
		return
	}
	text := firstUnits(l.ready, pieceRoom)
	if p == nil {
		l.open(ctx, md, text, before)
		return
	}
	switch err := l.api.appendStream(ctx, l.n.req.channel, p.ts, text); {
	case err == nil:
		p.shown, p.upto = p.shown+text, len(md)
		l.ready = l.ready[len(text):]
	case !errors.Is(err, errStale) && !errors.Is(err, errDropped):
		l.broken(ctx, p, err)
	}
}

// open begins a native stream, or finds out that there are none here.
func (l *live) open(ctx context.Context, md, text string, before int) {
	a, r := l.n.app, l.n.req
	began := time.Now()
	ts, err := l.api.startStream(ctx, r.channel, r.root, a.own().Team, r.who.ID, strings.TrimLeft(text, "\n"))
	if unsure(err) {
		if there, ok := l.found(ctx, began, text); ok {
			ts, err = there, nil
		}
	}
	switch {
	case errors.Is(err, errStale):
		return
	case err != nil:
		l.native = false
		if refusesStreams(err) {
			a.streams.refuse(kindOfID(r.channel, r.direct))
			l.edit(ctx, md)
		}
		return
	}
	from := 0
	if len(l.parts) > 0 {
		if from = lineStart(md, before); from <= l.parts[len(l.parts)-1].from {
			from = runeStart(md, before)
		}
	}
	l.parts = append(l.parts, &part{ts: ts, native: true, opened: time.Now(), from: from, upto: len(md), shown: text})
	l.ready = l.ready[len(text):]
	l.landed(ctx)
}

// landed is after each new message.
func (l *live) landed(ctx context.Context) {
	l.n.sign.posted()
	l.n.save(ctx, true)
}

// broken gives a stream up. The text is still ours: the message is changed by
// edits from now on.
func (l *live) broken(ctx context.Context, p *part, err error) {
	if ctx.Err() != nil {
		return
	}
	l.n.log.Info("a native stream ended early; the answer goes on by edits", "error", err)
	l.n.app.api.stopStream(ctx, l.n.req.channel, p.ts, "", nil) //nolint:errcheck // it may have ended already
	p.native, p.shown, l.native = false, "", false
}

// seal ends a message that has become too old or too long.
func (l *live) seal(ctx context.Context, p *part) {
	p.state = sealed
	if !p.native {
		return
	}
	if err := l.n.app.api.stopStream(ctx, l.n.req.channel, p.ts, "", nil); err != nil {
		p.state = failed
	}
}

// edit shows the draft by posting a message and changing it, more and more
// slowly.
func (l *live) edit(ctx context.Context, md string) {
	if time.Now().Before(l.next) {
		return
	}
	l.next, l.gap = time.Now().Add(l.gap), min(l.gap*6/5, mostGap)
	p := l.current()
	if p != nil && units(md[p.from:]) > pieceRoom {
		p.state, p = sealed, nil
	}
	if p == nil {
		l.begin(ctx, md)
		return
	}
	if md[p.from:] == p.shown {
		return
	}
	switch err := l.api.update(ctx, l.n.req.channel, p.ts, l.draft(md[p.from:]), true); {
	case err == nil:
		p.shown, p.upto = md[p.from:], len(md)
	case !errors.Is(err, errDropped) && !errors.Is(err, errStale):
		p.state = failed
	}
}

// begin posts the next draft message.
func (l *live) begin(ctx context.Context, md string) {
	from := 0
	if n := len(l.parts); n > 0 {
		last := l.parts[n-1]
		if from = lineStart(md, last.upto); from <= last.from { // one long line
			from = runeStart(md, last.upto)
		}
		if len(md)-from < 80 || n >= mostMessages {
			return // the end is near, or would be a file; it comes in one go
		}
	}
	ts, err := l.put(ctx, l.draft(md[from:]))
	if err != nil {
		l.next = time.Now().Add(mostGap) // the end tries again, and tells
		return
	}
	l.parts = append(l.parts, &part{ts: ts, opened: time.Now(), from: from, upto: len(md), shown: md[from:]})
	l.landed(ctx)
}

// put posts a message into the thread.
func (l *live) put(ctx context.Context, form payload) (ts string, err error) {
	began := time.Now()
	ts, err = l.api.post(ctx, l.n.req.channel, l.n.req.root, form)
	if unsure(err) {
		if there, ok := l.found(ctx, began, form.text); ok {
			return there, nil
		}
	}
	return ts, err
}

// lineStart is where the line begins that a place of the text is in. Drafts may
// overlap a little, but are never cut in a character.
func lineStart(md string, at int) int { return strings.LastIndexByte(md[:min(at, len(md))], '\n') + 1 }

func runeStart(md string, at int) int {
	at = min(at, len(md))
	for at > 0 && at < len(md) && !utf8.RuneStart(md[at]) {
		at--
	}
	return at
}

// draft is an unfinished message with a button to stop.
func (l *live) draft(md string) payload {
	md = render.Settle(md)
	if pieces := split(md); len(pieces) > 1 {
		md = pieces[0] // the rest comes in the next message
	}
	form := forms(piece{md: md})[0]
	form.blocks = append(form.blocks, slack.NewActionBlock("", slack.NewButtonBlockElement(actStop, l.n.id, plainText(l.n.req.who.say("Stop")))))
	return form
}

// firstUnits is the start of a text that is at most so long.
func firstUnits(s string, most int) string {
	n := 0
	for i, r := range s {
		if n++; r > 0xffff {
			n++
		}
		if n > most {
			return s[:i]
		}
	}
	return s
}

// streamable remembers in which kinds of channels Slack refused native streams.
type streamable struct {
	mu      sync.Mutex
	refused map[string]bool
}

func newStreamable() *streamable { return &streamable{refused: map[string]bool{}} }

func (s *streamable) may(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.refused[kind]
}

func (s *streamable) refuse(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[kind] = true
}

// kindOfID is the type of a channel as its id tells it.
func kindOfID(channel string, direct bool) string {
	if direct || channel == "" {
		return "D"
	}
	return channel[:1]
}

// refusesStreams tells that Slack has no native streams for channels of this
// type, or for this app.
func refusesStreams(err error) bool {
	return isCode(err, "channel_type_not_supported", "method_not_supported_for_channel_type", "missing_recipient_user_id",
		"missing_recipient_team_id", "unknown_method", "missing_scope", "not_allowed_token_type", "method_deprecated",
		"feature_not_enabled", "streaming_not_supported")
}
