package discord

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// share posts a private answer in the channel, after everything that it rests on
// was held against who reads there now.
func (a *app) share(ctx context.Context, p press) {
	got, s, ok := a.stands(ctx, p)
	if !ok || !a.owner(ctx, p, got, s, "share it") {
		return
	}
	if s.Guild == "" || a.answersPrivately(ctx, s) {
		a.say(ctx, p, "Answers there are for who asks alone.")
		return
	}
	if !a.posts(ctx, p, s) {
		return
	}
	who := a.asIn(ctx, p, s.Guild)
	v, err := a.opts.Front.Viewer(ctx, who.Account)
	if err != nil {
		a.say(ctx, p, a.sorry(err))
		return
	}
	place := a.place(ctx, s.Guild, s.Channel)
	made, err := a.opts.Front.Audience(ctx, place, v)
	if err != nil {
		a.say(ctx, p, a.sorry(err))
		return
	}
	shared, titles, err := a.opts.Desk.Share(ctx, got.TurnID, v, place)
	if err != nil {
		a.whisper(ctx, p.request, a.refusal(err, titles, got.ID))
		return
	}
	if settings, err := a.opts.Front.Settings(ctx, placeID(s.Guild, a.parentOf(ctx, s.Guild, s.Channel))); err != nil || settings.KeepsBack(shared) {
		a.say(ctx, p, "Only answers that show a source are posted there, so I did not share it.")
		return
	}
	question := ""
	if t, err := a.opts.Turns.Turn(ctx, got.TurnID); err == nil {
		question = t.Question
	}
	still := func(ctx context.Context) error {
		now, err := a.opts.Front.Audience(ctx, place, v)
		if err != nil || bot.Wider(made, now) {
			return errStale
		}
		return nil
	}
	a.postShared(ctx, p, who, s, place, question, shared, still)
}

// refusal says, to the asker alone, why an answer was not shared, and what can be
// done instead.
func (a *app) refusal(err error, titles []string, id string) payload {
	md := escapeMarkdown(a.sorry(err))
	for _, t := range titles {
		md += "\n- " + escapeMarkdown(t)
	}
	p := notice(md)
	if core.KindOf(err) == core.KindDenied {
		p.Components = row(button(actOpenly, id, "Ask it here instead"))
	}
	return p
}

// postShared posts the answer under the name of who shares it.
func (a *app) postShared(ctx context.Context, p press, who person, s standing, place core.Place, question string, answer core.Answer, still func(context.Context) error) {
	id := a.opts.NewID()
	answer.Text = "**" + escapeMarkdown(firstOf(who.Name, "Somebody")) + "** shares an answer to:\n\n" + quoted(question, 500) + "\n\n" + answer.Text
	pieces := compose(ending{answer: answer}, nil, "", buttons{id: id, votes: a.opts.Feedback != nil, private: true})
	req := request{guild: s.Guild, channel: s.Channel, root: s.Root}
	out := &channelPoster{a: a, req: &req, id: id}
	var refs []string
	for _, one := range pieces {
		one.still = still
		ref, err := out.post(ctx, one)
		if err != nil {
			for _, r := range refs {
				out.delete(ctx, r) //nolint:errcheck // half an answer helps nobody; it may stay
			}
			a.say(ctx, p, "I cannot post in this channel.")
			return
		}
		refs = append(refs, ref)
	}
	extra, err := json.Marshal(standing{App: a.own().App, Guild: s.Guild, Channel: s.Channel, Root: s.Root, User: who.ID})
	if err == nil {
		err = a.opts.Posts.PutPosted(ctx, core.Posted{
			ID: id, TurnID: answer.TurnID, Platform: platform, Place: place.ID, Thread: place.Thread, Account: who.Key(),
			Refs: refs, Extra: extra, Updated: time.Now(),
		})
	}
	if err != nil {
		a.log.Warn("where a shared answer stands cannot be noted", "error", err)
	}
	a.say(ctx, p, "Shared.")
}
