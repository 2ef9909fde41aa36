package cli

import (
	"context"
	"fmt"

	"github.com/footnote-bot/footnote/bot/slack"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// slackOptions joins the Slack bot to the rest.
func (a *app) slackOptions() slack.Options {
	return slack.Options{
		Workspaces: slackWorkspaces(a.cfg),
		Front:      a.front, Desk: a.desk, Turns: a.store, Threads: a.store, Posts: a.store,
		NewID: newID, Bounds: placesOf{a.rights}, Feedback: a.store, Curation: a.curated(), Readable: a.readableCitations,
		Admin: slackAdmin{admin{a}}, Extract: fileText{a.extract}, Vision: a.models.first != nil && a.models.first.Profile.Vision,
		Starters: a.starters, Joined: a.joinedSlack, Log: a.log,
	}
}

func slackWorkspaces(cfg config.Config) []slack.Workspace {
	var out []slack.Workspace
	for _, s := range cfg.Slack {
		out = append(out, slack.Workspace{
			Name: s.Name, BotToken: s.BotToken, AppToken: s.AppToken, SigningSecret: s.SigningSecret,
			APIURL: s.APIURL, Home: s.Home, Sources: s.Sources, AllowBots: s.AllowBots, MentionOnly: s.MentionOnly,
		})
	}
	return out
}

// joinedSlack notes which workspace a token belongs to, before anybody of it
// asks: whether its members are full members depends on it.
func (a *app) joinedSlack(ctx context.Context, name, team string) {
	if err := a.rights.setTeam(ctx, "slack", name, team); err != nil {
		a.log.Error("it was not noted which workspace this is; its members count as strangers until the next start", "workspace", name, "error", err)
	}
}

// starters are the questions that the place's agent offers.
func (a *app) starters(ctx context.Context, place string) []string {
	name := ""
	if s, err := a.front.Settings(ctx, place); err == nil {
		name = s.Agent
	}
	one, err := a.agents.chosen(name)
	if err != nil {
		return nil
	}
	return one.Starters
}

// slackAdmin is what /footnote does in Slack.
type slackAdmin struct{ admin }

// Configure changes one setting of a channel.
func (s slackAdmin) Configure(ctx context.Context, place core.Place, actor slack.Actor, key, value string) error {
	return s.configure(ctx, place, actor.Account, actor.Manager, key, value)
}

// slackChecks asks Slack about every configured workspace.
func (a *app) slackChecks(ctx context.Context) []check {
	if len(a.cfg.Slack) == 0 {
		return nil
	}
	var found []slack.Check
	if b := a.inSlack.Load(); b != nil {
		found = b.Doctor(ctx)
	} else {
		found = slack.Checks(ctx, slack.Options{Workspaces: slackWorkspaces(a.cfg), Front: a.front, Log: a.log})
	}
	var out []check
	for _, c := range found {
		k := check{Name: c.Name, Outcome: passed, Detail: c.Detail, Fix: c.Fix}
		if !c.OK {
			k.Outcome = failed
		} else if c.Fix != "" {
			k.Outcome = warned
		}
		out = append(out, k)
	}
	return out
}

// runSlack serves all workspaces until ctx ends.
func (a *app) runSlack(ctx context.Context, b *slack.Bot) {
	if err := b.Run(ctx); err != nil {
		a.log.Error("Slack is no longer served", "error", err)
	}
}

func (a *app) openSlack() (*slack.Bot, error) {
	if len(a.cfg.Slack) == 0 {
		return nil, nil
	}
	b, err := slack.New(a.slackOptions())
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	a.front.Register("slack", b)
	a.inSlack.Store(b)
	return b, nil
}
