package discord

import (
	"context"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// heard is a message that somebody wrote or changed.
func (a *app) heard(ctx context.Context, m message, edited bool) {
	if m.Kind != messageDefault && m.Kind != messageReply || m.Author == nil {
		return
	}
	machine := m.Author.Bot || m.Author.System || m.Webhook != ""
	if !machine {
		a.loops.person(m.Channel)
	}
	if m.Guild == "" && !a.isDirect(ctx, &m) {
		return
	}
	called := a.calls(ctx, m)
	if m.Guild != "" && !called && m.Content == "" {
		return // not ours to read
	}
	if m.Guild != "" {
		if ok, err := a.isBound(ctx, m.Guild); !ok {
			if called && err == nil && !m.Author.Bot && m.Webhook == "" {
				a.unbound(ctx, m)
			}
			return
		}
	}
	h, r := a.weigh(ctx, m, edited, called)
	what, why := bot.Decide(h)
	r.from = why
	switch what {
	case bot.Ignore:
		a.log.Debug("a message is not answered", "place", placeID(m.Guild, m.Channel), "why", why)
		a.opts.Counter.Add("discord_ignored_total", why)
	case bot.Hush:
		a.hush(ctx, r)
	case bot.SayHowToAsk:
		if first, err := a.once(ctx, messageKey(m)); first && err == nil {
			a.tell(ctx, r, notice(hintText))
		}
	case bot.AnswerIt:
		if machine {
			a.loops.machine(m.Channel)
		}
		if h.Facts.Stopped && h.Mention { // called by name: follow-ups count again
			if err := a.opts.Threads.SetQuiet(ctx, threadID(r.guild, a.parentOf(ctx, r.guild, r.channel), r.root), false, time.Now()); err != nil {
				a.log.Warn("a thread could not be marked as going on", "error", err)
			}
		}
		a.answerTo(ctx, m, r)
	}
}

// isDirect tells whether a message that names no guild was written to the bot
// alone. One of a guild's channel that lost the name gets it back.
func (a *app) isDirect(ctx context.Context, m *message) bool {
	c, err := a.facts.channel(ctx, m.Channel)
	switch {
	case err != nil: // answered for nobody's rights, as its place is not known
		a.log.Warn("a direct conversation cannot be looked up", "error", err)
	case c.Guild != "":
		m.Guild = c.Guild
	case c.Kind != channelDM:
		a.log.Warn("a message of a conversation that is not with the bot alone is left out", "kind", c.Kind)
		return false
	}
	return true
}

const (
	hintText    = "Ask me a question after my name, for example: *where is the travel policy?* `/ask` asks privately, `/footnote help` tells more."
	unboundText = "I am not set up for this server yet. Somebody who may manage it starts that with `/footnote setup`."
)

func messageKey(m message) string { return placeID(m.Guild, m.Channel) + "/" + m.ID }

// unbound says, once a day, that the owner did not bind the guild.
func (a *app) unbound(ctx context.Context, m message) {
	key := placeID(m.Guild, "unbound") + "/" + time.Now().Format(time.DateOnly)
	if first, err := a.once(ctx, key); err == nil && first {
		a.tell(ctx, request{guild: m.Guild, channel: m.Channel, asked: m.ID}, notice(unboundText))
	}
}

// calls tells whether a message is addressed to the bot: it names it or its role,
// or replies to it.
func (a *app) calls(ctx context.Context, m message) bool {
	own := a.own().User
	if m.Guild == "" {
		return true
	}
	if mentioned(m.Content, own) || m.Replied != nil && m.Replied.author().ID == own {
		return true
	}
	for _, id := range m.roles() {
		if a.isOwnRole(ctx, m.Guild, id) {
			return true
		}
	}
	return false
}

// roles are those that a message names, whether that notified them or not.
func (m message) roles() []string {
	out := m.MentionRoles
	for _, t := range token.FindAllStringSubmatch(m.Content, mostNames) {
		if t[1] == "@&" && !contains(out, t[2]) {
			out = append(out, t[2])
		}
	}
	return out
}

// isOwnRole tells whether a role is the one that Discord made for the bot. People
// take it for the bot when they choose from the list.
func (a *app) isOwnRole(ctx context.Context, guild, id string) bool {
	g, err := a.facts.guild(ctx, guild)
	if err != nil {
		return false
	}
	for _, r := range g.Roles {
		if r.ID == id {
			return r.Tags != nil && r.Tags.Bot != "" && r.Tags.Bot == a.own().User
		}
	}
	return false
}

// unaddressed is what a message says beside the name of the bot.
func (a *app) unaddressed(ctx context.Context, m message) string {
	text := withoutMentions(m.text(), a.own().User)
	for _, id := range m.roles() {
		if a.isOwnRole(ctx, m.Guild, id) {
			text = strings.ReplaceAll(text, "<@&"+id+">", "")
		}
	}
	return strings.TrimSpace(text)
}

// weigh gathers what decides about a message, and the question that it may be.
func (a *app) weigh(ctx context.Context, m message, edited, called bool) (bot.Heard, request) {
	own := a.own().User
	author := m.author()
	if m.Member != nil && m.Webhook == "" {
		a.facts.heard(m.Guild, author, m.ID, *m.Member)
	}
	machine := author.Bot || author.System || m.Webhook != ""
	r := request{
		guild: m.Guild, channel: m.Channel, asked: m.ID, who: a.person(ctx, m.Guild, author, m.Webhook != ""), show: everyone,
		raw: m.text(), names: m.Mentions, files: m.Attachments, thread: true,
	}
	h := bot.Heard{
		Self: author.ID == own, Edited: edited, Age: time.Since(made(m.ID)), Machine: machine, Account: r.who.Key(),
		Allowed: contains(a.config.AllowBots, author.ID) || m.Webhook != "" && contains(a.config.AllowBots, m.Webhook),
		Direct:  m.Guild == "", Mention: called && m.Guild != "", Other: mentionsOther(m.Content, own) && !called || m.repliesToOther(own),
		Text: a.unaddressed(ctx, m), Files: len(m.Attachments) > 0, Now: time.Now(), Mode: bot.ModeOff,
	}
	a.locate(ctx, m, &h, &r)
	return h, r
}

// repliesToOther tells that the message answers somebody who is not the bot.
func (m message) repliesToOther(own string) bool {
	return m.Replied != nil && m.Replied.author().ID != own
}

// locate finds the place's settings and the conversation that the message is part
// of.
func (a *app) locate(ctx context.Context, m message, h *bot.Heard, r *request) {
	parent := m.Channel
	switch {
	case m.Guild == "":
		r.root = a.session(ctx, m.Channel)
	default:
		if c, err := a.facts.channel(ctx, m.Channel); err == nil && c.isThread() {
			parent, r.root, h.Thread, r.thread = c.Parent, m.Channel, true, false
			h.Started = a.began(ctx, c)
		}
	}
	if m.Reference != nil && m.Reference.Kind == 0 && (h.Direct || h.Mention) {
		r.chain = a.climb(ctx, m)
		h.Thread = true
	} else if m.Reference != nil && m.Guild != "" {
		h.Thread = true
	}
	if r.root == "" {
		r.root = m.ID
		if len(r.chain) > 0 {
			r.root, r.thread = r.chain[0].ID, false
		}
	}
	settings, err := a.opts.Front.Settings(ctx, placeID(m.Guild, parent))
	if err != nil {
		a.log.Warn("the settings of a place cannot be read; only mentions are answered", "error", err)
		settings = bot.Settings{}
	}
	h.Mode = settings.Answers()
	r.alone = settings.Private && m.Guild != ""
	if !h.Thread && !h.Machine {
		return // nothing that could have gone before counts
	}
	if h.Facts, err = a.opts.Threads.ThreadFacts(ctx, threadID(m.Guild, parent, r.root)); err != nil {
		a.log.Warn("a thread's facts cannot be read; only mentions are answered in it", "error", err)
		h.Facts = core.ThreadFacts{}
	}
	if h.Machine {
		h.Facts.BotTurns = max(h.Facts.BotTurns, a.loops.count(m.Channel))
	}
}

// answerTo starts the answer to a message, once.
func (a *app) answerTo(ctx context.Context, m message, r request) {
	first, err := a.once(ctx, messageKey(m))
	if err != nil {
		a.tell(ctx, r, notice(err.Error()))
		return
	}
	switch {
	case !first:
	case r.alone:
		a.askToPress(ctx, r)
	default:
		a.begin(r)
	}
}

// askToPress answers a message where answers go to the asker alone. Only somebody
// who presses a button can be answered so.
func (a *app) askToPress(ctx context.Context, r request) {
	n := &answer{app: a, about: r, req: r, id: a.opts.NewID(), log: a.log, place: a.place(ctx, r.guild, r.channel)}
	n.out = newLive(n, a.posterFor(n))
	p := notice("Answers here are for you alone.", row(button(actPrivate, n.id, "Show me the answer"))...)
	if err := n.out.finish(ctx, []payload{p}); err != nil {
		a.log.Warn("a question could not be answered", "error", err)
		return
	}
	n.save(ctx, false)
}

// hush makes the bot quiet in a conversation, and stops what it is saying there.
func (a *app) hush(ctx context.Context, r request) {
	key := placeID(r.guild, r.channel) + "/" + r.asked
	if first, err := a.once(ctx, key); !first || err != nil {
		return
	}
	stopped, others := 0, 0
	for _, n := range a.running.find(func(n *answer) bool { return n.about.sameTalk(r) }) {
		if n.about.who.Key() != r.who.Key() && !a.manages(r.who) {
			others++
			continue
		}
		n.stop()
		stopped++
	}
	if others > 0 && stopped == 0 {
		a.tell(ctx, r, notice("Only who asked, or who manages the server, can stop that answer."))
		return
	}
	if r.direct() { // there is nobody else to be quiet for
		if stopped == 0 {
			a.tell(ctx, r, notice("All right."))
		}
		return
	}
	parent := a.parentOf(ctx, r.guild, r.channel)
	if err := a.opts.Threads.SetQuiet(ctx, threadID(r.guild, parent, r.root), true, time.Now()); err != nil {
		a.log.Warn("a thread could not be marked as stopped", "error", err)
		a.tell(ctx, r, notice("I could not note that. Please say it again in a minute."))
		return
	}
	if stopped == 0 {
		a.tell(ctx, r, notice("I will be quiet here until somebody mentions me."))
	}
}

// parentOf is the channel whose settings count: that above a thread.
func (a *app) parentOf(ctx context.Context, guild, channel string) string {
	if guild == "" {
		return channel
	}
	if c, err := a.facts.channel(ctx, channel); err == nil && c.isThread() {
		return c.Parent
	}
	return channel
}

func sessionKey(channel string) string { return "discord session " + channel }

// session is the conversation that runs in a direct message; /new begins another.
func (a *app) session(ctx context.Context, channel string) string {
	s, err := a.opts.Notes.Note(ctx, sessionKey(channel))
	if err != nil {
		a.log.Warn("the session of a direct message cannot be read", "error", err)
	}
	return firstOf(s, "0")
}
