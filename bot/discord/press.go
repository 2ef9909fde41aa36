package discord

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/core"
)

// What buttons and forms do. The names travel in messages, so they stay as they
// are.
const (
	actUp      = "fn_up"
	actDown    = "fn_down"
	actAgain   = "fn_again"
	actFull    = "fn_full"
	actHelp    = "fn_help"
	actHelped  = "fn_helped"
	actShare   = "fn_share"
	actOpenly  = "fn_openly"
	actStop    = "fn_stop"
	actPrivate = "fn_private"
	actSources = "fn_sources"
	actMark    = "fn_mark"

	viewAbout  = "fn_about"
	viewReason = "fn_reason"
)

// actions are what the app does with each button, after an ephemeral answer was
// promised.
var actions = map[string]func(*app, context.Context, press){
	actUp:      (*app).votedUp,
	actAgain:   (*app).again,
	actFull:    (*app).again,
	actHelp:    (*app).helpWanted,
	actHelped:  (*app).helped,
	actShare:   (*app).share,
	actOpenly:  (*app).openly,
	actPrivate: (*app).privately,
	actSources: (*app).allSources,
	actMark:    (*app).marked,
}

// press is one button that somebody pressed.
type press struct {
	interaction
	request        // for telling the person something
	value   string // what the button carries
}

// pressed runs one button.
func (a *app) pressed(ctx context.Context, i interaction) {
	action, value, _ := strings.Cut(i.Data.CustomID, ":")
	if !a.clicks.take(i.by().ID, time.Now()) {
		a.opts.Counter.Add("discord_clicks_refused_total", action)
		slow := notice("That was too fast. Please wait a few seconds.")
		slow.Flags = discordgo.MessageFlagsEphemeral
		if err := a.api.respond(ctx, i, discordgo.InteractionResponseChannelMessageWithSource, slow); err != nil {
			a.log.Debug("a click could not be answered", "error", err)
		}
		return
	}
	switch action {
	case actDown: // the form has to be the first answer
		a.votedDown(ctx, i, value)
		return
	case actStop:
		r := a.newReply(i, false)
		if a.firstWord(ctx, i, r.acknowledgeSilently) {
			a.stopPressed(ctx, press{i, a.requestOf(ctx, i, action, r), value})
		}
		return
	}
	do, ok := actions[action]
	if !ok {
		return // of a message that another program made
	}
	r := a.newReply(i, true)
	if a.firstWord(ctx, i, r.acknowledge) {
		if action == actAgain || action == actFull || action == actPrivate {
			defer a.promised(ctx, i, r)()
		}
		do(a, ctx, press{i, a.requestOf(ctx, i, action, r), value})
	}
}

// submitted handles a form.
func (a *app) submitted(ctx context.Context, i interaction) {
	view, id, _ := strings.Cut(i.Data.CustomID, ":")
	switch view {
	case viewAbout:
		a.askedAbout(ctx, i, id)
	case viewReason:
		a.reasoned(ctx, i, id)
	}
}

// say tells who pressed something.
func (a *app) say(ctx context.Context, p press, md string) { a.whisper(ctx, p.request, notice(md)) }

// stands finds the answer that a button belongs to; the person is told where it is
// gone, is of another server or of one that is not bound, was for somebody else
// alone, or stands where they may not read any more.
func (a *app) stands(ctx context.Context, p press) (core.Posted, standing, bool) {
	got, err := a.opts.Posts.Posted(ctx, p.value)
	var s standing
	if err == nil && (json.Unmarshal(got.Extra, &s) != nil || s.App != a.own().App) {
		err = core.Errorf(core.KindNotFound, "the answer is of another application")
	}
	if err != nil {
		text := "I no longer know that answer. Please ask again."
		if core.KindOf(err) != core.KindNotFound {
			text = a.sorry(err)
		}
		a.say(ctx, p, text)
		return got, s, false
	}
	if (got.Private || s.Guild == "") && (s.User != p.who.ID || s.User == "") {
		a.say(ctx, p, "I no longer know that answer. Please ask again.")
		return got, s, false
	}
	if s.Guild != "" {
		if a.refusedGuild(ctx, request{guild: s.Guild, who: p.who, reply: p.reply}) {
			return got, s, false
		}
		reads, err := a.facts.reads(ctx, s.Guild, s.Channel, p.who.ID)
		if err != nil || !reads {
			a.say(ctx, p, errRemoved.Message)
			return got, s, false
		}
	}
	return got, s, true
}

// owner tells whether who pressed is who asked; if not, they are told so.
func (a *app) owner(ctx context.Context, p press, got core.Posted, s standing, what string) bool {
	if s.User == p.who.ID && p.who.ID != "" {
		return true
	}
	a.say(ctx, p, "Only who asked can "+what+".")
	return false
}

// posts tells whether who pressed may write where the answer stands: the bot posts
// nothing for somebody who could not. In doubt they may not, and are told so.
func (a *app) posts(ctx context.Context, p press, s standing) bool {
	at, err := a.facts.spot(ctx, s.Guild, s.Channel)
	if err == nil {
		var may bits
		if may, err = a.facts.permissions(ctx, at, p.who.ID); err == nil && may.has(maySend) {
			return true
		}
	}
	a.say(ctx, p, "You cannot write in this channel, so I do not post it for you.")
	return false
}

// turn finds the question of an answer; the person is told where it is gone.
func (a *app) turn(ctx context.Context, p press, got core.Posted) (core.Turn, bool) {
	t, err := a.opts.Turns.Turn(ctx, got.TurnID)
	if err != nil {
		a.say(ctx, p, "I no longer know that question. Please ask again.")
	}
	return t, err == nil
}

// asIn is who presses, as they are in the guild where the answer stands.
func (a *app) asIn(ctx context.Context, p press, guild string) person {
	if p.who.Team == guild {
		return p.who
	}
	return a.person(ctx, guild, p.by(), false)
}

// again answers the question anew: for its asker, in the same place, beside the
// old answer, which stays.
func (a *app) again(ctx context.Context, p press) {
	got, s, ok := a.stands(ctx, p)
	if !ok || !a.owner(ctx, p, got, s, "have it answered again") {
		return
	}
	r := request{
		from: "again", guild: s.Guild, channel: s.Channel, root: s.Root, asked: s.Asked, who: a.asIn(ctx, p, s.Guild),
		show: everyone, full: true, said: []core.Said{},
	}
	if got.Private || a.answersPrivately(ctx, s) {
		r.show, r.reply, r.restate = askerOnly, p.reply, true
	}
	t, err := a.opts.Turns.Turn(ctx, got.TurnID)
	if err == nil {
		r.text, r.parent = t.Question, t.Parent
		if t.Parent == "" {
			r.history = []core.Turn{}
		}
	} else if !a.original(ctx, s, &r) { // a canned answer, or one that was never taken
		a.say(ctx, p, "I no longer know that question. Please ask again.")
		return
	}
	if !r.private() {
		a.say(ctx, p, "I answer it again.")
	}
	a.begin(r)
}

// answersPrivately tells that the place answers askers alone.
func (a *app) answersPrivately(ctx context.Context, s standing) bool {
	if s.Guild == "" {
		return false
	}
	settings, err := a.opts.Front.Settings(ctx, placeID(s.Guild, a.parentOf(ctx, s.Guild, s.Channel)))
	return err != nil || settings.Private
}

// original reads the message that asked, as Discord has it now.
func (a *app) original(ctx context.Context, s standing, r *request) bool {
	if s.Asked == "" {
		return false
	}
	m, err := a.api.message(ctx, s.Channel, s.Asked)
	if err != nil && s.Root == s.Channel { // the thread hangs on it
		m, err = a.api.message(ctx, a.parentOf(ctx, s.Guild, s.Channel), s.Asked)
	}
	r.raw, r.names, r.files = m.text(), m.Mentions, m.Attachments
	return err == nil && r.raw != ""
}

// privately answers the question of a channel for whoever pressed alone, with what
// they may read. Who can read the question may ask it.
func (a *app) privately(ctx context.Context, p press) {
	got, s, ok := a.stands(ctx, p)
	if !ok {
		return
	}
	r := request{
		from: "private", guild: s.Guild, channel: s.Channel, root: s.Root, who: a.asIn(ctx, p, s.Guild), show: askerOnly,
		reply: p.reply, restate: true, full: true, said: []core.Said{},
	}
	if t, err := a.opts.Turns.Turn(ctx, got.TurnID); err == nil {
		r.text, r.parent = t.Question, t.Parent
		if t.Parent == "" { // not what followed it either
			r.history = []core.Turn{}
		}
	} else if !a.original(ctx, s, &r) {
		a.say(ctx, p, "I no longer know that question. Please ask again.")
		return
	}
	a.begin(r)
}

// openly asks a private question again where everybody can read the answer.
func (a *app) openly(ctx context.Context, p press) {
	got, s, ok := a.stands(ctx, p)
	if !ok || !a.owner(ctx, p, got, s, "ask it here") {
		return
	}
	if s.Guild == "" || a.answersPrivately(ctx, s) {
		a.say(ctx, p, "Answers there are for who asks alone.")
		return
	}
	if !a.posts(ctx, p, s) {
		return
	}
	t, ok := a.turn(ctx, p, got)
	if !ok {
		return
	}
	who := a.asIn(ctx, p, s.Guild)
	id, err := a.api.post(ctx, s.Channel, nonce("openly", p.ID), notice("**"+escapeMarkdown(firstOf(who.Name, "Somebody"))+"** asks:\n\n"+quoted(t.Question, 1500)))
	if err != nil {
		a.say(ctx, p, "I cannot post in this channel.")
		return
	}
	a.say(ctx, p, "I answer in the channel.")
	a.begin(request{
		from: "openly", guild: s.Guild, channel: s.Channel, root: id, asked: id, who: who, show: everyone, text: t.Question,
		said: []core.Said{}, history: []core.Turn{},
	})
}

// stopPressed stops an answer, for its asker and for who manages the server.
func (a *app) stopPressed(ctx context.Context, p press) {
	for _, n := range a.running.find(func(n *answer) bool { return n.id == p.value }) {
		own := n.about.who.ID == p.who.ID
		if !own && (n.about.private() || n.about.direct()) {
			return // they cannot see it, so nobody showed them the button
		}
		if !own && (n.about.guild != p.request.guild || !a.manages(p.who)) {
			a.say(ctx, p, "Only who asked, or who manages the server, can stop it.")
			return
		}
		n.stop()
	}
}

// allSources shows the whole list of an answer, as far as it was made for readers
// of the place and they may still know it.
func (a *app) allSources(ctx context.Context, p press) {
	got, s, ok := a.stands(ctx, p)
	if !ok {
		return
	}
	run, err := a.opts.Desk.Find(ctx, got.TurnID)
	if err != nil {
		a.say(ctx, p, "I no longer know that answer. Please ask again.")
		return
	}
	v, err := a.opts.Front.Viewer(ctx, a.asIn(ctx, p, s.Guild).Account)
	place := a.place(ctx, s.Guild, s.Channel)
	if got.Private && s.Guild != "" {
		place = ephemeral(place)
	}
	if err != nil || !run.KnownTo(place, v) {
		a.say(ctx, p, "The list can no longer be shown here.")
		return
	}
	if t, ok := a.turn(ctx, p, got); ok {
		list := payload{Content: tail(sourceLines(t.Answer.Citations), nil, 50)}
		if a.curator(a.asIn(ctx, p, s.Guild).Account, v) {
			list.Components = curatedRows(got.ID, t.Answer.Citations)
		}
		a.whisper(ctx, p.request, list)
	}
}
