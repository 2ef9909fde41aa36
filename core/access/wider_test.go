package access

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// Every move from one kind to another, with the same people, grants and content.
func TestWiderForEveryPairOfKinds(t *testing.T) {
	ann := Person("ann@example.com", true, nil)
	for _, from := range allKinds() {
		for _, to := range allKinds() {
			made, now := Audience(placeOf(from), ann), Audience(placeOf(to), ann)
			got := Wider(made, now)
			switch name := fmt.Sprintf("%s to %s", from, to); {
			case from == to && got:
				t.Errorf("%s: the same audience is wider", name)
			case slices.Contains(outsiders, to) && !slices.Contains(outsiders, from) && !got:
				t.Errorf("%s: outsiders read it and it is not wider", name)
			case width[to] > width[from] && !got:
				t.Errorf("%s: more readers and it is not wider", name)
			case width[from] == 0 && width[to] > 0 && !got:
				t.Errorf("%s: the asker is not alone any more and it is not wider", name)
			}
			turn := core.Turn{Class: made.Class, Scope: made.Scope(), Asker: ann.Email}
			if CanKnow(now, turn, ann) && width[to] > width[from] {
				t.Errorf("%s to %s: a turn for fewer is known to more", from, to)
			}
		}
	}
}

func TestWiderFacts(t *testing.T) {
	ann := Person("ann@example.com", true, nil)
	members := func(lists ...[]core.Principal) func(*core.Place) {
		return func(p *core.Place) { p.Members, p.Intersection = lists, true }
	}
	a, b := []core.Principal{"user:a@x.y", "group:g/1"}, []core.Principal{"user:b@x.y", "group:g/1"}
	nothing := func(*core.Place) {}
	rows := []struct {
		name         string
		kind         core.PlaceKind
		before, then func(*core.Place)
		want         bool
	}{
		{"nothing changed", core.PlacePrivate, nothing, nothing, false},
		{"members listed the other way around", core.PlaceGroup, members(a, b), members(b, a), false},
		{"somebody joins who holds as much", core.PlacePrivate, members(a), members(a, a), false},
		{"somebody joins", core.PlacePrivate, members(a), members(a, b), true},
		{"somebody leaves", core.PlacePrivate, members(a, b), members(b), false},
		{"somebody is given more", core.PlacePrivate, members(a, b), members(a, append(slices.Clone(b), "group:g/2")), false},
		{"somebody loses a group", core.PlacePrivate, members(a, b), members(a, b[:1]), true},
		{"members not known any more", core.PlacePrivate, members(a, b), func(p *core.Place) { p.Members, p.Intersection = nil, true }, true},
		{"the intersection is turned off", core.PlacePrivate, members(a, b), func(p *core.Place) { p.Members = [][]core.Principal{a, b} }, true},
		{"over 200 members", core.PlaceGroup, members(a), func(p *core.Place) { p.Members = slices.Repeat([][]core.Principal{a}, 201) }, true},
		{"a grant is taken back", core.PlacePublic, nothing, func(p *core.Place) { p.Granted = nil }, true},
		{"a grant is made", core.PlacePublic, func(p *core.Place) { p.Granted = nil }, nothing, false},
		{"a grant's rule changes", core.PlacePublic, nothing, func(p *core.Place) {
			p.Granted = []core.Grantee{{Collection: core.Collection{Name: "faq", Sources: []string{"other"}}}}
		}, true},
		{"a grant is no longer for outsiders", core.PlaceConnect, nothing, func(p *core.Place) {
			p.Granted = []core.Grantee{{Collection: p.Granted[0].Collection}}
		}, true},
		{"a grant is no longer for outsiders where none are", core.PlacePublic, nothing, func(p *core.Place) {
			p.Granted = []core.Grantee{{Collection: p.Granted[0].Collection}}
		}, false},
		{"turned off", core.PlaceConnect, nothing, func(p *core.Place) { p.External = false }, true},
		{"turned off with nothing granted", core.PlaceConnect, func(p *core.Place) { p.Granted = nil }, func(p *core.Place) { p.Granted, p.External = nil, false }, true},
		{"turned on", core.PlaceConnect, func(p *core.Place) { p.External = false }, nothing, false},
		{"not home any more", core.PlacePublic, nothing, func(p *core.Place) { p.Home = false }, true},
		{"becomes home", core.PlacePublic, func(p *core.Place) { p.Home = false }, nothing, false},
		{"own content gone", core.PlaceGuests, nothing, func(p *core.Place) { p.Own = nil }, true},
		{"the channel above is opened", core.PlacePrivateThread, nothing, func(p *core.Place) { p.Parent = core.PlaceEveryone }, true},
		{"the channel above is not known", core.PlacePrivateThread, nothing, func(p *core.Place) { p.Parent = "" }, true},
		{"search is narrowed", core.PlacePublic, nothing, func(p *core.Place) { p.Within = []core.Collection{} }, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			made, now := placeOf(row.kind), placeOf(row.kind)
			row.before(&made)
			row.then(&now)
			if got := Wider(Audience(made, ann), Audience(now, ann)); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Each part of what is shown counts alone, and who holds all that one of the
// readers held reads what they read together.
func TestWiderParts(t *testing.T) {
	full := core.Audience{
		Class: "private_channel", Principals: []core.Principal{core.Public, "group:g/1"}, Team: []core.Principal{core.Workspace},
		Links: core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowNumber}, List: core.ListFull,
	}
	ann, bob := []core.Principal{core.Public, "user:ann@x.y"}, []core.Principal{core.Public, "user:bob@x.y"}
	together := full
	together.Readers = [][]core.Principal{ann, bob}
	rows := []struct {
		name   string
		made   core.Audience
		change func(*core.Audience)
		want   bool
	}{
		{"the same", full, func(*core.Audience) {}, false},
		{"public documents lose their link", full, func(a *core.Audience) { a.Links.Public = core.ShowNumber }, true},
		{"the team's lose their link", full, func(a *core.Audience) { a.Links.Workspace = core.ShowNumber }, true},
		{"restricted ones lose their number", full, func(a *core.Audience) { a.Links.Restricted = core.ShowNothing }, true},
		{"restricted ones are given a link", full, func(a *core.Audience) { a.Links.Restricted = core.ShowLink }, false},
		{"the list loses titles", full, func(a *core.Audience) { a.List = core.ListTitles }, true},
		{"the team is another one", full, func(a *core.Audience) { a.Team = nil }, true},
		{"the team is another one and all is shown", full, func(a *core.Audience) { a.Team, a.Links.Restricted = nil, core.ShowLink }, false},
		{"public need not be named", full, func(a *core.Audience) { a.Principals = a.Principals[1:] }, false},
		{"one of the readers is all that is left", together, func(a *core.Audience) {
			a.Readers, a.Principals = nil, append(slices.Clone(ann), "group:g/1")
		}, false},
		{"somebody else is", together, func(a *core.Audience) {
			a.Readers, a.Principals = nil, []core.Principal{"group:g/1", "user:eve@x.y"}
		}, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			now := row.made
			row.change(&now)
			if got := Wider(row.made, now); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A collection for full members that the owner granted to a guild which is not
// home keeps the reach that its access says.
func TestReachOfWhatIsGranted(t *testing.T) {
	place := placeOf(core.PlaceHidden)
	place.Home = false
	a := Audience(place, core.Viewer{})
	rows := []struct {
		access core.Access
		want   core.Show
	}{
		{core.Access{core.Public}, core.ShowLink}, {core.Access{core.Workspace}, core.ShowLink}, {core.Access{"workspace:t1"}, core.ShowLink},
		{core.Access{"workspace:t2"}, core.ShowNothing}, {core.Access{"group:hr/all"}, core.ShowNothing}, {nil, core.ShowNothing},
	}
	for _, row := range rows {
		d := core.Document{Access: row.access}
		if got := a.ShowOf(d); got != row.want || a.TitleOf(d) != (row.want == core.ShowLink) {
			t.Errorf("%v: shown as %d, title %v", row.access, got, a.TitleOf(d))
		}
	}
	if a.Filter().Readable(core.Facts{Source: "other", Access: core.Access{core.Workspace}}) {
		t.Error("the reach opened a document")
	}
}

// What may be known or may stand rests on no document that a reader of the new
// place may not read, and shows none more than it may be shown.
func TestWhatStandsMayBeRead(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	known, stands := 0, 0
	for range 30000 {
		made, viewer := randomAsked(r)
		now, again := made, viewer
		if r.IntN(10) > 0 {
			now, again = randomAsked(r)
		}
		a, b := Audience(made, viewer), Audience(now, again)
		turn := core.Turn{Class: a.Class, Scope: a.Scope(), Asker: viewer.Email}
		canKnow, stays := CanKnow(b, turn, again), !Wider(a, b)
		if canKnow {
			known++
		}
		if stays {
			stands++
		}
		for range 20 {
			checkDocument(t, r, a, b, canKnow, stays)
			if t.Failed() {
				t.Fatalf("made in %+v\nby %+v\nnow in %+v\nby %+v", made, viewer, now, again)
			}
		}
	}
	if known < 1000 || stands < 1000 {
		t.Errorf("only %d turns could be known, %d answers stood: the test says little", known, stands)
	}
}

func checkDocument(t *testing.T, r *rand.Rand, a, b core.Audience, canKnow, stays bool) {
	t.Helper()
	f := randomFacts(r)
	d := core.Document{Access: f.Access, Discretion: core.Discretion(r.IntN(3))}
	if !a.Filter().Readable(f) {
		return
	}
	readable := b.Filter().Readable(f)
	switch {
	case canKnow && !readable:
		t.Errorf("the turn may be known, its document %+v may not be read", f)
	case stays && !readable:
		t.Errorf("the answer stands, its document %+v may not be read", f)
	case stays && (b.ShowOf(d) < a.ShowOf(d) || a.TitleOf(d) && !b.TitleOf(d)):
		t.Errorf("the answer stands, and shows of %+v more than it may", f)
	}
}

// Wider is an order: what stands in a second audience and from there in a third
// stands in the third at once.
func TestWiderIsTransitive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var list []core.Audience
	for range 150 {
		list = append(list, randomAudience(r))
	}
	for _, a := range list {
		if Wider(a, a) {
			t.Fatalf("wider than itself: %+v", a)
		}
		for _, b := range list {
			if Wider(a, b) {
				continue
			}
			for _, c := range list {
				if !Wider(b, c) && Wider(a, c) && !a.Silent && !b.Silent {
					t.Fatalf("not transitive:\n%+v\n%+v\n%+v", a, b, c)
				}
			}
		}
	}
}
