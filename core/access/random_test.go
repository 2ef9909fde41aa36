package access

import (
	"math/rand/v2"

	"github.com/footnote-bot/footnote/core"
)

var everybody = []core.Principal{
	core.Public, core.Workspace, "workspace:t1", "workspace:t2", "group:slack/c1", "group:hr/all",
	"user:ann@example.com", "user:bob@example.com",
}

// collections have a rule each by which they are known, as names are unique in
// an install.
var collections = []core.Collection{
	{Name: "faq", Sources: []string{"wiki"}}, {Name: "people", Sources: []string{"hr"}},
	{Name: "tagged", Tags: []string{"kind=spec"}}, {Name: "gone"},
}

func pick[T any](r *rand.Rand, from ...T) []T {
	out := []T{}
	for _, one := range from {
		if r.IntN(3) == 0 {
			out = append(out, one)
		}
	}
	return out
}

func oneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func chance(r *rand.Rand, in int) bool { return r.IntN(in) == 0 }

// randomAsked is a place with a viewer who asks in it.
func randomAsked(r *rand.Rand) (core.Place, core.Viewer) {
	kinds := append(allKinds(), core.PlaceAskedByMachine, "tomorrow")
	p := core.Place{
		Kind: oneOf(r, kinds...), Parent: oneOf(r, kinds...), Team: oneOf(r, "", "T1", "T2"), Home: chance(r, 2),
		Own: pick(r, everybody[3:6]...), Intersection: chance(r, 2), External: chance(r, 2),
	}
	for _, c := range pick(r, collections...) {
		p.Granted = append(p.Granted, core.Grantee{Collection: c, Outsiders: chance(r, 2)})
	}
	for range r.IntN(4) {
		p.Members = append(p.Members, pick(r, everybody...))
	}
	if chance(r, 8) {
		p.Within = pick(r, collections...)
	}
	v := core.Viewer{
		Email: oneOf(r, "ann@example.com", "bob@example.com"), Principals: pick(r, everybody...), Bypass: chance(r, 6),
		Class: oneOf(r, core.AccountMember, core.AccountMember, core.AccountGuest, core.AccountBot, core.AccountDeactivated),
	}
	return p, v
}

func randomAudience(r *rand.Rand) core.Audience {
	place, viewer := randomAsked(r)
	return Audience(place, viewer)
}

func randomFacts(r *rand.Rand) core.Facts {
	source := oneOf(r, "wiki", "hr", "eng")
	d := core.Facts{Document: source + "/1", Source: source, Hidden: chance(r, 5), Access: core.NewAccess(pick(r, everybody[1:]...)...)}
	if chance(r, 8) {
		d.Access = core.NewAccess(append(d.Access, core.Public)...)
	}
	if chance(r, 3) {
		d.Tags = []string{"kind=spec"}
	}
	return d
}
