package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord"
	"github.com/footnote-bot/footnote/bot/slack"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// resolver tells which entries of a place's list name nobody. The Slack and Discord
// bots are ones.
type resolver interface {
	Unresolved(ctx context.Context, place string, entries []string) (missing []string, known bool, err error)
}

// checkLists looks for entries in the lists of places that name nobody: such a list
// silences a channel without a word.
func (a *app) checkLists(ctx context.Context) []check {
	places, err := a.settledPlaces(ctx)
	if err != nil {
		return []check{{Name: "places", Outcome: failed, Detail: err.Error(), Fix: "look at the log with --log-level debug"}}
	}
	var out []check
	for _, p := range places {
		if p.Allow != nil {
			out = append(out, a.checkList(ctx, p.ID, "allow", p.Allow))
		}
		if helpers := split(p.Helpers); len(helpers) > 0 {
			out = append(out, a.checkList(ctx, p.ID, "helpers", helpers))
		}
	}
	return out
}

func split(list string) []string {
	var out []string
	for _, one := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ';' }) {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, one)
		}
	}
	return out
}

// settledPlaces are those of footnote.yaml, and those whose settings were made by
// command.
func (a *app) settledPlaces(ctx context.Context) ([]config.Place, error) {
	out := append([]config.Place{}, a.current().Places...)
	kept, err := a.store.PlaceSettings(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		if a.rights.listedPlace(k.Place) {
			continue
		}
		var p config.Place
		if err := json.Unmarshal(k.Settings, &p); err != nil {
			return nil, fmt.Errorf("the settings of %s cannot be read: %w", k.Place, err)
		}
		p.ID = k.Place
		out = append(out, p)
	}
	return out, nil
}

func (a *app) checkList(ctx context.Context, place, key string, entries []string) check {
	k := check{Name: "place " + place + ": " + key, Outcome: passed, Detail: counted(len(entries), "name")}
	if key == "allow" && len(entries) == 0 {
		k.Outcome, k.Detail, k.Fix = warned, "the list is empty: nobody may ask there", "list who may ask, or take allow out of the place's settings"
		return k
	}
	missing, err := a.strangers(ctx, entries)
	if err == nil {
		var more []string
		more, err = a.unresolved(ctx, place, entries)
		missing = append(missing, more...)
	}
	switch {
	case err != nil:
		k.Outcome, k.Detail, k.Fix = unknown, err.Error(), "mend what is said of the platform above, then ask again"
	case len(missing) > 0:
		k.Outcome, k.Detail = warned, "nobody is known as "+strings.Join(missing, ", ")
		k.Fix = "correct the entries under places in footnote.yaml; an address counts once its owner has written to the bot"
	}
	return k
}

// strangers are the addresses that no account is known to have.
func (a *app) strangers(ctx context.Context, entries []string) ([]string, error) {
	var out []string
	for _, e := range entries {
		if !bot.IsAddress(e) {
			continue
		}
		accounts, err := a.store.Accounts(ctx, strings.TrimSpace(e))
		if err != nil {
			return nil, err
		}
		if len(accounts) == 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

func (a *app) unresolved(ctx context.Context, place string, entries []string) ([]string, error) {
	r, err := a.resolverOf(place)
	if r == nil || err != nil {
		return nil, err
	}
	missing, _, err := r.Unresolved(ctx, place, entries)
	return missing, err
}

// resolverOf is the bot of the place's platform: the one that runs, or one for this
// question alone; nil where none is set up.
func (a *app) resolverOf(place string) (resolver, error) {
	switch platform, _, _ := strings.Cut(place, ":"); {
	case platform == "slack" && len(a.cfg.Slack) > 0:
		if b := a.inSlack.Load(); b != nil {
			return b, nil
		}
		return slack.New(a.slackOptions())
	case platform == discordName && len(a.cfg.Discord) > 0:
		if b := a.inDiscord.Load(); b != nil {
			return b, nil
		}
		return discord.New(a.discordOptions())
	}
	return nil, nil
}
