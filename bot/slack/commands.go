package slack

import (
	"context"
	"strings"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// mostQuoted is how much of a question is repeated for all to see, in characters.
const mostQuoted = 2_000

// showFlag makes the answer to /ask visible for the whole channel.
const showFlag = "--show"

// commanded runs a command that somebody typed.
func (a *app) commanded(ctx context.Context, s slash) {
	key := placeID(a.own().Team, "command") + "/" + s.Trigger
	var id string
	var first bool
	var err error
	if s.asks() {
		account := core.Account{Platform: platform, Team: a.own().Team, ID: s.User}
		id, first, err = a.expect(ctx, key, standing{Channel: s.Channel, User: s.User}, account.Key(), true)
	} else {
		first, err = a.once(ctx, key)
	}
	who := a.people.asker(ctx, s.User, "", (event{UserTeam: s.Team}).foreign(a.own()))
	r := request{id: id, from: "command", channel: s.Channel, who: who, show: askerOnly, response: s.Response, replace: s.asks()}
	if err != nil {
		a.tell(ctx, r, notice(err.Error()))
		return
	}
	if !first {
		return
	}
	switch s.Command {
	case commandAsk:
		a.askCommand(ctx, s, r)
	case commandAdmin:
		a.adminCommand(ctx, s, r)
	default:
		a.tell(ctx, r, notice("I do not know the command "+s.Command+"."))
	}
}

// asks tells that the command is a question.
func (s slash) asks() bool {
	text, _ := strings.CutPrefix(strings.TrimSpace(s.Text), showFlag)
	return s.Command == commandAsk && strings.TrimSpace(text) != ""
}

// askCommand answers privately, or in the channel where the person wants that.
func (a *app) askCommand(ctx context.Context, s slash, r request) {
	text, show := strings.CutPrefix(strings.TrimSpace(s.Text), showFlag)
	r.raw = strings.TrimSpace(text)
	if r.raw == "" {
		a.tell(ctx, r, notice(r.who.say(askText)))
		return
	}
	r.restate = true
	if show {
		a.askOpenly(ctx, r)
		return
	}
	a.begin(r)
}

// askOpenly posts the question in the channel and answers in its thread.
func (a *app) askOpenly(ctx context.Context, r request) {
	text := readable(r.raw, a.own().User, a.name(ctx, []string{r.raw}))
	ts, err := a.api.post(ctx, r.channel, "", notice(r.who.say("%s asks:", r.who.bold())+"\n\n> "+
		strings.ReplaceAll(escapeMarkdown(firstRunes(text, mostQuoted)), "\n", "\n> ")))
	if err != nil {
		a.tell(ctx, r, notice(r.who.say("I cannot post in this channel. Invite me with `/invite`, or ask without `--show`.")))
		a.close(ctx, r.id)
		return
	}
	a.roots.set(r.channel, ts, true)
	if r.response != "" {
		a.api.respond(ctx, r.response, notice(r.who.say("I answer in the channel.")), true) //nolint:errcheck // the question is there
	}
	a.begin(request{
		id: r.id, from: r.from, channel: r.channel, root: ts, ts: ts, who: r.who, show: everyone, raw: r.raw, text: text,
		said: []core.Said{},
	})
}

const askText = "Ask like this: `/ask where is the travel policy?` Only you see the answer; with `/ask --show …` everybody here does."

// bold is the person's name, as Markdown.
func (p person) bold() string {
	return "**" + escapeMarkdown(firstOf(p.Name, p.say("Somebody"))) + "**"
}

// escapeMarkdown makes a text of people safe inside Markdown of ours.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]~|#<>", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// adminVerbs are the words after /footnote.
var adminVerbs = map[string]func(*app, context.Context, slash, request, string) string{
	"":        (*app).helpText,
	"help":    (*app).helpText,
	"whoami":  (*app).whoami,
	"status":  (*app).statusText,
	"sources": (*app).sourcesText,
	"config":  (*app).configure,
	"enable":  (*app).enable,
	"disable": (*app).disable,
	"link":    (*app).linkAccount,
	"doctor":  (*app).doctorText,
}

// adminCommand answers /footnote. Only the person sees it.
func (a *app) adminCommand(ctx context.Context, s slash, r request) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(s.Text), " ")
	do, ok := adminVerbs[strings.ToLower(verb)]
	if !ok {
		do, rest = (*app).helpText, ""
	}
	a.tell(ctx, r, notice(do(a, ctx, s, r, strings.TrimSpace(rest))))
}

func (a *app) helpText(_ context.Context, _ slash, r request, _ string) string {
	return r.who.say(helpWords)
}

const helpWords = "**What I do here**\n" +
	"- mention me, or write to me directly, with a question: I answer from the team's sources and say which\n" +
	"- `/ask …` answers only you; `/ask --show …` answers everybody in the channel\n" +
	"- *Ask about this message* is in the menu of each message\n" +
	"- in a thread that began with me you need not mention me again; *stop* makes me quiet\n" +
	"- `in:wiki`, `since:2026-05-01`, *#channel* and *from @person* in a question narrow what is searched\n\n" +
	"**/footnote**\n" +
	"- `status` sources and model; `sources` what is searched here; `whoami` what I know of you\n" +
	"- `config` the settings here; `config KEY VALUE`, `enable [mention|questions|all]`, `disable` change them\n" +
	"- `link CODE` binds this account to you; `doctor` checks the set-up"

// admin is the owner's side; the text is what to say where there is none.
const noAdmin = "This is not set up here. Ask who runs Footnote."

func (a *app) whoami(ctx context.Context, s slash, r request, _ string) string {
	v, err := a.opts.Front.Viewer(ctx, r.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	out := r.who.say("To me you are **%s**", escapeMarkdown(firstOf(r.who.Name, r.who.ID))) + " " + r.who.say(classWords[r.who.Class]) + " "
	if v.Email == "" {
		return out + r.who.say(strangerText)
	}
	return out + r.who.say("I know you as %s.", escapeMarkdown(v.Email))
}

// classWords are what accounts are, for people.
var classWords = map[core.AccountClass]string{
	core.AccountMember: "(a full member).", core.AccountGuest: "(a guest).", core.AccountExternal: "(of another organisation).",
	core.AccountBot: "(a bot).", core.AccountDeactivated: "(deactivated).", core.AccountUnknown: "(not known).",
}

// strangerText is for who is no person to the bot.
const strangerText = "I do not know which person you are, so you get what everybody may know. Ask who runs Footnote for a code, then type `/footnote link CODE`."

func (a *app) statusText(ctx context.Context, s slash, r request, _ string) string {
	if a.opts.Admin == nil {
		return r.who.say(noAdmin)
	}
	v, err := a.opts.Front.Viewer(ctx, r.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	lines, err := a.opts.Admin.Status(ctx, v)
	if err != nil {
		return a.sorry(err)
	}
	return bullets(r.who.say("**Status**"), lines, r.who.say("There is nothing to tell."))
}

// sourcesText lists what is searched for the person in the channel. Names of
// sources that they may not read are not among them.
func (a *app) sourcesText(ctx context.Context, s slash, r request, _ string) string {
	if a.opts.Admin == nil {
		return r.who.say(noAdmin)
	}
	v, err := a.opts.Front.Viewer(ctx, r.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	names, err := a.opts.Admin.Sources(ctx, a.place(ctx, s.Channel, ""), v)
	if err != nil {
		return a.sorry(err)
	}
	return bullets(r.who.say("**Searched in this channel**"), names, r.who.say("Nothing is searched here."))
}

func (a *app) configure(ctx context.Context, s slash, r request, rest string) string {
	key, value, given := strings.Cut(rest, " ")
	if key == "" {
		return a.settingsText(ctx, s)
	}
	if !given || strings.TrimSpace(value) == "" {
		return "Say what to change and to what, for example `/footnote config mode questions`."
	}
	return a.change(ctx, s, r, strings.ToLower(key), strings.TrimSpace(value))
}

func (a *app) settingsText(ctx context.Context, s slash) string {
	set, err := a.opts.Front.Settings(ctx, placeID(a.own().Team, s.Channel))
	if err != nil {
		return a.sorry(err)
	}
	mode := map[bot.Mode]string{
		bot.ModeOff: "nothing is answered", bot.ModeMention: "mentions are answered",
		bot.ModeQuestions: "mentions and questions are answered", bot.ModeAll: "every message is answered",
	}[set.Answers()]
	lines := []string{"mode: " + string(set.Answers()) + " (" + mode + ")", "agent: " + firstOf(set.Agent, "default")}
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

func (a *app) enable(ctx context.Context, s slash, r request, rest string) string {
	if rest == "" {
		rest = string(bot.ModeMention)
	}
	if a.can("channels:join") && strings.HasPrefix(s.Channel, "C") && len(a.own().Scopes) > 0 {
		a.api.join(ctx, s.Channel) //nolint:errcheck // logged; mentions tell who is missing
	}
	return a.change(ctx, s, r, "mode", strings.ToLower(rest))
}

func (a *app) disable(ctx context.Context, s slash, r request, _ string) string {
	return a.change(ctx, s, r, "mode", string(bot.ModeOff))
}

// change changes a setting for who may do that.
func (a *app) change(ctx context.Context, s slash, r request, key, value string) string {
	if a.opts.Admin == nil {
		return r.who.say(noAdmin)
	}
	v, err := a.opts.Front.Viewer(ctx, r.who.Account)
	if err != nil {
		return a.sorry(err)
	}
	actor := Actor{Account: r.who.Account, Viewer: v, Manager: a.manages(ctx, r.who, s.Channel)}
	if err := a.opts.Admin.Configure(ctx, a.place(ctx, s.Channel, ""), actor, key, value); err != nil {
		return a.sorry(err)
	}
	return "Done: " + escapeMarkdown(key) + " is now " + escapeMarkdown(value) + " in this channel."
}

func (a *app) linkAccount(ctx context.Context, s slash, r request, code string) string {
	switch {
	case a.opts.Admin == nil:
		return r.who.say(noAdmin)
	case code == "":
		return r.who.say("Ask who runs Footnote for a code, and type `/footnote link CODE`.")
	}
	email, err := a.opts.Admin.Link(ctx, r.who.Account, code)
	if err != nil {
		return a.sorry(err)
	}
	return r.who.say("This account is now %s to me.", escapeMarkdown(email))
}

func (a *app) doctorText(ctx context.Context, s slash, r request, _ string) string {
	if !r.who.admin {
		return "Who runs the workspace can do that, and `footnote doctor` where Footnote is installed."
	}
	var lines []string
	for _, c := range a.checks(ctx) {
		line := "✓ " + c.Name + ": " + c.Detail
		if !c.OK {
			line = "✗ " + c.Name + ": " + c.Detail + ". " + c.Fix
		}
		lines = append(lines, escapeMarkdown(line))
	}
	return bullets("**Checks**", lines, "")
}

// sorry is an error as a person may see it.
func (a *app) sorry(err error) string {
	f := core.FailedOf(err, a.opts.NewID())
	if f.Kind == core.KindInternal {
		a.log.Warn("a command failed", "request_id", f.RequestID, "error", err)
	} else { // the sentence is for the person, and may repeat what they typed
		a.log.Info("a command was refused", "request_id", f.RequestID, "kind", f.Kind)
	}
	if f.Kind == core.KindInternal {
		return f.Message + " Request id: `" + f.RequestID + "`"
	}
	return f.Message
}

func bullets(head string, lines []string, none string) string {
	if len(lines) == 0 {
		return none
	}
	return head + "\n- " + strings.Join(lines, "\n- ")
}
