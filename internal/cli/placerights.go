package cli

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// place puts to a place what its settings and grants say now, instead of what was
// bound to it before.
func (r *rights) place(ctx context.Context, p core.Place) (core.Place, error) {
	settings, err := r.settings(ctx, p.ID)
	if err != nil {
		return p, err
	}
	grants, err := r.grants(ctx, p.ID)
	if err != nil {
		return p, err
	}
	p.Granted, p.Within = nil, nil
	for _, g := range grants {
		if r.rests(p, g) != "" {
			continue
		}
		p.Granted = append(p.Granted, core.Grantee{Collection: r.ruled([]string{g.Collection})[0], Outsiders: g.External})
	}
	if settings.Collections != nil {
		p.Within = r.ruled(settings.Collections)
	}
	p.Intersection, p.External = settings.Intersection, settings.External
	return p, nil
}

// grants lists those of footnote.yaml first; "" lists all.
func (r *rights) grants(ctx context.Context, place string) ([]core.Grant, error) {
	var out []core.Grant
	for _, g := range r.app.current().Grants {
		if place == "" || strings.EqualFold(g.Place, place) {
			out = append(out, core.Grant{Place: g.Place, Collection: g.Collection, External: g.External, Origin: core.FromConfig})
		}
	}
	added, err := r.app.store.Grants(ctx, place)
	return append(out, added...), err
}

// settings of a place: the file's, or else the ones that were made by command.
func (r *rights) settings(ctx context.Context, id string) (config.Place, error) {
	for _, p := range r.app.current().Places {
		if strings.EqualFold(p.ID, id) {
			return p, nil
		}
	}
	kept, err := r.app.store.PlaceSettings(ctx, id)
	if err != nil || len(kept) == 0 {
		return config.Place{ID: id}, err
	}
	var s config.Place
	if err := json.Unmarshal(kept[0].Settings, &s); err != nil {
		return config.Place{ID: id}, core.Errorf(core.KindInternal, "the settings of %s cannot be read: %w", id, err)
	}
	s.ID = id
	return s, nil
}

// noted is a place as a platform met it last.
func (r *rights) noted(ctx context.Context, id string) (core.Place, error) {
	all, err := r.app.store.NotedPlaces(ctx)
	if err != nil {
		return core.Place{}, err
	}
	for _, n := range all {
		if !strings.EqualFold(n.ID, id) {
			continue
		}
		platform, rest, _ := strings.Cut(n.ID, ":")
		team, channel, _ := strings.Cut(rest, "/")
		return core.Place{
			ID: n.ID, Platform: platform, Kind: core.PlaceKind(n.Kind), Name: n.Name,
			Team: team, Home: r.home(platform, team), Own: r.own(platform, team, channel),
		}, nil
	}
	return core.Place{}, core.Errorf(core.KindNotFound, "the place %q is not known: places are noted when something is asked there", id)
}

// note remembers what kind of place it is and of which class its audience. A
// change is in the audit and in footnote access check. A look at the place from
// elsewhere says nothing of it, nor does a reply that only the asker sees.
func (r *rights) note(ctx context.Context, p core.Place, class string) error {
	platform, rest, _ := strings.Cut(p.ID, ":")
	if p.Kind == core.PlaceEphemeral || platform != p.Platform || !strings.Contains(rest, "/") {
		return nil
	}
	kind := p.Kind
	if kind == core.PlaceAskedByMachine {
		kind = p.Parent
	}
	key := string(kind) + "\x00" + class + "\x00" + p.Name
	r.mu.RLock()
	same := r.places[p.ID] == key
	r.mu.RUnlock()
	if same {
		return nil
	}
	before, err := r.app.store.NotePlace(ctx, p.ID, string(kind), class, p.Name, r.app.store.Now())
	if err != nil {
		return err
	}
	if err := r.met(ctx, p.ID, class); err != nil {
		return err
	}
	r.mu.Lock()
	r.places[p.ID] = key
	r.mu.Unlock()
	if before == "" || before == class {
		return nil
	}
	return r.app.store.Audit(ctx, core.AuditEntry{
		At: time.Now(), Action: core.AuditConfig, Actor: p.Platform, Place: p.ID, Class: class,
		Detail: map[string]string{"class_before": before},
	})
}
