package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// Settings is what may be changed on the admin pages.
func (d *adminData) Settings(ctx context.Context) (adminpages.SettingsPage, error) {
	v := adminpages.SettingsPage{Modes: []string{config.ModeOff, config.ModeMention, config.ModeQuestions, config.ModeAll}}
	for _, p := range d.agents.all() {
		v.Agents = append(v.Agents, adminpages.AgentRow{
			Name: p.Name, From: string(p.origin), Instructions: adminpages.Long(p.Instructions), Model: p.Model,
			Language: p.Language, ForceSearch: p.ForceSearch, Fixed: p.origin == core.FromConfig,
		})
	}
	places, err := d.store.NotedPlaces(ctx)
	if err != nil {
		return v, err
	}
	for _, p := range places {
		s, err := d.rights.settings(ctx, p.ID)
		if err != nil {
			return v, err
		}
		v.Places = append(v.Places, adminpages.PlaceRow{
			ID: adminpages.ID(p.ID), Name: p.Name, Class: p.Class, Mode: cmp.Or(s.Mode, config.ModeMention), Agent: s.Agent, Fixed: d.rights.listedPlace(p.ID),
		})
	}
	v.Read = d.settingsToRead()
	return v, nil
}

// settingsToRead are some of the file's, without secrets.
func (d *adminData) settingsToRead() []adminpages.Check {
	cfg := d.current()
	row := func(name, text, otherwise string) adminpages.Check {
		if text == "" {
			return adminpages.Check{Name: name, Outcome: unknown, Detail: adminpages.Long(otherwise)}
		}
		return adminpages.Check{Name: name, Outcome: passed, Detail: adminpages.Long(text)}
	}
	model := ""
	if d.models.first != nil {
		model = cfg.Model.Name + " at " + core.ShareableURL(cfg.Model.BaseURL)
	}
	keep := ""
	if cfg.Audit.Keep > 0 {
		keep = shortDuration(cfg.Audit.Keep)
	}
	return []adminpages.Check{
		row("File", cfg.File, "none: defaults and environment"),
		row("Model", model, "none: answers are quotes"),
		row("Full members", strings.Join(append(append([]string{}, cfg.Members.Domains...), cfg.Members.Emails...), ", "), "nobody is listed"),
		row("Curators", strings.Join(cfg.Curators, ", "), "nobody is listed"),
		row("Admins", strings.Join(cfg.Admins, ", "), "nobody is listed: footnote admin login only"),
		row("The audit is kept", keep, "for ever"),
		row("Digest", strings.Trim(cfg.Digest.Place+" "+cfg.Digest.File, " "), "none"),
	}
}

// PutAgent adds an agent, or replaces one that was added by command.
func (d *adminData) PutAgent(ctx context.Context, by string, one core.Agent) error {
	if err := d.keepAgent(ctx, one); err != nil {
		return err
	}
	return d.auditBy(ctx, by, map[string]string{"agent": one.Name, "kept": "yes"})
}

// RemoveAgent removes one that was added by command.
func (d *adminData) RemoveAgent(ctx context.Context, by, name string) error {
	if err := d.dropAgent(ctx, name); err != nil {
		return err
	}
	return d.auditBy(ctx, by, map[string]string{"agent": name, "removed": "yes"})
}

// SetPlace changes a setting that the place's managers may change in the chat.
func (d *adminData) SetPlace(ctx context.Context, by, place, key, value string) error {
	known, err := d.rights.noted(ctx, place)
	if err != nil {
		return err
	}
	set := func(p *config.Place) error { return admin{d.app}.set(p, key, value) }
	if err := (placesOf{d.rights}).change(ctx, known.ID, set); err != nil {
		return err
	}
	return d.store.Audit(ctx, core.AuditEntry{
		At: d.store.Now(), Action: core.AuditConfig, Actor: by, Place: known.ID, Detail: map[string]string{key: fmt.Sprint(value)},
	})
}
