package discord

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Check is one thing that was looked at. Fix says what to do where it is not OK.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Doctor checks the applications: token, intents, connection, commands, bound
// guilds, permissions in the places (ids of channels that are set up), clock.
func (b *Bot) Doctor(ctx context.Context, places []string) []Check {
	var out []Check
	for _, a := range b.apps {
		for _, c := range a.checks(ctx, places) {
			c.Name = a.config.Name + ": " + c.Name
			out = append(out, c)
		}
	}
	return out
}

func (a *app) checks(ctx context.Context, places []string) []Check {
	id, err := a.check(ctx)
	if err != nil {
		return []Check{{Name: "token", Detail: err.Error(), Fix: "Set another token in footnote.yaml"}}
	}
	out := []Check{{Name: "token", OK: true, Detail: "the bot is " + id.UserName + ", add it with " + id.Install}}
	out = append(out, a.checkIntents(id)...)
	out = append(out, a.checkGateway(), a.checkCommands(ctx, id.App))
	out = append(out, a.checkGuilds(ctx)...)
	for _, p := range places {
		if c, ok := a.checkPlace(ctx, p); ok {
			out = append(out, c)
		}
	}
	return append(out, a.checkClock())
}

func (a *app) checkIntents(id Identity) []Check {
	one := func(name string, wanted, has bool, without, fix string) Check {
		switch {
		case wanted && !has:
			return Check{name, false, "is wanted by footnote.yaml, but not switched on for the application", fix}
		case wanted:
			return Check{name, true, "is switched on", ""}
		}
		return Check{name, true, "is not asked for; " + without, ""}
	}
	return []Check{
		one("message content intent", a.config.Content, id.Content, "commands, mentions, replies and direct messages work without, follow-ups without mention do not",
			"Switch it on in the developer portal under Bot, or take message_content out of footnote.yaml"),
		one("server members intent", a.config.Members, id.Members, "only intersections of readers and roles of helpers need it",
			"Switch it on in the developer portal under Bot, or take server_members out of footnote.yaml"),
	}
}

func (a *app) checkGateway() Check {
	s := a.gateway.State()
	switch {
	case s.Since.IsZero() && s.Sessions == 0:
		return Check{"gateway", true, "is not open in this process", ""}
	case !s.Connected:
		return Check{"gateway", false, fmt.Sprintf("is closed since %s, after %d failures", s.Since.UTC().Format(time.RFC3339), s.Failures), "Look into the log; a second program with the same token is one reason"}
	}
	return Check{"gateway", true, fmt.Sprintf("is open since %s; %d sessions, %d of them resumed", s.Since.UTC().Format(time.RFC3339), s.Sessions, s.Resumed), ""}
}

// checkCommands compares what Discord has with what it should have.
func (a *app) checkCommands(ctx context.Context, app string) Check {
	const name, fix = "commands", "Restart footnote serve: it registers them when it starts"
	list := definitions()
	want, err := commandHash(list)
	if err != nil {
		return Check{name, false, err.Error(), fix}
	}
	have, err := a.api.commands(ctx, app, a.config.DevGuild)
	if err != nil {
		return Check{name, false, "Discord does not tell them: " + err.Error(), "Add the bot with the install link, which has applications.commands"}
	}
	if lacks := missing(list, have); lacks != "" {
		return Check{name, false, lacks + " is missing", fix}
	}
	last, known := a.lastRegistered(ctx, app)
	if !known || last.Hash != want || last.Guild != a.config.DevGuild {
		return Check{name, false, "are those of another version", fix}
	}
	return Check{name, true, "are up to date", ""}
}

func (a *app) checkGuilds(ctx context.Context) []Check {
	var out []Check
	seen := a.seen()
	for _, guild := range seen {
		ok, err := a.isBound(ctx, guild)
		c := Check{"server " + guild, ok && err == nil, "is bound", ""}
		if !c.OK {
			c.Detail, c.Fix = "is not bound, so nothing is answered there", "Type /footnote setup in it and confirm the code"
		}
		out = append(out, c)
	}
	for _, guild := range a.config.Guilds {
		if !contains(seen, guild) && len(seen) > 0 {
			out = append(out, Check{"server " + guild, false, "is in footnote.yaml, but the bot is not in it", "Add the bot with the install link"})
		}
	}
	return out
}

// needed is what the bot needs to answer in a channel.
var needed = []struct {
	bit  bits
	name string
}{
	{mayView, "View Channel"}, {maySend, "Send Messages"}, {maySendThreads, "Send Messages in Threads"},
	{bits(discordgo.PermissionReadMessageHistory), "Read Message History"}, {bits(discordgo.PermissionAttachFiles), "Attach Files"},
}

// checkPlace looks at what the bot may do in a channel, or in the one above a
// thread.
func (a *app) checkPlace(ctx context.Context, id string) (Check, bool) {
	guild, channel, ok := splitPlace(id)
	if !ok || guild == "" || !contains(append(a.seen(), a.config.Guilds...), guild) {
		return Check{}, false
	}
	c := Check{Name: "channel " + channel, Fix: "Give the bot's role the permission in the channel, or in the one above the thread"}
	s, err := a.facts.spot(ctx, guild, channel)
	if err != nil {
		c.Detail = "cannot be looked up: " + err.Error()
		return c, true
	}
	c.Name = "channel " + firstOf(s.channel.Name, channel)
	p, err := a.facts.permissions(ctx, s, a.own().User)
	if err != nil {
		c.Detail = "the bot's permissions cannot be looked up: " + err.Error()
		return c, true
	}
	want := needed
	if a.config.Threads {
		want = append(want[:len(want):len(want)], struct {
			bit  bits
			name string
		}{bits(discordgo.PermissionCreatePublicThreads), "Create Public Threads"})
	}
	var missing []string
	for _, n := range want {
		if !p.has(n.bit) {
			missing = append(missing, n.name)
		}
	}
	if len(missing) > 0 {
		c.Detail = "the bot lacks " + strings.Join(missing, ", ")
		return c, true
	}
	kind, _ := s.facts().Kind()
	return Check{c.Name, true, "the bot may answer; its readers make it " + string(kind), ""}, true
}

// mostSkew is by how much the clock may be wrong: interactions live 15 minutes.
const mostSkew = time.Minute

// checkClock compares the clock with Discord's, as its answers tell it.
func (a *app) checkClock() Check {
	theirs, at := a.files.clock()
	if theirs.IsZero() {
		return Check{"clock", true, "Discord does not tell its time", ""}
	}
	skew := at.Sub(theirs)
	if skew.Abs() > mostSkew {
		return Check{"clock", false, fmt.Sprintf("is wrong by %s", skew.Round(time.Second)), "Set the clock of this machine, best by NTP"}
	}
	return Check{"clock", true, "is right", ""}
}
