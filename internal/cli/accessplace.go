package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

func (inv *invocation) accessPlaceCommand() *cobra.Command {
	var kind string
	var asJSON bool
	c := &cobra.Command{
		Use:   "place PLACE",
		Short: "Say what may be said in a place, and why",
		Long: `Say the class of a place, what bounds retrieval there, and how sources may be
shown. Places are known once something was asked in them; --kind tells what it
would be like if it were of another kind.`,
		Args: exactly(1, "dm, public, or the id of a place such as slack:T1/C1"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.accessPlace(ctx, a, args[0], core.PlaceKind(kind), asJSON)
			})
		},
	}
	c.Flags().StringVar(&kind, "kind", "", "what kind to take it for: "+strings.Join(kindNames(), ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// kinds that a person may ask about, with what they mean.
var kinds = []struct {
	kind core.PlaceKind
	why  string
}{
	{core.PlaceDirect, "only the asker reads it"},
	{core.PlaceEphemeral, "only the asker reads the reply"},
	{core.PlaceGroup, "a fixed set of people reads it"},
	{core.PlacePublic, "every full member may read it"},
	{core.PlacePrivate, "its members read it, now and later"},
	{core.PlaceGuests, "guests read it"},
	{core.PlaceConnect, "people of another organisation read it, or are about to"},
	{core.PlaceEveryone, "everybody on the Discord server may view it, possibly the internet"},
	{core.PlaceHidden, "only some roles or members may view it"},
	{core.PlacePrivateThread, "the members of a private thread read it"},
	{core.PlaceUnknown, "it could not be found out who reads it"},
}

func kindNames() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, string(k.kind))
	}
	return out
}

func whyKind(kind core.PlaceKind) string {
	for _, k := range kinds {
		if k.kind == kind {
			return k.why
		}
	}
	return "this kind of place is not known"
}

// placeView is a place as --json prints it.
type placeView struct {
	Place       string            `json:"place"`
	Name        string            `json:"name,omitempty"`
	Kind        core.PlaceKind    `json:"kind"`
	Class       string            `json:"class"`
	Why         string            `json:"why"`
	Answers     bool              `json:"answers"`
	AskerOnly   bool              `json:"asker_only"`
	Principals  []core.Principal  `json:"principals"`
	Together    bool              `json:"intersection"`
	Grants      []string          `json:"grants"`
	Ignored     []string          `json:"ignored_grants,omitempty"`
	Resting     []string          `json:"resting_grants,omitempty"` // until they are confirmed
	Collections []string          `json:"collections,omitempty"`
	Links       map[string]string `json:"links"`
	Sources     string            `json:"sources"`
}

func (inv *invocation) accessPlace(ctx context.Context, a *app, id string, kind core.PlaceKind, asJSON bool) error {
	if kind != "" && !strings.Contains(" "+strings.Join(kindNames(), " ")+" ", " "+string(kind)+" ") {
		return badChoice("--kind", string(kind), kindNames()...)
	}
	place, err := a.placeFor(ctx, id, kind)
	if err != nil {
		return err
	}
	audience := access.Audience(place, core.Viewer{Principals: []core.Principal{"(what the asker holds)"}})
	v := viewOfPlace(place, audience)
	resting, err := a.rights.resting(ctx, place)
	if err != nil {
		return err
	}
	for _, g := range resting {
		v.Resting = append(v.Resting, g.Collection)
	}
	if asJSON {
		return inv.printJSON(v)
	}
	return inv.printPlace(v)
}

func (a *app) placeFor(ctx context.Context, id string, kind core.PlaceKind) (core.Place, error) {
	place, err := (&asking{place: id}).where(ctx, a, "")
	switch {
	case core.KindOf(err) == core.KindNotFound && kind != "":
		platform, rest, _ := strings.Cut(id, ":")
		team, channel, _ := strings.Cut(rest, "/")
		place, err = a.rights.place(ctx, core.Place{
			ID: id, Team: team, Home: a.rights.home(platform, team), Own: a.rights.own(platform, team, channel),
		})
	case err != nil:
		return place, err
	}
	if kind != "" {
		place.Kind = kind
	}
	return place, err
}

func viewOfPlace(place core.Place, audience core.Audience) placeView {
	v := placeView{
		Place: place.ID, Name: place.Name, Kind: place.Kind, Class: audience.Class, Why: whyKind(place.Kind),
		Answers: !audience.Silent, AskerOnly: audience.AskerOnly, Principals: audience.Principals,
		Together: len(audience.Readers) > 0 || place.Intersection, Grants: []string{},
		Links: map[string]string{
			"public": showName(audience.Links.Public), "workspace": showName(audience.Links.Workspace),
			"restricted": showName(audience.Links.Restricted),
		},
		Sources: map[core.SourceList]string{core.ListNone: "none", core.ListTitles: "titles", core.ListFull: "full"}[audience.List],
	}
	counts := map[string]bool{}
	for _, c := range audience.Granted {
		counts[c.Name] = true
		v.Grants = append(v.Grants, c.Name)
	}
	for _, g := range place.Granted {
		if !counts[g.Name] {
			v.Ignored = append(v.Ignored, g.Name)
		}
	}
	for _, c := range place.Within {
		v.Collections = append(v.Collections, c.Name)
	}
	return v
}

func showName(s core.Show) string {
	switch s {
	case core.ShowLink:
		return "link"
	case core.ShowNumber:
		return "number"
	}
	return "nothing"
}

func (inv *invocation) printPlace(v placeView) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nclass %s: %s\n", v.Place, v.Name, v.Class, v.Why)
	if !v.Answers {
		b.WriteString("nothing is answered there; places with external: true answer from grants that outsiders may know\n")
	}
	fmt.Fprintf(&b, "answers use what may be read by: %s\n", joinPrincipals(v.Principals, ", "))
	if v.Together {
		b.WriteString("and what all of its members may read\n")
	}
	for _, g := range v.Grants {
		fmt.Fprintf(&b, "and the granted collection %s\n", g)
	}
	for _, g := range v.Ignored {
		fmt.Fprintf(&b, "the grant of %s does not count in a place of this class\n", g)
	}
	for _, g := range v.Resting {
		fmt.Fprintf(&b, "the grant of %s was made while fewer people could read the place; confirm it with: footnote grant confirm %s %s\n", g, v.Place, g)
	}
	if v.Collections != nil {
		fmt.Fprintf(&b, "search is narrowed to: %s\n", strings.Join(v.Collections, ", "))
	}
	fmt.Fprintf(&b, "sources are shown as: public %s, workspace %s, restricted %s; source list %s\n",
		v.Links["public"], v.Links["workspace"], v.Links["restricted"], v.Sources)
	for _, line := range strings.Split(strings.TrimRight(b.String(), "\n"), "\n") {
		if _, err := fmt.Fprintln(inv.streams.Out, console.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}
