package discord

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// verb is one word after /footnote.
type verb struct {
	do      func(*app, context.Context, interaction, request, []option) string
	manager bool // only for who may manage the server
	unbound bool // also where the owner did not bind the server
}

var verbs = map[string]verb{
	"help":    {do: (*app).helpText, unbound: true},
	"whoami":  {do: (*app).whoami, unbound: true},
	"link":    {do: (*app).linkAccount},
	"status":  {do: (*app).statusText},
	"sources": {do: (*app).sourcesText},
	"config":  {do: (*app).configure, manager: true},
	"enable":  {do: (*app).enable, manager: true},
	"disable": {do: (*app).disable, manager: true},
	"doctor":  {do: (*app).doctorText, manager: true, unbound: true},
	"setup":   {do: (*app).setUp, manager: true, unbound: true},
}

const (
	noAdmin    = "This is not set up here. Ask who runs Footnote."
	notManager = "This is for who may manage the server."
)

// footnoteCommand answers /footnote. Only the person sees it.
func (a *app) footnoteCommand(ctx context.Context, i interaction, q request) {
	if len(i.Data.Options) == 0 {
		a.whisper(ctx, q, notice(a.helpText(ctx, i, q, nil)))
		return
	}
	sub := i.Data.Options[0]
	v, ok := verbs[sub.Name]
	switch {
	case !ok:
		a.whisper(ctx, q, notice(a.helpText(ctx, i, q, nil)))
		return
	case v.manager && q.guild == "":
		a.whisper(ctx, q, notice("This is about a server: use it in one."))
		return
	case v.manager && !a.manages(q.who):
		a.whisper(ctx, q, notice(notManager))
		return
	case !v.unbound && a.refusedGuild(ctx, q):
		return
	}
	a.whisper(ctx, q, notice(v.do(a, ctx, i, q, sub.Options)))
}

func (a *app) helpText(_ context.Context, i interaction, _ request, _ []option) string {
	return i.say(helpWords)
}

func (a *app) whoami(ctx context.Context, i interaction, q request, _ []option) string {
	v, err := a.opts.Front.Viewer(ctx, q.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	kind := classWords[q.who.Class]
	if q.guild == "" && q.who.Class == core.AccountMember {
		kind = memberElsewhere
	}
	out := i.say("To me you are **%s**", escapeMarkdown(firstOf(q.who.Name, q.who.ID))) + " " + i.say(kind) + " "
	if v.Email == "" {
		return out + i.say(strangerText)
	}
	return out + i.say("I know you as %s.", escapeMarkdown(v.Email))
}

func (a *app) statusText(ctx context.Context, i interaction, q request, _ []option) string {
	if a.opts.Admin == nil {
		return i.say(noAdmin)
	}
	v, err := a.opts.Front.Viewer(ctx, q.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	lines, err := a.opts.Admin.Status(ctx, v)
	if err != nil {
		return a.sorry(err)
	}
	return bullets(i.say("**Status**"), lines, i.say("There is nothing to tell."))
}

// sourcesText lists what is searched for the person in the channel. Names of
// sources that they may not read are not among them.
func (a *app) sourcesText(ctx context.Context, i interaction, q request, _ []option) string {
	if a.opts.Admin == nil {
		return i.say(noAdmin)
	}
	v, err := a.opts.Front.Viewer(ctx, q.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	names, err := a.opts.Admin.Sources(ctx, a.place(ctx, q.guild, q.channel), v)
	if err != nil {
		return a.sorry(err)
	}
	return bullets(i.say("**Searched in this channel**"), names, i.say("Nothing is searched here."))
}

func (a *app) configure(ctx context.Context, _ interaction, q request, options []option) string {
	key, value := get(options, "key"), get(options, "value")
	switch {
	case key == "":
		return a.settingsText(ctx, q)
	case value == "":
		return "Say what to change and to what, for example *key* `mode` and *value* `questions`."
	}
	return a.change(ctx, q, strings.ToLower(key), value)
}

func (a *app) settingsText(ctx context.Context, q request) string {
	set, err := a.opts.Front.Settings(ctx, placeID(q.guild, a.parentOf(ctx, q.guild, q.channel)))
	if err != nil {
		return a.sorry(err)
	}
	mode := map[bot.Mode]string{
		bot.ModeOff: "nothing is answered", bot.ModeMention: "mentions are answered",
		bot.ModeQuestions: "mentions and questions are answered", bot.ModeAll: "every message is answered",
	}[set.Answers()]
	lines := []string{"mode: " + string(set.Answers()) + " (" + mode + ")", "agent: " + firstOf(set.Agent, "default")}
	if !a.gateway.hasIntent(discordgo.IntentMessageContent) && (set.Answers() == bot.ModeQuestions || set.Answers() == bot.ModeAll) {
		lines = append(lines, "but only mentions can be read: the message content intent is not on")
	}
	if len(set.Collections) > 0 {
		lines = append(lines, "collections: "+strings.Join(set.Collections, ", "))
	}
	if set.Private {
		lines = append(lines, "private: answers go to who asked, alone")
	}
	if set.OnlySourced {
		lines = append(lines, "only_sourced: answers without a source are not posted")
	}
	if set.Allow != nil {
		lines = append(lines, "allow: only those on the owner's list may ask")
	}
	if set.Helpers != "" {
		lines = append(lines, "helpers: "+set.Helpers)
	}
	for i := range lines {
		lines[i] = escapeMarkdown(lines[i])
	}
	return bullets("**Settings of this channel**", lines, "")
}

func (a *app) enable(ctx context.Context, _ interaction, q request, options []option) string {
	return a.change(ctx, q, "mode", firstOf(get(options, "mode"), string(bot.ModeMention)))
}

func (a *app) disable(ctx context.Context, _ interaction, q request, _ []option) string {
	return a.change(ctx, q, "mode", string(bot.ModeOff))
}

// change changes a setting for who may do that.
func (a *app) change(ctx context.Context, q request, key, value string) string {
	if a.opts.Admin == nil {
		return noAdmin
	}
	v, err := a.opts.Front.Viewer(ctx, q.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	actor := Actor{Account: q.who.Account, Viewer: v, Manager: a.manages(q.who)}
	place := a.place(ctx, q.guild, q.channel)
	if err := a.opts.Admin.Configure(ctx, place, actor, key, value); err != nil {
		return a.sorry(err)
	}
	out := "Done: " + escapeMarkdown(key) + " is now " + escapeMarkdown(value) + " in this channel."
	if key == "mode" && slices.Contains([]string{string(bot.ModeQuestions), string(bot.ModeAll)}, value) && !a.gateway.hasIntent(discordgo.IntentMessageContent) {
		out += " But I can only read messages that mention me until `content: true` is set in footnote.yaml and the message content intent is on."
	}
	return out
}

func (a *app) linkAccount(ctx context.Context, i interaction, q request, options []option) string {
	code := get(options, "code")
	switch {
	case a.opts.Admin == nil:
		return i.say(noAdmin)
	case code == "":
		return i.say("Ask who runs Footnote for a code, and give it to `/footnote link`.")
	case q.who.Class != core.AccountMember:
		return i.say("I can link members of servers that I am set up for. Use this in such a server.")
	}
	email, err := a.opts.Admin.Link(ctx, q.who.Account, code)
	if err != nil {
		return a.sorry(err)
	}
	return i.say("This account is now %s to me.", escapeMarkdown(email))
}

// setUp makes the code by which the owner of the install binds the server. Only
// who asked sees it, and it says nothing by itself.
func (a *app) setUp(ctx context.Context, _ interaction, q request, _ []option) string {
	if ok, err := a.isBound(ctx, q.guild); err == nil && ok {
		return "This server is set up already."
	}
	if a.opts.Binder == nil {
		return noAdmin + " They put the id of this server, `" + q.guild + "`, into footnote.yaml."
	}
	name := ""
	if g, err := a.facts.guild(ctx, q.guild); err == nil {
		name = g.Name
	}
	code, until, err := a.opts.Binder.Begin(ctx, q.guild, name, q.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	return "Give this to who runs Footnote, who confirms it until " + until.UTC().Format("15:04 UTC") + ":\n\n`footnote discord bind " + code + "`"
}

func (a *app) doctorText(ctx context.Context, _ interaction, q request, _ []option) string {
	var lines []string
	for _, c := range a.checks(ctx, []string{placeID(q.guild, q.channel)}) {
		line := "✓ " + c.Name + ": " + c.Detail
		if !c.OK {
			line = "✗ " + c.Name + ": " + c.Detail + ". " + c.Fix
		}
		lines = append(lines, escapeWords(line))
	}
	return bullets("**Checks**", lines, "")
}

// escapeWords is escapeMarkdown for a text of ours, whose addresses stay whole.
func escapeWords(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if !strings.HasPrefix(w, "https://") {
			words[i] = escapeMarkdown(w)
		}
	}
	return strings.Join(words, " ")
}

func bullets(head string, lines []string, none string) string {
	if len(lines) == 0 {
		return none
	}
	return head + "\n- " + strings.Join(lines, "\n- ")
}
