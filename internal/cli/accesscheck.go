package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

func (inv *invocation) accessCheckCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Look for access that is missing, stale or points at nothing",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.accessCheck(ctx, a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// finding is one thing that is not as it should be.
type finding struct {
	Kind string `json:"kind"`
	What string `json:"what"` // a source, group, place, grant
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"`
}

func (inv *invocation) accessCheck(ctx context.Context, a *app, asJSON bool) error {
	found, err := a.accessFindings(ctx, a.store.Now())
	if err != nil {
		return err
	}
	for _, f := range found {
		if asJSON {
			err = inv.printJSON(f)
		} else {
			_, err = fmt.Fprintf(inv.streams.Out, "%s: %s\n", console.Clean(f.What), console.Clean(f.Text))
			if f.Fix != "" && err == nil {
				_, err = fmt.Fprintf(inv.streams.Out, "    %s\n", console.Clean(f.Fix))
			}
		}
		if err != nil {
			return err
		}
	}
	switch {
	case len(found) > 0:
		return exited(exitFailure)
	case !asJSON:
		fmt.Fprintln(inv.streams.Out, "access is complete: every document has readers, groups and grants point at something, no place changed")
	}
	return nil
}

func (a *app) accessFindings(ctx context.Context, now time.Time) ([]finding, error) {
	report, err := a.store.AccessReport(ctx, now)
	if err != nil {
		return nil, err
	}
	var out []finding
	for _, u := range report.Unread {
		out = append(out, finding{"no_readers", u.Source,
			fmt.Sprintf("%s without any reader, such as %s", counted(u.Documents, "document"), strings.Join(u.Examples, ", ")),
			"set access for the source, or let its connector state it"})
	}
	for _, s := range report.Stale {
		out = append(out, finding{"stale_access", s.Source,
			fmt.Sprintf("who may read its documents was told %s, which counts for %s; %s closed until it is told again", toldAgo(s.Checked), s.MaxAge, counted(s.Closed, "document")),
			"run footnote sync " + s.Source})
	}
	for _, g := range report.Groups {
		out = append(out, finding{"unknown_group", string(g.Group),
			fmt.Sprintf("may read %s, but nobody ever told who is in it", counted(g.Documents, "document")),
			"list it under groups, or mend the name where access is given"})
	}
	for _, more := range []func(context.Context, time.Time) ([]finding, error){a.groupFindings, a.grantFindings, a.placeFindings} {
		list, err := more(ctx, now)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func toldAgo(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return ago(t)
}

func (a *app) groupFindings(ctx context.Context, now time.Time) ([]finding, error) {
	states, err := a.store.GroupStates(ctx)
	var out []finding
	for _, s := range states {
		if s.Source != core.ConfigGroups && !s.Fresh(now) {
			out = append(out, finding{"stale_groups", s.Source,
				fmt.Sprintf("who is in its groups was told %s, which counts for %s; nobody is in them now", toldAgo(s.Checked), s.MaxAge),
				"run footnote sync " + s.Source})
		}
	}
	return out, err
}

func (a *app) grantFindings(ctx context.Context, _ time.Time) ([]finding, error) {
	grants, err := a.rights.grants(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []finding
	for _, g := range grants {
		what := "grant of " + g.Collection + " to " + g.Place
		c, known := a.rights.collection(g.Collection)
		if !known {
			out = append(out, finding{"unknown_collection", what, "there is no such collection: the grant opens nothing",
				"add the collection, or take the grant back"})
			continue
		}
		if n, err := a.store.CountDocuments(ctx, core.Filter{Bypass: true, Collections: []core.Collection{c}}); err != nil {
			return nil, err
		} else if n == 0 {
			out = append(out, finding{"empty_collection", what, "the collection holds no document: the grant opens nothing", ""})
		}
		place, err := a.rights.noted(ctx, g.Place)
		if core.KindOf(err) == core.KindNotFound {
			continue // not met yet
		}
		if err != nil {
			return nil, err
		}
		if place, err = a.rights.place(ctx, place); err != nil {
			return nil, err
		}
		if was := a.rights.rests(place, g); was != "" {
			out = append(out, finding{"grant_rests", what,
				fmt.Sprintf("it was made while the place was %s, which is %s now: the grant does not count until it is confirmed", was, place.Kind),
				fmt.Sprintf("footnote grant confirm %s %s, or take it back", g.Place, g.Collection)})
			continue
		}
		if !holdsGrant(access.Audience(place, core.Viewer{}), g) {
			out = append(out, finding{"grant_ignored", what,
				fmt.Sprintf("the place is of class %s now (%s): the grant does not count there", place.Kind, whyKind(place.Kind)),
				"take the grant back, or make it one that outsiders may know (--external) and let the place answer (external: true)"})
		}
	}
	return out, nil
}

func holdsGrant(a core.Audience, g core.Grant) bool {
	for _, c := range a.Granted {
		if c.Name == g.Collection {
			return true
		}
	}
	return false
}

// recent is how long a change of a place is worth telling.
const recent = 30 * 24 * time.Hour

func (a *app) placeFindings(ctx context.Context, now time.Time) ([]finding, error) {
	places, err := a.store.NotedPlaces(ctx)
	if err != nil {
		return nil, err
	}
	var out []finding
	for _, p := range places {
		if core.PlaceKind(p.Kind) == core.PlaceUnknown {
			out = append(out, finding{"place_unknown", p.ID,
				fmt.Sprintf("%s: %s when something was asked there last; answers use public documents only, and show none of them", cmp.Or(p.Name, p.ID), whyKind(core.PlaceUnknown)),
				"invite the bot into the place, and see what footnote doctor says of its rights"})
		}
		if p.Former != "" && now.Sub(p.Changed) < recent {
			out = append(out, finding{"place_changed", p.ID,
				fmt.Sprintf("%s was %s until %s and is %s now: %s", p.Name, p.Former, ago(p.Changed), p.Class, whyKind(core.PlaceKind(p.Kind))),
				"see footnote access place " + p.ID})
		}
	}
	settled := map[string]bool{}
	for _, s := range a.current().Places {
		settled[s.ID] = true
	}
	kept, err := a.store.PlaceSettings(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		settled[k.Place] = true
	}
	for _, id := range slices.Sorted(maps.Keys(settled)) {
		s, err := a.rights.settings(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, name := range s.Collections {
			if _, known := a.rights.collection(name); !known {
				out = append(out, finding{"unknown_collection", "place " + id, fmt.Sprintf("its settings name the collection %q, which does not exist: it adds nothing to what is found there", name), "mend collections: of the place"})
			}
		}
	}
	return out, nil
}
