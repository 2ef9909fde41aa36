package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/bot/discord"
	"github.com/footnote-bot/footnote/core"
)

// openDiscord makes the bot of all applications; nil where there is none.
func (a *app) openDiscord() (*discord.Bot, error) {
	if len(a.cfg.Discord) == 0 {
		return nil, nil
	}
	b, err := discord.New(a.discordOptions())
	if err != nil {
		return nil, err
	}
	a.front.Register(discordName, b)
	a.inDiscord.Store(b)
	return b, nil
}

func (a *app) discordOptions() discord.Options {
	o := discord.Options{
		Front: a.front, Desk: a.desk, Turns: a.store, Threads: a.store, Posts: a.store,
		Notes: a.store, NewID: newID, Binder: discord.NewBindings(a.store, nil), Bounds: placesOf{a.rights},
		Feedback: a.store, Curation: a.curated(), Readable: a.readableCitations, Admin: discordAdmin{admin{a}}, Choices: choices{a},
		Extract: fileText{a.extract}, Vision: a.models.first != nil && a.models.first.Profile.Vision, Log: a.log,
	}
	for _, d := range a.cfg.Discord {
		o.Apps = append(o.Apps, discord.App{
			Name: d.Name, Token: d.Token, APIURL: d.APIURL, GatewayURL: d.GatewayURL, Home: d.Home, Guilds: d.Guilds,
			DevGuild: d.DevGuild, Sources: d.Sources, AllowBots: d.AllowBots, Admins: d.Admins,
			Content: d.Content, Members: d.Members, Threads: d.Threads,
		})
	}
	return o
}

// runDiscord serves all applications until ctx ends.
func (a *app) runDiscord(ctx context.Context, b *discord.Bot) {
	if err := b.Run(ctx); err != nil {
		a.log.Error("Discord is no longer served", "error", err)
	}
}

// discordAdmin is what /footnote does in Discord.
type discordAdmin struct{ admin }

// Configure changes one setting of a channel.
func (d discordAdmin) Configure(ctx context.Context, place core.Place, actor discord.Actor, key, value string) error {
	return d.configure(ctx, place, actor.Account, actor.Manager, key, value)
}

// choices are what is offered while somebody types a command.
type choices struct{ app *app }

// Agents names all agents: they are no secret.
func (c choices) Agents(context.Context, core.Place, core.Viewer) ([]string, error) {
	return c.app.agents.names(), nil
}

// Collections names those in which the reader can find something there.
func (c choices) Collections(ctx context.Context, place core.Place, viewer core.Viewer) ([]string, error) {
	audience, err := c.app.front.Audience(ctx, place, viewer)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range c.app.rights.names() {
		if _, err := c.app.rights.asked(ctx, []string{name}, audience); err == nil {
			out = append(out, name)
		} else if core.KindOf(err) != core.KindNotFound {
			return nil, err
		}
	}
	return out, nil
}

// discordChecks asks Discord about every configured application.
func (a *app) discordChecks(ctx context.Context) []check {
	if len(a.cfg.Discord) == 0 {
		return nil
	}
	b, err := a.inDiscord.Load(), error(nil)
	if b == nil {
		b, err = discord.New(a.discordOptions())
	}
	if err != nil {
		return []check{{Name: discordName, Outcome: failed, Detail: err.Error(), Fix: "mend discord: in footnote.yaml"}}
	}
	var places []string
	for _, p := range a.current().Places {
		if strings.HasPrefix(p.ID, discordName+":") && !slices.Contains(places, p.ID) {
			places = append(places, p.ID)
		}
	}
	var out []check
	for _, c := range b.Doctor(ctx, places) {
		k := check{Name: "discord " + c.Name, Outcome: passed, Detail: c.Detail, Fix: c.Fix}
		if !c.OK {
			k.Outcome = failed
		}
		out = append(out, k)
	}
	return out
}
