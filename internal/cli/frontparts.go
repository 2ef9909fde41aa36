package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// people tells chat platforms whom accounts stand for.
type people struct{ rights *rights }

// seenEvery is how often it is noted that an account is still there.
const seenEvery = time.Hour

// Viewer is what the account holds now. It notes the account as it is described,
// where that differs from what is known: accounts come with every question, and
// all readers of a place with every look at it.
func (p people) Viewer(ctx context.Context, a core.Account) (core.Viewer, error) {
	store := p.rights.app.store
	if a.Seen.IsZero() {
		a.Seen = store.Now()
	}
	old, err := store.Account(ctx, a.Platform, a.Team, a.ID)
	switch {
	case err != nil && core.KindOf(err) != core.KindNotFound:
		return core.Viewer{}, err
	case err == nil && sameAccount(old, a) && a.Seen.Sub(old.Seen) < seenEvery:
		return p.rights.account(ctx, old)
	}
	if err := store.PutAccount(ctx, a); err != nil {
		return core.Viewer{}, err
	}
	return p.known(ctx, a.Platform, a.Team, a.ID)
}

func sameAccount(a, b core.Account) bool {
	return a.Name == b.Name && a.Class == b.Class && a.Verified == b.Verified &&
		strings.EqualFold(strings.TrimSpace(a.Email), strings.TrimSpace(b.Email))
}

func (p people) known(ctx context.Context, platform, team, id string) (core.Viewer, error) {
	a, err := p.rights.app.store.Account(ctx, platform, team, id)
	if err != nil {
		return core.Viewer{}, err
	}
	return p.rights.account(ctx, a)
}

// Again is what a viewer of before holds now. The operator and holders of the
// bypass stay what they are.
func (p people) Again(ctx context.Context, v core.Viewer) (core.Viewer, error) {
	fresh := v
	switch {
	case v.Operator || v.Bypass:
		return v, nil
	case v.Account != "":
		platform, rest, _ := strings.Cut(v.Account, ":")
		team, id, _ := strings.Cut(rest, "/")
		now, err := p.known(ctx, platform, team, id)
		if err != nil {
			return v, err
		}
		fresh = now
	case v.Email != "":
		now, err := p.rights.person(ctx, v.Email)
		if err != nil {
			return v, err
		}
		fresh = now
	}
	fresh.Zone = v.Zone
	return fresh, nil
}

// placesOf tells chat platforms what the owner set for places.
type placesOf struct{ rights *rights }

// Settings are the file's, or those made by command.
func (p placesOf) Settings(ctx context.Context, id string) (bot.Settings, error) {
	s, err := p.rights.settings(ctx, id)
	if err != nil {
		return bot.Settings{}, err
	}
	out := bot.Settings{
		Mode: bot.Mode(s.Mode), Agent: s.Agent, Collections: s.Collections, Private: s.Private,
		External: s.External, Helpers: s.Helpers, OnlySourced: s.OnlySourced, Allow: s.Allow,
	}
	for _, c := range p.rights.app.current().Canned {
		if !c.In(id) {
			continue
		}
		end, err := c.End()
		if err != nil {
			return out, err
		}
		out.Canned = append(out.Canned, bot.Canned{Name: c.Name, Any: c.Any, All: c.All, Answer: c.Answer, Expires: end, Listed: c.Places != nil})
	}
	return out, nil
}

// Bound adds grants, collections and options.
func (p placesOf) Bound(ctx context.Context, place core.Place) (core.Place, error) {
	bound, err := p.rights.place(ctx, place)
	if err != nil {
		return bound, err
	}
	return bound, p.rights.note(ctx, place, access.Audience(bound, core.Viewer{}).Class)
}

// Asked gives the collections that an asker names their rules.
func (p placesOf) Asked(ctx context.Context, names []string, audience core.Audience) ([]core.Collection, error) {
	return p.rights.asked(ctx, names, audience)
}

// change makes a place stricter or quieter, as its managers may.
func (p placesOf) change(ctx context.Context, id string, edit func(*config.Place) error) error {
	if p.rights.listedPlace(id) {
		return core.Errorf(core.KindDenied, "This channel's settings are in the configuration file%s; its owner changes them there.", inFile(p.rights.app.cfg.File))
	}
	s, err := p.rights.settings(ctx, id)
	if err != nil {
		return err
	}
	if err := edit(&s); err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return p.rights.app.store.PutPlaceSettings(ctx, id, raw, core.FromCommand)
}

func (r *rights) listedPlace(id string) bool {
	return slices.ContainsFunc(r.app.current().Places, func(p config.Place) bool { return strings.EqualFold(p.ID, id) })
}
