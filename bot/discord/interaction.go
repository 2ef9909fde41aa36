package discord

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// interaction is a command, a button or a form, as far as it is read.
type interaction struct {
	ID      string      `json:"id"`
	App     string      `json:"application_id"`
	Token   string      `json:"token"`
	Kind    int         `json:"type"`
	Guild   string      `json:"guild_id"`
	Channel string      `json:"channel_id"`
	Member  *memberInfo `json:"member"`
	User    *user       `json:"user"`
	Locale  string      `json:"locale"`
	Context int         `json:"context"` // 2 is a conversation of people without the bot
	Message *message    `json:"message"`
	Data    struct {
		Name     string   `json:"name"`
		Kind     int      `json:"type"`
		Options  []option `json:"options"`
		Target   string   `json:"target_id"`
		Resolved struct {
			Messages map[string]message `json:"messages"`
		} `json:"resolved"`
		CustomID   string          `json:"custom_id"`
		Components json.RawMessage `json:"components"`
	} `json:"data"`
}

type option struct {
	Name    string          `json:"name"`
	Kind    int             `json:"type"`
	Value   json.RawMessage `json:"value"`
	Focused bool            `json:"focused"`
	Options []option        `json:"options"`
}

// outside tells that the interaction comes from where the bot is not: from a
// conversation between people, or from a server that is not named. Whoever reads
// there is not known, so nothing is said for more than the one person.
func (i interaction) outside() bool {
	return i.Guild == "" && (i.Context == contextPeople || i.Member != nil)
}

const (
	contextPeople = 2
	outsideText   = "I answer in servers that I am in, and in direct messages with me alone. Please ask there."
)

// text is an option's value as a text.
func (o option) text() string {
	var s string
	if json.Unmarshal(o.Value, &s) != nil {
		s = string(o.Value)
	}
	return strings.TrimSpace(s)
}

// get is the text of an option; "" if it was not given.
func get(options []option, name string) string {
	for _, o := range options {
		if o.Name == name {
			return o.text()
		}
	}
	return ""
}

// by is who caused the interaction.
func (i interaction) by() user {
	switch {
	case i.Member != nil && i.Member.User != nil:
		return *i.Member.User
	case i.User != nil:
		return *i.User
	}
	return user{}
}

// field is what somebody wrote into a field of a form, however deep it lies.
func (i interaction) field(id string) string {
	var v any
	if json.Unmarshal(i.Data.Components, &v) != nil {
		return ""
	}
	return strings.TrimSpace(fieldIn(v, id))
}

func fieldIn(v any, id string) string {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if s := fieldIn(one, id); s != "" {
				return s
			}
		}
	case map[string]any:
		if v["custom_id"] == id {
			s, _ := v["value"].(string)
			return s
		}
		for _, one := range v {
			if s := fieldIn(one, id); s != "" {
				return s
			}
		}
	}
	return ""
}

// interacted answers an interaction. Its first answer comes before anything is
// looked up that may take time.
func (a *app) interacted(ctx context.Context, i interaction) {
	began := time.Now()
	if i.outside() && discordgo.InteractionType(i.Kind) != discordgo.InteractionApplicationCommandAutocomplete {
		r := a.newReply(i, true)
		if a.firstWord(ctx, i, r.acknowledge) {
			a.whisper(ctx, request{channel: i.Channel, who: person{Account: core.Account{ID: i.by().ID}}, reply: r}, notice(outsideText))
		}
		return
	}
	switch discordgo.InteractionType(i.Kind) {
	case discordgo.InteractionApplicationCommand:
		a.commanded(ctx, i)
	case discordgo.InteractionApplicationCommandAutocomplete:
		a.completed(ctx, i)
	case discordgo.InteractionMessageComponent:
		a.pressed(ctx, i)
	case discordgo.InteractionModalSubmit:
		a.submitted(ctx, i)
	}
	a.log.Debug("an interaction was handled", "kind", i.Kind, "took_ms", time.Since(began).Milliseconds())
}

// firstWord acknowledges an interaction and tells whether it is ours to answer: the
// first time that it comes, while Discord still waits.
func (a *app) firstWord(ctx context.Context, i interaction, acknowledge func(context.Context) error) bool {
	began := time.Now()
	soon, cancel := context.WithTimeout(ctx, a.opts.timing.word)
	err := acknowledge(soon)
	cancel()
	if took := time.Since(began); took > 2*time.Second {
		a.opts.Counter.Add("discord_acks_late_total", "")
	}
	if isCode(err, discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged) {
		return false
	}
	if err != nil && a.landed(ctx, i, err) {
		err = nil
	}
	if err != nil {
		a.log.Warn("an interaction could not be acknowledged", "error", err)
		a.opts.Counter.Add("discord_acks_failed_total", "")
		return false
	}
	first, err := a.once(ctx, placeID(i.Guild, "interaction")+"/"+i.ID)
	return first || err != nil // acknowledged just now, so nobody else has it
}

// landed tells whether a promise of an answer is there although Discord did not
// say so: then somebody would wait for it in vain.
func (a *app) landed(ctx context.Context, i interaction, err error) bool {
	var refused *apiError
	if errors.As(err, &refused) && refused.status >= 400 && refused.status < 500 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	_, err = a.api.original(ctx, firstOf(i.App, a.own().App), i.Token)
	return err == nil
}

// requestOf is a request that answers the interaction.
func (a *app) requestOf(ctx context.Context, i interaction, from string, r *reply) request {
	if i.Member != nil {
		a.facts.heard(i.Guild, i.by(), i.ID, *i.Member)
	}
	out := request{from: from, guild: i.Guild, channel: i.Channel, who: a.person(ctx, i.Guild, i.by(), false), show: askerOnly, reply: r}
	if i.Guild == "" {
		out.root = a.session(ctx, i.Channel)
	}
	if i.Guild != "" && i.Member != nil {
		out.who.rights |= i.Member.Permissions & (mayManage | mayEverything)
	}
	return out
}

// commanded runs a command that somebody typed or chose.
func (a *app) commanded(ctx context.Context, i interaction) {
	if i.Data.Name == commandAbout {
		a.aboutMessage(ctx, i)
		return
	}
	private := i.Guild != "" // what a command says is for the person alone
	if i.Data.Name == commandAsk && get(i.Data.Options, optShow) == "true" && private {
		private = a.mustBePrivate(ctx, i)
	}
	r := a.newReply(i, private)
	if !a.firstWord(ctx, i, r.acknowledge) {
		return
	}
	if i.Data.Name == commandAsk || i.Data.Name == commandSum {
		defer a.promised(ctx, i, r)()
	}
	q := a.requestOf(ctx, i, "command", r)
	switch i.Data.Name {
	case commandAsk:
		a.askCommand(ctx, i, q)
	case commandSum:
		a.summarise(ctx, i, q)
	case commandNew:
		a.newSession(ctx, i, q)
	case commandFootnote:
		a.footnoteCommand(ctx, i, q)
	default:
		a.whisper(ctx, q, notice("I do not know this command. Commands are set up again when I start."))
	}
}

// mustBePrivate tells whether answers in the channel go to the asker alone. Nobody
// waits longer for that than Discord does.
func (a *app) mustBePrivate(ctx context.Context, i interaction) bool {
	ctx, cancel := context.WithTimeout(ctx, a.opts.timing.word/4)
	defer cancel()
	if ok, err := a.isBound(ctx, i.Guild); err != nil || !ok {
		return true
	}
	settings, err := a.opts.Front.Settings(ctx, placeID(i.Guild, a.parentOf(ctx, i.Guild, i.Channel)))
	return err != nil || settings.Private || settings.Answers() == bot.ModeOff
}

// refusedGuild tells somebody that the guild is not bound, if it is not.
func (a *app) refusedGuild(ctx context.Context, q request) bool {
	if q.guild == "" {
		return false
	}
	ok, err := a.isBound(ctx, q.guild)
	switch {
	case err != nil:
		a.whisper(ctx, q, notice(a.sorry(err)))
	case !ok:
		a.whisper(ctx, q, notice(unboundText))
	}
	return !ok || err != nil
}

// askCommand answers privately, or where everybody can read it if the person wants
// that.
func (a *app) askCommand(ctx context.Context, i interaction, q request) {
	if a.refusedGuild(ctx, q) {
		return
	}
	q.raw = get(i.Data.Options, optQuestion)
	if q.raw == "" {
		a.whisper(ctx, q, notice("Ask like this: `/ask question: where is the travel policy?`"))
		return
	}
	q.agent = get(i.Data.Options, optAgent)
	if c := get(i.Data.Options, optCollection); c != "" {
		q.collections = []string{c}
	}
	q.restate = true
	if !q.reply.private {
		q.show = everyone
		if q.guild != "" { // later replies follow the message that the answer is
			if m, err := a.api.original(ctx, q.reply.app(), i.Token); err == nil {
				q.root = m.ID
			}
		}
	}
	a.begin(q)
}

// newSession begins another conversation in a direct message.
func (a *app) newSession(ctx context.Context, i interaction, q request) {
	if i.Guild != "" {
		a.whisper(ctx, q, notice("This is for our direct messages. In a channel every question begins anew; follow-ups stand in its thread."))
		return
	}
	if err := a.opts.Notes.SetNote(ctx, sessionKey(i.Channel), i.ID); err != nil {
		a.whisper(ctx, q, notice(a.sorry(err)))
		return
	}
	a.whisper(ctx, q, notice("A new conversation: what was said before is no longer part of it."))
}
