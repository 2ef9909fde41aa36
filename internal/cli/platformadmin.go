package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// admin is what /footnote changes and tells, on every chat platform.
type admin struct{ app *app }

// Link binds the account to the person for whom the code was made.
func (s admin) Link(ctx context.Context, account core.Account, code string) (string, error) {
	email, err := s.app.store.Link(ctx, account, code)
	if err != nil {
		return "", err
	}
	return email, s.app.store.Audit(ctx, core.AuditEntry{
		At: time.Now(), Action: core.AuditIdentity, Actor: account.Key(), Detail: map[string]string{"linked": email},
	})
}

// Recent lists what the account asked lately.
func (s admin) Recent(ctx context.Context, account core.Account, most int) ([]core.PastQuestion, error) {
	return s.app.store.RecentQuestions(ctx, account.Key(), most)
}

// Sources names the sources of which the viewer may search anything in the place.
func (s admin) Sources(ctx context.Context, place core.Place, viewer core.Viewer) ([]string, error) {
	audience, err := s.app.front.Audience(ctx, place, viewer)
	if err != nil {
		return nil, err
	}
	all, err := s.app.store.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, src := range all {
		some, err := s.app.store.AnyReadable(ctx, audience.Filter(), core.Collection{Sources: []string{src.Name}})
		if err != nil {
			return nil, err
		}
		if some {
			out = append(out, src.Name)
		}
	}
	return out, nil
}

// Status is a few lines about sources and model.
func (s admin) Status(ctx context.Context, viewer core.Viewer) ([]string, error) {
	if !holdsWorkspace(viewer) {
		return []string{"I am running."}, nil // how the install is doing is for its members
	}
	counts, err := s.app.store.Counts(ctx)
	if err != nil {
		return nil, err
	}
	model := "no language model: answers are quotes"
	if s.app.models.first != nil {
		model = "answers are written by " + s.app.cfg.Model.Name
	}
	return []string{counted(counts.Sources, "source") + " with " + counted(counts.Documents, "document"), model}, nil
}

func holdsWorkspace(v core.Viewer) bool { return slices.Contains(v.Principals, core.Workspace) }

// configure changes one setting of a channel. Its managers may make it quieter or
// narrower; what widens it is for the owner.
func (s admin) configure(ctx context.Context, place core.Place, by core.Account, manager bool, key, value string) error {
	if !manager {
		return core.Errorf(core.KindDenied, "Only managers of this channel change its settings.")
	}
	err := placesOf{s.app.rights}.change(ctx, place.ID, func(p *config.Place) error { return s.set(p, key, value) })
	if err != nil {
		return err
	}
	return s.app.store.Audit(ctx, core.AuditEntry{
		At: time.Now(), Action: core.AuditConfig, Actor: by.Key(), Place: place.ID,
		Detail: map[string]string{key: value},
	})
}

func (s admin) set(p *config.Place, key, value string) error {
	switch key {
	case "mode":
		modes := []string{config.ModeOff, config.ModeMention, config.ModeQuestions, config.ModeAll}
		if !slices.Contains(modes, value) {
			return core.Errorf(core.KindInvalid, "%q is no mode; choose one of %s.", value, strings.Join(modes, ", "))
		}
		p.Mode = value
	case "agent":
		if _, ok := s.app.agents.Agent(value); !ok {
			return core.Errorf(core.KindNotFound, "There is no agent %q.", value)
		}
		p.Agent = value
	case "private", "only_sourced":
		if value != "on" && value != "off" {
			return core.Errorf(core.KindInvalid, "%s is on or off.", key)
		}
		if key == "private" {
			p.Private = value == "on"
		} else {
			p.OnlySourced = value == "on"
		}
	case "helpers":
		p.Helpers = value
	default:
		return core.Errorf(core.KindInvalid, "%q cannot be set here; mode, agent, private, only_sourced and helpers can. Collections, grants and outsiders are for the owner of the install (footnote.yaml, footnote grant).", key)
	}
	return nil
}
