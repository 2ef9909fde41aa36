package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store"
)

func (u *user) findings(a *app) map[string]finding {
	u.t.Helper()
	o := u.in(a, "access", "check", "--json")
	out := map[string]finding{}
	for line := range strings.Lines(o.out) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			u.t.Fatal(err)
		}
		out[f.Kind+" "+f.What] = f
	}
	if (o.code != 0) != (len(out) > 0) {
		u.t.Errorf("exit code %d with %d findings", o.code, len(out))
	}
	return out
}

func TestAccessCheck(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	err := placesOf{a.rights}.change(t.Context(), "slack:T1/C9", func(p *config.Place) error { p.Collections = []string{"gone"}; return nil })
	if err != nil {
		t.Fatal(err)
	}
	found := u.findings(a)
	for _, want := range []string{
		"no_readers wiki", "unknown_group group:wiki/nobody-told", "grant_ignored grant of faq to slack:T1/C4", "unknown_collection place slack:T1/C6",
		"unknown_collection place slack:T1/C9", "place_unknown slack:T1/C7",
	} {
		if _, ok := found[want]; !ok {
			t.Errorf("%q is missing in %v", want, found)
		}
	}
	for key := range found {
		if strings.HasPrefix(key, "stale") || strings.HasPrefix(key, "place_changed") {
			t.Errorf("unexpected: %s", key)
		}
	}
	note(t, a, "slack:T1/C3", core.PlacePublic)
	note(t, a, "slack:T1/C1", core.PlaceConnect)
	later := a.store.Now().Add(25 * time.Hour)
	a.store.Now = func() time.Time { return later }
	found = u.findings(a)
	for _, want := range []string{"stale_access wiki", "stale_groups wiki", "place_changed slack:T1/C3", "place_changed slack:T1/C1", "grant_ignored grant of faq to slack:T1/C1"} {
		if f, ok := found[want]; !ok || f.Text == "" {
			t.Errorf("%q is missing in %v", want, found)
		}
	}
	if o := u.in(a, "access", "why", "wiki/faq", "--place", "slack:T1/C1"); !strings.HasPrefix(o.out, "Not found") {
		t.Errorf("a grant to a place that is shared since: %+v", o)
	}
}

// A grant was made for the readers of then: once everybody can read the place, it
// waits for the owner's word.
func TestGrantsRestWhereAPlaceIsOpened(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	const place = "slack:T1/C3"
	found := func() bool { t.Helper(); return u.why(a, "wiki/faq", "--place", place).Found }
	if o := u.in(a, "grant", "add", place, "faq"); o.code != 0 || !found() {
		t.Fatalf("%+v", o)
	}
	note(t, a, place, core.PlaceGuests)
	if !found() {
		t.Error("guests are readers that the owner spoke of: now and later")
	}
	note(t, a, place, core.PlacePublic)
	v := u.why(a, "wiki/faq", "--place", place)
	if v.Found || !strings.Contains(strings.Join(v.Notes, " "), "footnote grant confirm slack:T1/C3 faq") {
		t.Errorf("opened since: %+v", v)
	}
	u.restart(a)
	if found() {
		t.Error("forgotten over a restart")
	}
	if _, ok := u.findings(a)["grant_rests grant of faq to "+place]; !ok {
		t.Error("access check does not tell")
	}
	if o := u.in(a, "access", "place", place); !strings.Contains(o.out, "footnote grant confirm") {
		t.Errorf("place: %+v", o)
	}
	if o := u.in(a, "grant", "confirm", place, "nope"); o.code != exitNotFound {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "grant", "confirm", place, "faq"); o.code != 0 || !found() {
		t.Errorf("confirmed: %+v", o)
	}
	// One of the file, made before the place was met.
	u.write(map[string]string{"footnote.yaml": strings.Replace(officeYAML, "grants:", "grants:\n  - {place: \"slack:T1/C8\", collection: faq}", 1)})
	u.restart(a)
	for _, kind := range []core.PlaceKind{core.PlacePrivate, core.PlacePublic} {
		note(t, a, "slack:T1/C8", kind)
		if got := u.why(a, "wiki/faq", "--place", "slack:T1/C8").Found; got != (kind == core.PlacePrivate) {
			t.Errorf("%s: found is %v", kind, got)
		}
	}
	if o := u.in(a, "grant", "confirm", "slack:T1/C8", "faq"); o.code != 0 || !u.why(a, "wiki/faq", "--place", "slack:T1/C8").Found {
		t.Errorf("confirmed: %+v", o)
	}
}

func TestAccessCheckIsQuietWhereAllIsWell(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	a := u.opened()
	fill(t, a, core.Source{Name: "wiki"}, entry("a", core.Workspace))
	if o := u.in(a, "access", "check"); o.code != 0 || !strings.Contains(o.out, "access is complete") {
		t.Errorf("%+v", o)
	}
}

func TestAccessPlace(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	show := func(args ...string) placeView {
		t.Helper()
		o := u.in(a, append([]string{"access", "place", "--json"}, args...)...)
		var v placeView
		if err := json.Unmarshal([]byte(o.out), &v); err != nil || o.code != 0 {
			t.Fatalf("%v: %v, %+v", args, err, o)
		}
		return v
	}
	v := show("slack:T1/C1")
	if v.Class != "public_channel" || !slices.Equal(v.Grants, []string{"faq"}) || joinPrincipals(v.Principals, " ") != "group:chan/c1 public workspace workspace:t1" || v.Links["restricted"] != "number" {
		t.Errorf("%+v", v)
	}
	if v = show("slack:T1/C4"); v.Answers || !slices.Equal(v.Ignored, []string{"faq"}) {
		t.Errorf("shared: %+v", v)
	}
	if v = show("slack:T1/C2"); !slices.Equal(v.Collections, []string{"faq"}) {
		t.Errorf("narrowed: %+v", v)
	}
	if v = show("slack:T1/C1", "--kind", "guest_channel"); v.Class != "guest_channel" || slices.Contains(v.Principals, core.Workspace) {
		t.Errorf("as if with guests: %+v", v)
	}
	if v = show("slack:T2/C1", "--kind", "public_channel"); slices.Contains(v.Principals, core.Workspace) || slices.Contains(v.Principals, core.Group("chan", "C1")) {
		t.Errorf("another team's: %+v", v)
	}
	for _, row := range []struct {
		args string
		code int
		want string
	}{
		{"slack:T1/C99", exitNotFound, "slack:T1/C99"}, {"slack:T1/C1 --kind moon", exitUsage, "--kind"}, {"moon", exitUsage, "moon"},
	} {
		if o := u.in(a, append([]string{"access", "place"}, strings.Fields(row.args)...)...); o.code != row.code || !strings.Contains(o.err, row.want) {
			t.Errorf("%s: %+v", row.args, o)
		}
	}
}

func TestPlacesAreNotedAsTheyAre(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	ctx := t.Context()
	noted := func() map[string]store.NotedPlace {
		t.Helper()
		all, err := a.store.NotedPlaces(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]store.NotedPlace{}
		for _, p := range all {
			out[p.ID] = p
		}
		return out
	}
	audited := func() (n int) {
		t.Helper()
		if err := a.store.AuditTrail(ctx, store.AuditQuery{Action: core.AuditConfig, Place: "slack:T1/C1"}, func(core.AuditEntry) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := noted()["slack:T1/C1"]
	bound := func(p core.Place) core.Place {
		t.Helper()
		p, err := placesOf{a.rights}.Bound(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	channel := core.Place{ID: "slack:T1/C1", Platform: "slack", Kind: core.PlacePublic, Name: "#slack:T1/C1", Team: "T1", Home: true}
	for name, change := range map[string]func(*core.Place){
		"the same":               func(*core.Place) {},
		"a reply to one":         func(p *core.Place) { p.Kind = core.PlaceEphemeral },
		"a bot asks":             func(p *core.Place) { p.Kind, p.Parent = core.PlaceAskedByMachine, core.PlacePublic },
		"a look from a terminal": func(p *core.Place) { p.Platform, p.Kind = "console", core.PlacePrivate },
	} {
		p := channel
		change(&p)
		bound(p)
		if got := noted()["slack:T1/C1"]; got != before && !strings.HasPrefix(got.Name, "#") || got.Kind != before.Kind || got.Class != before.Class {
			t.Errorf("%s: noted %+v, before %+v", name, got, before)
		}
	}
	if n := audited(); n != 0 {
		t.Errorf("%d changes in the audit", n)
	}
	// What was bound before does not stay.
	p := bound(channel)
	if p = bound(p); len(p.Granted) != 1 {
		t.Errorf("granted %v", p.Granted)
	}
	p.Within = []core.Collection{{Name: "old"}}
	p.Granted = append(p.Granted, core.Grantee{Collection: core.Collection{Name: "taken back"}})
	if p = bound(p); len(p.Granted) != 1 || p.Within != nil {
		t.Errorf("after a grant was taken back: %+v", p)
	}
	// A restart knows the class from before.
	u.restart(a)
	note(t, a, "slack:T1/C1", core.PlacePublic)
	if n := audited(); n != 0 {
		t.Errorf("after a restart: %d changes", n)
	}
	note(t, a, "slack:T1/C1", core.PlaceGuests)
	if got := noted()["slack:T1/C1"]; got.Former != "public_channel" || got.Class != "guest_channel" || audited() != 1 {
		t.Errorf("noted %+v, %d in the audit", got, audited())
	}
}

// restart reads configuration and rights anew, as a start does.
func (u *user) restart(a *app) {
	u.t.Helper()
	var err error
	a.cfg = mustConfig(u.t, u)
	if a.rights, err = a.openRights(u.t.Context()); err != nil {
		u.t.Fatal(err)
	}
}

func TestTeams(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	listed := func(lines ...string) {
		u.write(map[string]string{"footnote.yaml": "slack:\n  - " + strings.Join(lines, "\n  - ") + "\n"})
	}
	const tokens = ", bot_token: xoxb-%s, app_token: xapp-%s"
	one := func(name, more string) string { return fmt.Sprintf("{name: %s"+tokens+"%s}", name, name, name, more) }
	a := u.opened()
	check := func(t *testing.T, home1, home2 bool, own string) {
		t.Helper()
		u.restart(a)
		if a.rights.home("slack", "T1") != home1 || a.rights.home("slack", "T2") != home2 || a.rights.home("discord", "T1") || a.rights.home("slack", "") {
			t.Errorf("home: %v, %v", a.rights.home("slack", "T1"), a.rights.home("slack", "T2"))
		}
		if got := joinPrincipals(a.rights.own("slack", "T1", "C1"), " "); got != own {
			t.Errorf("own = %q", got)
		}
	}
	listed(one("a", ", home: true, sources: [chan-a]"), one("b", ", sources: [chan-b]"))
	u.restart(a)
	if a.rights.home("slack", "T1") || len(a.rights.own("slack", "T1", "C1")) > 0 {
		t.Error("a team that no platform told of")
	}
	for name, team := range map[string]string{"a": "T1", "b": "T2"} {
		if err := a.rights.setTeam(t.Context(), slackName, name, team); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("after a restart", func(t *testing.T) { u.t = t; check(t, true, false, "group:chan-a/c1") })
	t.Run("no longer marked", func(t *testing.T) {
		u.t = t
		listed(one("a", ", sources: [chan-a]"), one("b", ", home: true"))
		check(t, false, true, "group:chan-a/c1")
	})
	t.Run("listed twice, marked once", func(t *testing.T) {
		u.t = t
		listed(one("a", ", home: true"), one("c", ""))
		u.restart(a)
		if err := a.rights.setTeam(t.Context(), slackName, "c", "T1"); err != nil || a.rights.home("slack", "T1") {
			t.Errorf("home, %v", err)
		}
	})
	t.Run("left the file", func(t *testing.T) {
		u.t = t
		listed(one("b", ""))
		check(t, false, false, "")
	})
	t.Run("no workspace at all", func(t *testing.T) {
		u.t = t
		u.write(map[string]string{"footnote.yaml": ""})
		check(t, false, false, "")
	})
}

func TestManagersChangeAPlace(t *testing.T) {
	t.Parallel()
	_, a := office(t)
	places := placesOf{a.rights}
	quieter := func(p *config.Place) error { p.Mode = config.ModeOff; return nil }
	if err := places.change(t.Context(), "slack:T1/C3", quieter); core.KindOf(err) != core.KindDenied {
		t.Errorf("a place of the file: %v", err)
	}
	if err := places.change(t.Context(), "slack:T1/C9", quieter); err != nil {
		t.Fatal(err)
	}
	s, err := places.Settings(context.WithoutCancel(t.Context()), "slack:T1/C9")
	if err != nil || s.Mode != "off" {
		t.Errorf("settings %+v, %v", s, err)
	}
}
