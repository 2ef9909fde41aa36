package cli

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// madeNote keeps of which class each place was when a grant to it was made: the
// owner spoke of its readers then, and a place that has been opened to everybody
// since has others. Such a grant rests until it is confirmed.
const madeNote = "grants_made"

func grantKey(g core.Grant) string { return strings.ToLower(g.Place) + " " + g.Collection }

// openMade reads what was noted, forgets grants that are gone, and notes those
// that are new, with "" for places that were not met yet.
func (r *rights) openMade(ctx context.Context) error {
	noted := map[string]string{}
	raw, err := r.app.store.Note(ctx, madeNote)
	if err != nil {
		return err
	}
	if raw != "" {
		if err := json.Unmarshal([]byte(raw), &noted); err != nil {
			return core.Errorf(core.KindInternal, "what is noted of grants cannot be read: %w", err)
		}
	}
	grants, err := r.grants(ctx, "")
	if err != nil {
		return err
	}
	classes, err := r.classes(ctx)
	if err != nil {
		return err
	}
	made := map[string]string{}
	for _, g := range grants {
		class, known := noted[grantKey(g)]
		if !known || class == "" {
			class = classes[strings.ToLower(g.Place)]
		}
		made[grantKey(g)] = class
	}
	r.made = noted
	return r.setMade(ctx, made)
}

func (r *rights) classes(ctx context.Context) (map[string]string, error) {
	places, err := r.app.store.NotedPlaces(ctx)
	out := map[string]string{}
	for _, p := range places {
		out[strings.ToLower(p.ID)] = p.Class
	}
	return out, err
}

func (r *rights) setMade(ctx context.Context, made map[string]string) error {
	r.mu.Lock()
	same := maps.Equal(r.made, made)
	r.made = made
	r.mu.Unlock()
	if same {
		return nil
	}
	raw, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return r.app.store.SetNote(ctx, madeNote, string(raw))
}

// stated notes that the owner stands by the grant for the readers of now.
func (r *rights) stated(ctx context.Context, g core.Grant) error {
	r.making.Lock()
	defer r.making.Unlock()
	classes, err := r.classes(ctx)
	if err != nil {
		return err
	}
	made := r.madeNow()
	made[grantKey(g)] = classes[strings.ToLower(g.Place)]
	return r.setMade(ctx, made)
}

// met notes the class of a place for grants that were made before it was met.
func (r *rights) met(ctx context.Context, place, class string) error {
	r.making.Lock()
	defer r.making.Unlock()
	made, changed := r.madeNow(), false
	for key, was := range made {
		if was == "" && strings.HasPrefix(key, strings.ToLower(place)+" ") {
			made[key], changed = class, true
		}
	}
	if !changed {
		return nil
	}
	return r.setMade(ctx, made)
}

func (r *rights) madeNow() map[string]string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.made)
}

// rests gives the class for whose readers the grant was made, where the place has
// been opened to everybody since; "" if the grant counts.
func (r *rights) rests(p core.Place, g core.Grant) string {
	kind := p.Kind
	if kind == core.PlaceAskedByMachine {
		kind = p.Parent
	}
	r.mu.RLock()
	was := core.PlaceKind(r.made[grantKey(g)])
	r.mu.RUnlock()
	closed := []core.PlaceKind{core.PlacePrivate, core.PlaceGroup, core.PlaceHidden}
	opened := []core.PlaceKind{core.PlacePublic, core.PlaceEveryone}
	if slices.Contains(closed, was) && slices.Contains(opened, kind) {
		return string(was)
	}
	return ""
}

// resting lists the place's grants that wait to be confirmed.
func (r *rights) resting(ctx context.Context, p core.Place) ([]core.Grant, error) {
	grants, err := r.grants(ctx, p.ID)
	return slices.DeleteFunc(grants, func(g core.Grant) bool { return r.rests(p, g) == "" }), err
}
