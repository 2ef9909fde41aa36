package slack

import (
	"context"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	eyes = "eyes"
	// statusAge is how old a status may get; Slack takes it away after two minutes.
	statusAge = 90 * time.Second
)

// Signs are not worth waiting for: who asked waits for the answer.
const (
	usualSignTime = 3 * time.Second  // for one call
	signRest      = 30 * time.Second // without signs after one that got no answer
)

// sign is the sign of life for a question: a status in the bot's own
// conversations, a reaction elsewhere. Commands and buttons were answered when
// they were acknowledged.
type sign struct {
	n       *answer
	status  bool // it is a status
	reacted bool
	text    string
	shown   time.Time
	rest    time.Time // until then Slack is left alone
}

func newSign(n *answer) *sign { return &sign{n: n} }

// show gives the first sign.
func (s *sign) show(ctx context.Context) {
	r := s.n.req
	if r.ts == "" {
		return
	}
	if r.direct && r.root != "" {
		s.status = true
		s.stage(ctx, s.n.req.who.say("is thinking…"))
	}
	if !s.status && s.n.app.can("reactions:write") {
		ctx, cancel := context.WithTimeout(ctx, s.n.app.opts.signTime)
		defer cancel()
		err := s.n.app.api.react(ctx, r.channel, r.ts, eyes, true)
		s.reacted = !hopeless(err) // it may be there also where Slack did not say so
	}
}

// stage tells what is being done.
func (s *sign) stage(ctx context.Context, text string) {
	if !s.status || text == s.text && time.Since(s.shown) < statusAge || time.Now().Before(s.rest) {
		return
	}
	s.text, s.shown = text, time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.n.app.opts.signTime)
	defer cancel()
	err := s.n.app.api.status(ctx, s.n.req.channel, s.n.req.root, text)
	switch {
	case hopeless(err):
		s.status = false // not a conversation that has one
	case err != nil && !errors.Is(err, errDropped):
		s.rest = time.Now().Add(signRest)
	}
}

// refresh shows the status again before Slack takes it away.
func (s *sign) refresh(ctx context.Context) {
	if s.status && s.text != "" && time.Since(s.shown) >= statusAge {
		s.stage(ctx, s.text)
	}
}

// posted says that a message was posted, which takes the status away.
func (s *sign) posted() { s.shown = time.Time{} }

// clear takes the sign back. Nobody waits for that, unless everything ends.
func (s *sign) clear(ctx context.Context) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	r := s.n.req
	if s.status {
		s.n.app.api.status(ctx, r.channel, r.root, "") //nolint:errcheck // it goes by itself
	}
	if s.reacted {
		s.n.app.api.react(ctx, r.channel, r.ts, eyes, false) //nolint:errcheck // logged; nothing else to do
	}
}

// stage is what an event says is being done; "" for none.
func stage(e core.Event, who person) string {
	switch e := e.(type) {
	case core.StatusChanged:
		switch e.Stage {
		case "searching":
			return stageOf(who, "is searching", "the sources", e.Detail)
		case "reading":
			return stageOf(who, "is reading", "what was found", e.Detail)
		case "writing":
			return who.say("is writing…")
		case "waiting":
			return who.say("is waiting for its turn…")
		}
	case core.QueryRun:
		return stageOf(who, "is searching", "the sources", e.Source)
	case core.DocumentsFound:
		return who.say("is reading what was found…")
	}
	return ""
}

// stageOf is a stage with what it is about, if that is known.
func stageOf(who person, doing, usual, what string) string {
	if what == "" {
		return who.say(doing + " " + usual + "…")
	}
	return who.say(doing+" %s…", what)
}
