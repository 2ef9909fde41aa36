package slack

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// What buttons do. The names travel in messages, so they stay as they are.
const (
	actVote    = "fn_vote"
	actAgain   = "fn_again"
	actFull    = "fn_full"
	actHelp    = "fn_help"
	actHelped  = "fn_helped"
	actShare   = "fn_share"
	actOpenly  = "fn_openly"
	actStop    = "fn_stop"
	actPrivate = "fn_private"
	actSources = "fn_sources"
	actMark    = "fn_mark_" // and the mark: no two buttons of a row may have one name

	viewAsk    = "fn_ask"
	viewReason = "fn_reason"
)

// actions are what the app does with each button.
var actions = map[string]func(*app, context.Context, press){
	actVote:                        (*app).voted,
	actAgain:                       (*app).again,
	actFull:                        (*app).again,
	actHelp:                        (*app).helpWanted,
	actHelped:                      (*app).helped,
	actShare:                       (*app).share,
	actOpenly:                      (*app).openly,
	actStop:                        (*app).stopPressed,
	actPrivate:                     (*app).privately,
	actSources:                     (*app).allSources,
	actMark + string(bot.MarkUp):   (*app).marked,
	actMark + string(bot.MarkDown): (*app).marked,
	actMark + string(bot.MarkHide): (*app).marked,
	actMark + string(bot.MarkShow): (*app).marked,
}

// press is one button that somebody pressed.
type press struct {
	interaction
	who    person
	action string
	value  string
	req    request // for telling the person something
}

// interacted handles a button, a shortcut or a form.
func (a *app) interacted(ctx context.Context, i interaction) {
	foreign := i.User.Team != "" && i.User.Team != a.own().Team && i.User.Team != a.own().Enterprise
	who := a.people.asker(ctx, i.User.ID, "", foreign)
	switch i.Type {
	case "message_action":
		a.shortcut(ctx, i, who)
	case "view_submission":
		a.submitted(ctx, i, who)
	case "block_actions":
		for _, act := range i.Actions {
			a.pressed(ctx, i, who, act)
		}
	}
}

// pressed runs one button, once for each press.
func (a *app) pressed(ctx context.Context, i interaction, who person, act action) {
	do, ok := actions[act.ID]
	if !ok {
		return // of a message that another app made, or a link
	}
	channel := firstOf(i.Channel.ID, i.Container.Channel)
	p := press{interaction: i, who: who, action: act.ID, value: act.Value}
	p.req = request{
		from: act.ID, channel: channel, root: firstOf(i.Message.Thread, i.Container.Thread, i.Container.TS), who: who,
		show: askerOnly, response: i.Response,
	}
	first, err := a.once(ctx, placeID(a.own().Team, "press")+"/"+i.User.ID+"/"+act.ID+"/"+firstOf(act.TS, i.Trigger))
	if err != nil {
		a.tell(ctx, p.req, notice(err.Error()))
		return
	}
	if first {
		do(a, ctx, p)
	}
}

// posted finds the answer that a button belongs to; the person is told where it
// is gone.
func (a *app) posted(ctx context.Context, p press) (core.Posted, standing, bool) {
	id, _, _ := strings.Cut(p.value, ":")
	got, err := a.opts.Posts.Posted(ctx, id)
	if err == nil && !strings.HasPrefix(got.Place, platform+":"+a.own().Team+"/") {
		err = core.Errorf(core.KindNotFound, "the answer is of another workspace")
	}
	if err != nil {
		text := p.who.say("I no longer know that answer. Please ask again.")
		if core.KindOf(err) != core.KindNotFound {
			text = a.sorry(err)
		}
		a.tell(ctx, p.req, notice(text))
		return got, standing{}, false
	}
	var s standing
	json.Unmarshal(got.Extra, &s) //nolint:errcheck // empty fields where it is not ours
	return got, s, true
}

// owner tells whether who pressed is who asked; if not, they are told so.
func (a *app) owner(ctx context.Context, p press, got core.Posted, what string) bool {
	if p.who.Key() == got.Account {
		return true
	}
	a.tell(ctx, p.req, notice(p.who.say("Only who asked can "+what+".")))
	return false
}

// turn finds the question of an answer; the person is told where it is gone.
func (a *app) turn(ctx context.Context, p press, got core.Posted) (core.Turn, bool) {
	t, err := a.opts.Turns.Turn(ctx, got.TurnID)
	if err != nil {
		a.tell(ctx, p.req, notice(p.who.say("I no longer know that question. Please ask again.")))
	}
	return t, err == nil
}

// again answers the question anew: for its asker, in the same place, beside the
// old answer, which stays.
func (a *app) again(ctx context.Context, p press) {
	got, s, ok := a.posted(ctx, p)
	if !ok || !a.owner(ctx, p, got, "have it answered again") {
		return
	}
	r := request{
		from: "again", channel: firstOf(s.Channel, p.req.channel), root: s.Root, ts: s.TS, who: p.who, show: everyone,
		direct: strings.HasPrefix(s.Channel, "D"), full: true,
	}
	if got.Private {
		r.show, r.response, r.restate = askerOnly, p.Response, true
	}
	t, err := a.opts.Turns.Turn(ctx, got.TurnID)
	switch {
	case err == nil:
		r.text, r.parent = t.Question, t.Parent
		if t.Parent == "" {
			r.history = []core.Turn{}
		}
	default: // no turn was made of it: a canned answer, or one that was never taken
		if r.raw = a.original(ctx, s); r.raw == "" {
			a.tell(ctx, p.req, notice(p.who.say("I no longer know that question. Please ask again.")))
			return
		}
	}
	a.begin(r)
}

// original reads the message that asked, as Slack has it now.
func (a *app) original(ctx context.Context, s standing) string {
	if s.TS == "" {
		return ""
	}
	messages, err := a.readThread(ctx, s.Channel, firstOf(s.Root, s.TS))
	if err != nil {
		return ""
	}
	for _, m := range messages {
		if m.TS == s.TS {
			return m.plain()
		}
	}
	return ""
}

// privately answers the question of a channel for its asker alone, with what
// they may read.
func (a *app) privately(ctx context.Context, p press) {
	got, s, ok := a.posted(ctx, p)
	if !ok || !a.owner(ctx, p, got, "have it answered privately") {
		return
	}
	t, ok := a.turn(ctx, p, got)
	if !ok {
		return
	}
	a.begin(request{
		from: "private", channel: firstOf(s.Channel, p.req.channel), root: s.Root, ts: s.TS, who: p.who, show: askerOnly,
		response: p.Response, replace: true, text: t.Question, parent: t.Parent, full: true,
	})
}

// openly asks a private question again where everybody can read the answer.
func (a *app) openly(ctx context.Context, p press) {
	got, s, ok := a.posted(ctx, p)
	if !ok || !a.owner(ctx, p, got, "ask it here") {
		return
	}
	if t, ok := a.turn(ctx, p, got); ok {
		r := p.req
		r.raw, r.channel = escape(t.Question), firstOf(s.Channel, r.channel)
		a.askOpenly(ctx, r)
	}
}

// stopPressed stops an answer, for its asker and for who manages the channel.
func (a *app) stopPressed(ctx context.Context, p press) {
	for _, n := range a.running.find(func(n *answer) bool { return n.id == p.value }) {
		if n.req.who.ID != p.who.ID && !a.manages(ctx, p.who, n.req.channel) {
			a.tell(ctx, p.req, notice(p.who.say("Only who asked, or who manages the channel, can stop that answer.")))
			return
		}
		n.stop()
	}
}

// allSources shows the whole list of an answer, as far as it was made for readers
// of the place.
func (a *app) allSources(ctx context.Context, p press) {
	got, s, ok := a.posted(ctx, p)
	if !ok {
		return
	}
	run, err := a.opts.Desk.Find(ctx, got.TurnID)
	if err != nil {
		a.tell(ctx, p.req, notice(p.who.say("I no longer know that answer. Please ask again.")))
		return
	}
	v, err := a.opts.Front.Viewer(ctx, p.who.Account)
	place := a.place(ctx, firstOf(s.Channel, p.req.channel), s.Root)
	if got.Private {
		place = ephemeral(place)
	}
	if err != nil || !run.KnownTo(place, v) {
		a.tell(ctx, p.req, notice(p.who.say("The list can no longer be shown here.")))
		return
	}
	if t, ok := a.turn(ctx, p, got); ok {
		citations := t.Answer.Citations
		if a.opts.Readable != nil { // as they are now, for who looks
			if citations, err = a.opts.Readable(ctx, v, t); err != nil {
				a.tell(ctx, p.req, notice(a.sorry(err)))
				return
			}
		}
		text := firstOf(sourceText(sourceLines(citations, p.who), mostShown, p.who), p.who.say("The list can no longer be shown here."))
		list := payload{text: text, blocks: nil}
		if a.opts.Curation != nil && a.opts.Curation.Curator(p.who.Account, v) {
			list = curatedList(text, got.ID, citations, p.who)
		}
		a.tell(ctx, p.req, list)
	}
}
