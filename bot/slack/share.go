package slack

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// offerPayload is what the asker alone sees where they may read more than the
// place.
func offerPayload(text, id string, who person) payload {
	p := notice(escapeMarkdown(text))
	p.blocks = append(p.blocks, slack.NewActionBlock("",
		slack.NewButtonBlockElement(actPrivate, id, plainText(who.say("Answer privately with my access")))))
	return p
}

// share posts a private answer in the channel, after everything that it rests on
// was held against who reads there now.
func (a *app) share(ctx context.Context, p press) {
	got, s, ok := a.posted(ctx, p)
	if !ok || !a.owner(ctx, p, got, "share it") {
		return
	}
	v, err := a.opts.Front.Viewer(ctx, p.who.Account)
	if err != nil {
		a.tell(ctx, p.req, notice(a.sorry(err)))
		return
	}
	channel := firstOf(s.Channel, p.req.channel)
	place := a.place(ctx, channel, s.Root)
	made, err := a.opts.Front.Audience(ctx, place, v) // before it is checked, and held against it until it is posted
	if err != nil {
		a.tell(ctx, p.req, notice(a.sorry(err)))
		return
	}
	shared, titles, err := a.opts.Desk.Share(ctx, got.TurnID, v, place)
	if err != nil {
		a.tell(ctx, p.req, refusal(a.sorry(err), core.KindOf(err), titles, got.ID, p.who))
		return
	}
	if settings, err := a.opts.Front.Settings(ctx, place.ID); err != nil || settings.KeepsBack(shared) {
		a.tell(ctx, p.req, notice(p.who.say("Only answers that show a source are posted in this channel, so I did not share it.")))
		return
	}
	question := ""
	if t, err := a.opts.Turns.Turn(ctx, got.TurnID); err == nil {
		question = t.Question
	}
	a.postShared(ctx, p, shareOf{channel: channel, root: s.Root, question: question, answer: shared, place: place, viewer: v, made: made})
}

// refusal says why an answer was not shared, and what can be done instead.
func refusal(why string, kind core.Kind, titles []string, id string, who person) payload {
	md := escapeMarkdown(why)
	for _, t := range titles {
		md += "\n- " + escapeMarkdown(t)
	}
	p := notice(md)
	if kind == core.KindDenied {
		p.blocks = append(p.blocks, slack.NewActionBlock("",
			slack.NewButtonBlockElement(actOpenly, id, plainText(who.say("Ask it here instead")))))
	}
	return p
}

type shareOf struct {
	channel, root, question string
	answer                  core.Answer
	place                   core.Place
	viewer                  core.Viewer
	made                    core.Audience
}

// postShared posts the answer under the name of who shares it.
func (a *app) postShared(ctx context.Context, p press, s shareOf) {
	id := a.opts.NewID()
	head := p.who.say("%s shares an answer to:", p.who.bold()) + "\n\n> " +
		strings.ReplaceAll(escapeMarkdown(firstRunes(s.question, 500)), "\n", "\n> ") + "\n\n"
	pieces := compose(head+s.answer.Text, ending{answer: s.answer}, nil, buttons{id: id, who: p.who, votes: a.opts.Feedback != nil, whole: true})
	n := &answer{app: a, id: id, log: a.log, req: request{from: actShare, channel: s.channel, root: s.root, who: p.who, show: everyone}}
	n.place, n.viewer, n.made = s.place, s.viewer, s.made
	n.sign = newSign(n)
	out := newLive(n)
	n.view = &view{n: n, out: out}
	for _, one := range pieces {
		ts, err := out.post(ctx, one)
		if errors.Is(err, errStale) {
			out.retract(ctx, "")
			a.tell(ctx, p.req, notice(p.who.say("More people can read this place than when I began, so I did not post the answer. Please ask again.")))
			return
		}
		if err != nil {
			a.tell(ctx, p.req, notice(p.who.say("I cannot post in this channel. Invite me with `/invite`, then share again.")))
			return
		}
		out.parts = append(out.parts, &part{ts: ts, state: sealed})
	}
	extra, err := json.Marshal(standing{Channel: s.channel, Root: s.root, User: p.who.ID})
	if err == nil {
		err = a.opts.Posts.PutPosted(ctx, core.Posted{
			ID: id, TurnID: s.answer.TurnID, Platform: platform, Place: placeID(a.own().Team, s.channel),
			Account: p.who.Key(), Refs: out.refs(), Extra: extra, Updated: time.Now(),
		})
	}
	if err != nil {
		a.log.Warn("where a shared answer stands cannot be noted", "error", err)
	}
	if p.Response != "" {
		a.api.erase(ctx, p.Response) //nolint:errcheck // the private copy may stay
	}
}
