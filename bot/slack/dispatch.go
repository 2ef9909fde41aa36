package slack

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// handlers are what the app does with each event, under the names that the
// manifest uses. A test holds them against the table of features.
var handlers = map[string]func(*app, context.Context, event){
	"app_mention":      (*app).heard,
	"message.im":       (*app).heard,
	"message.mpim":     (*app).heard,
	"message.channels": (*app).heard,
	"message.groups":   (*app).heard,

	"member_joined_channel": (*app).memberChanged,
	"member_left_channel":   (*app).memberChanged,
	"channel_shared":        (*app).placeChanged,
	"channel_unshared":      (*app).placeChanged,
	"channel_archive":       (*app).placeChanged,
	"channel_deleted":       (*app).placeChanged,
	"channel_rename":        (*app).placeChanged,
	"group_rename":          (*app).placeChanged,
	"user_change":           (*app).userChanged,

	"app_home_opened":                  (*app).homeOpened,
	"assistant_thread_started":         (*app).threadStarted,
	"assistant_thread_context_changed": (*app).threadStarted,
	"app_context_changed":              (*app).contextChanged,
	"agent_session_stopped":            (*app).sessionStopped,

	"app_uninstalled": (*app).uninstalled,
	"tokens_revoked":  (*app).uninstalled,
}

// memberMoved tells that one person came into the channel or left it.
func memberMoved(e event) bool {
	return e.Type == "member_joined_channel" || e.Type == "member_left_channel"
}

// readersChanged tells that other people may read the channel from now on.
func readersChanged(e event) bool {
	return memberMoved(e) || e.Type == "channel_shared" || e.Type == "channel_unshared" ||
		strings.Contains(e.Subtype, "_convert")
}

// memberChanged has running answers look again who reads them.
func (a *app) memberChanged(ctx context.Context, e event) {
	a.places.moves(ctx, e.channel(), string(e.User), e.Type == "member_joined_channel")
	a.opts.Desk.Recheck(placeID(a.own().Team, e.channel()))
}

// placeChanged has running answers look again who reads them.
func (a *app) placeChanged(_ context.Context, e event) {
	a.places.changed(e.channel())
	a.opts.Desk.Recheck(placeID(a.own().Team, e.channel()))
}

// userChanged has running answers look again who reads them: somebody may have
// become a guest. Of who asked them it is noted what they are now.
func (a *app) userChanged(ctx context.Context, e event) {
	user := string(e.User)
	a.people.forget(user)
	p := a.people.asker(ctx, user, "", false)
	a.roster.see(user, p.Class)
	a.places.doubts(user)
	for _, n := range a.running.find(func(*answer) bool { return true }) {
		if n.req.who.ID == user {
			if _, err := a.opts.Front.Viewer(ctx, p.Account); err != nil {
				a.log.Warn("it was not noted what somebody is now", "error", err)
			}
		}
		a.opts.Desk.Recheck(placeID(a.own().Team, n.req.channel))
	}
}

func (a *app) uninstalled(_ context.Context, e event) {
	a.log.Error("the Slack app was taken out of the workspace, or its tokens were revoked; install it again", "event", e.Type)
}

// said are the subtypes that are messages of people and not news about the
// channel. In thread_broadcast a reply is also shown in the channel.
var said = []string{"", "file_share", "thread_broadcast", "bot_message", "me_message"}

// heard is a message that somebody wrote, changed or deleted.
func (a *app) heard(ctx context.Context, e event) {
	switch e.Subtype {
	case "message_deleted":
		a.unsaid(e)
		return
	case "message_changed":
		if e.Message == nil {
			return
		}
		if e.Message.Subtype == "tombstone" {
			a.unsaid(event{Channel: e.Channel, Deleted: e.Message.TS})
			return
		}
	}
	if readersChanged(e) {
		a.placeChanged(ctx, e)
		return
	}
	e, h := a.facts(ctx, e)
	what, why := bot.Decide(h)
	if !slices.Contains(said, e.Subtype) && !h.Self {
		what, why = bot.Ignore, "subtype"
	}
	switch what {
	case bot.Ignore:
		a.log.Debug("a message is not answered", "place", placeID(a.own().Team, e.channel()), "why", why)
		a.opts.Counter.Add("slack_ignored_total", why)
	case bot.Hush:
		a.hush(ctx, e, h)
	case bot.SayHowToAsk:
		if first, err := a.once(ctx, a.key(e.channel(), e.TS)); first && err == nil {
			r := a.request(e, h, why)
			a.tell(ctx, r, notice(r.who.say(hintText)))
		}
	case bot.AnswerIt:
		a.answerTo(ctx, e, h, why)
	}
}

const hintText = "Ask me a question after my name, for example: *where is the travel policy?* `/ask` asks privately, `/footnote help` tells more."

// answerTo starts the answer to a message, once.
func (a *app) answerTo(ctx context.Context, e event, h bot.Heard, why string) {
	asked := standing{Channel: e.channel(), Root: e.root(), TS: e.TS, User: string(e.User)}
	id, first, err := a.expect(ctx, a.key(e.channel(), e.TS), asked, h.Account, false)
	if err != nil {
		a.tell(ctx, a.request(e, h, why), notice(err.Error()))
		return
	}
	if !first {
		return
	}
	if e.noted != nil {
		e.noted()
	}
	r := a.request(e, h, why)
	r.id = id
	if r.root == r.ts {
		a.roots.set(r.channel, r.root, true)
	}
	if h.Facts.Stopped && h.Mention { // called by name: follow-ups count again
		if err := a.opts.Threads.SetQuiet(ctx, threadID(a.own().Team, r.channel, r.root), false, time.Now()); err != nil {
			a.log.Warn("a thread could not be marked as going on", "error", err)
		}
	}
	a.begin(r)
}

// request is the question that a message is.
func (a *app) request(e event, h bot.Heard, why string) request {
	return request{
		from: why, channel: e.channel(), root: e.root(), ts: e.TS, who: a.person(e), show: everyone,
		raw: e.plain(), files: e.Files, direct: h.Direct,
	}
}

// person is who wrote the message, as far as that is at hand; facts asked before.
func (a *app) person(e event) person {
	ctx, cancel := context.WithTimeout(context.Background(), attemptTime)
	defer cancel()
	return a.account(ctx, e)
}

// facts gathers what decides about a message. The event that comes back is the
// message itself, where the event was about an edit of it.
func (a *app) facts(ctx context.Context, e event) (event, bot.Heard) {
	own := a.own()
	h := bot.Heard{Mode: bot.ModeOff, Direct: e.ChannelType == "im", Now: time.Now(), Edited: len(e.Edited) > 0}
	if e.Subtype == "message_changed" {
		now := *e.Message
		now.Channel, now.ChannelType, now.Type, now.noted = e.Channel, e.ChannelType, e.Type, e.noted
		h.Edited = true
		h.Before = e.Previous == nil || mentioned(e.Previous.plain(), own.User)
		e = now
	}
	text := e.plain()
	h.Self, h.Files = a.mine(e), len(e.Files) > 0
	h.Mention = e.Type == "app_mention" || mentioned(text, own.User)
	h.Other = mentionsOther(text, own.User)
	h.Thread = e.Thread != "" && e.Thread != e.TS
	h.Machine = e.Bot != "" || e.Subtype == "bot_message"
	h.Allowed = a.allowed(e.Bot, string(e.User), e.App)
	h.Text = strings.TrimSpace(strings.ReplaceAll(text, "<@"+own.User+">", ""))
	h.Age = age(e.TS, h.Now)
	if h.Self {
		return e, h
	}
	return e, a.threadFacts(ctx, e, h)
}

// threadFacts adds what has to be looked up.
func (a *app) threadFacts(ctx context.Context, e event, h bot.Heard) bot.Heard {
	team := a.own().Team
	settings, err := a.opts.Front.Settings(ctx, placeID(team, e.channel()))
	if err != nil {
		a.log.Warn("the settings of a place cannot be read; only mentions are answered", "error", err)
		settings = bot.Settings{}
	}
	h.Mode = settings.Answers()
	sender := string(e.User)
	if sender == "" {
		sender = e.Bot
	}
	h.Account = core.Account{Platform: platform, Team: team, ID: sender}.Key()
	if !h.Thread || h.Mode == bot.ModeOff {
		return h
	}
	if h.Facts, err = a.opts.Threads.ThreadFacts(ctx, threadID(team, e.channel(), e.root())); err != nil {
		a.log.Warn("a thread's facts cannot be read; only mentions are answered in it", "error", err)
		return h
	}
	for _, n := range a.running.in(e.channel(), e.root()) { // they may not be in the ledger yet
		h.Facts.Turns, h.Facts.Last = h.Facts.Turns+1, h.Now
		h.Facts.People = append(h.Facts.People, n.req.who.Key())
	}
	if !h.Direct && !h.Mention && h.Facts.Turns > 0 {
		h.Started = a.began(ctx, e)
	}
	return h
}

// age is how long ago a message was written.
func age(ts string, now time.Time) time.Duration {
	s, err := strconv.ParseFloat(ts, 64)
	if err != nil {
		return 0
	}
	return now.Sub(time.UnixMicro(int64(s * 1e6)))
}

// threadStarted offers questions in a new conversation of the agent pane.
func (a *app) threadStarted(ctx context.Context, e event) {
	if e.Assistant == nil {
		return
	}
	a.offerPrompts(ctx, e.Assistant.Channel, e.Assistant.Thread, e.Assistant.Context.Channel)
}

// contextChanged offers other questions: the person looks at another channel.
func (a *app) contextChanged(ctx context.Context, e event) {
	a.offerPrompts(ctx, e.channel(), e.Thread, e.viewing())
}

// offerPrompts suggests the questions of the agent that answers in the channel
// that the person is looking at.
func (a *app) offerPrompts(ctx context.Context, channel, thread, context string) {
	if a.opts.Starters == nil {
		return
	}
	place := placeID(a.own().Team, firstOf(context, channel))
	questions := a.opts.Starters(ctx, place)
	if len(questions) == 0 {
		return
	}
	a.api.prompts(ctx, channel, thread, questions[:min(len(questions), 4)]) //nolint:errcheck // logged; the pane works without
}
