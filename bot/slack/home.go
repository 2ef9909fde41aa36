package slack

import (
	"context"
	"strings"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

const mostRecent = 10

// homeOpened shows the home tab: what the person asked lately, what they may
// search, and who they are to the bot. Only they see it.
func (a *app) homeOpened(ctx context.Context, e event) {
	if e.Tab == "messages" {
		a.offerPrompts(ctx, e.channel(), "", e.viewing())
		return
	}
	who := a.account(ctx, e)
	v, err := a.opts.Front.Viewer(ctx, who.Account)
	if err != nil {
		a.log.Warn("the home tab cannot tell who opened it", "error", err)
		return
	}
	a.api.publishHome(ctx, string(e.User), a.home(ctx, who, v)) //nolint:errcheck // logged
}

func (a *app) home(ctx context.Context, who person, v core.Viewer) []slack.Block {
	out := []slack.Block{
		slack.NewHeaderBlock(plainText("Footnote")),
		section(who.say("Write to me under *Messages*, mention me in a channel, or use `/ask`. I answer from the team's sources and say which.")),
	}
	if a.opts.Admin != nil {
		out = append(out, a.homeRecent(ctx, who)...)
		out = append(out, a.homeSources(ctx, who, v)...)
	}
	me := who.say(strangerText)
	if v.Email != "" {
		me = who.say("I know you as %s.", escape(v.Email))
	}
	return append(out, slack.NewDividerBlock(), slack.NewContextBlock("", mrkdwn(me)))
}

func (a *app) homeRecent(ctx context.Context, who person) []slack.Block {
	recent, err := a.opts.Admin.Recent(ctx, who.Account, mostRecent)
	if err != nil || len(recent) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(who.say("*Your questions*"))
	for _, q := range recent {
		line := "\n• " + escape(firstRunes(strings.Join(strings.Fields(q.Question), " "), 120))
		if units(b.String())+units(line) > sectionRoom {
			break
		}
		b.WriteString(line)
	}
	return []slack.Block{slack.NewDividerBlock(), section(b.String())}
}

func (a *app) homeSources(ctx context.Context, who person, v core.Viewer) []slack.Block {
	place := core.Place{ID: placeID(a.own().Team, "home"), Platform: platform, Kind: core.PlaceDirect, Team: a.own().Team, Home: a.config.Home}
	names, err := a.opts.Admin.Sources(ctx, place, v)
	if err != nil || len(names) == 0 {
		return nil
	}
	return []slack.Block{slack.NewDividerBlock(), section(who.say("*You can search*") + "\n• " + cutText(escape(strings.Join(names, "\n• ")), sectionRoom-100))}
}
