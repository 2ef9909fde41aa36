package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

func TestCollectionsAndGrants(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	steps := []struct {
		args string
		code int
		want string // on either stream
	}{
		{"collection list", 0, "tags kind=faq"},
		{"collection show faq", 0, "granted to: slack:T1/C1"},
		{"collection show fag", exitNotFound, "did you mean faq?"},
		{"collection add more --source wiki --tag kind=faq", 0, "added collection more: 1 document\n"},
		{"collection add more --folder wiki/a/b", 0, "0 documents"},
		{"collection add bad", exitUsage, "would hold nothing"},
		{"collection add Bad --source wiki", exitUsage, "Bad"},
		{"collection add bad --source wikki", exitNotFound, "did you mean wiki?"},
		{"collection add bad --folder wikki/a", exitNotFound, "did you mean wiki?"},
		{"collection add bad --folder wiki", exitUsage, "SOURCE/FOLDER"},
		{"collection add bad --tag kind", exitUsage, "KEY=VALUE"},
		{"collection add faq --source wiki", exitDenied, "configuration file"},
		{"collection remove faq", exitDenied, "configuration file"},
		{"grant add slack:t1/c2 more --external", 0, "every reader of slack:T1/C2"},
		{"grant add slack:T1/C77 more", 0, "nothing was asked in slack:T1/C77 yet"},
		{"grant add C1 more", exitUsage, "PLATFORM:TEAM/CHANNEL"},
		{"grant add slack:T1/C1 nope", exitNotFound, "no collection"},
		{"grant add slack:T1/C1 faq --external", exitDenied, "configuration file"},
		{"grant remove slack:T1/C1 faq", exitDenied, "configuration file"},
		{"grant list", 0, "slack:T1/C2"},
		{"grant list slack:T1/C77 --json", 0, `"collection":"more"`},
		{"collection remove more", exitFailure, "slack:T1/C2"},
		{"grant remove slack:T1/C2 more", 0, "no longer has"},
		{"grant remove slack:T1/C2 more", exitNotFound, "grant list"},
		{"grant remove slack:T1/C77 more", 0, "no longer has"},
		{"collection remove more", 0, "removed"},
		{"audit --action grant", 0, "grant added"},
		{"audit --action grant --json", 0, `"external":"true"`},
	}
	for _, s := range steps {
		if o := u.in(a, strings.Fields(s.args)...); o.code != s.code || !strings.Contains(o.out+o.err, s.want) {
			t.Errorf("%s: %+v", s.args, o)
		}
	}
}

// What a chat platform asks for by name is checked against who reads the place.
func TestCollectionsAskedForInAPlace(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	if err := a.syncer.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask := func(channel string, names ...string) (bot.Outcome, error) {
		return a.front.Ask(t.Context(), bot.Incoming{
			Account: core.Account{Platform: "slack", Team: "T1", ID: "U1", Class: core.AccountMember, Email: "ann@example.com", Verified: true},
			Place:   core.Place{ID: "slack:T1/" + channel, Platform: "slack", Kind: core.PlacePublic, Team: "T1", Home: true},
			Text:    "Text of faq", Collections: names, Free: true,
		})
	}
	out, err := ask("C1", "faq") // granted there
	if err != nil {
		t.Fatal(err)
	}
	for e := range out.Running.Subscribe(t.Context(), 0) {
		if d, ok := e.(core.Done); ok && (len(d.Answer.Citations) != 1 || d.Answer.Citations[0].Passage != "Text of faq") {
			t.Errorf("answer = %+v", d.Answer)
		}
	}
	for _, name := range []string{"faq", "nope"} {
		if _, err := ask("C3", name); core.KindOf(err) != core.KindNotFound || err.Error() != fmt.Sprintf("there is no collection %q", name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if o := u.in(a, "ask", "Text of faq", "--collection", "faq"); o.code != exitNotFound || !strings.Contains(o.err, `there is no collection "faq"`) {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "ask", "Text of faq", "--place", "slack:T1/C1", "--collection", "faq"); o.code != 0 {
		t.Errorf("%+v", o)
	}
}

func TestOneGrantInBothPlaces(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(library())
	u.must("source", "add", "files", "docs", "--name", "docs")
	u.must("collection", "add", "all", "--source", "docs")
	u.must("grant", "add", "slack:T1/C1", "all", "--external")
	u.write(map[string]string{"footnote.yaml": "grants: [{place: \"slack:T1/C1\", collection: all}]\n"})
	if o := u.run("grant", "list"); o.code != exitConfig || !strings.Contains(o.err, "footnote grant remove slack:T1/C1 all") {
		t.Errorf("%+v", o)
	}
	u.write(map[string]string{"footnote.yaml": "collections: [{name: all, sources: [docs]}]\n"})
	if o := u.run("collection", "list"); o.code != exitConfig || !strings.Contains(o.err, `"all"`) {
		t.Errorf("%+v", o)
	}
}

func TestIdentities(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	ctx := t.Context()
	who := people{a.rights}
	account := core.Account{Platform: "slack", Team: "T1", ID: "U1", Name: "Ann", Class: core.AccountMember, Email: "Ann@Example.com", Verified: true}
	see := func(acc core.Account) core.Viewer {
		t.Helper()
		v, err := who.Viewer(ctx, acc)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := see(account); v.Email != "ann@example.com" || !slices.Contains(v.Principals, core.Group("config", "board")) || !slices.Contains(v.Principals, core.Workspace) {
		t.Errorf("viewer = %+v", v)
	}
	guest := core.Account{Platform: "slack", Team: "T1", ID: "U2", Name: "Gus", Class: core.AccountGuest, Email: "gus@example.com", Verified: true}
	if v := see(guest); v.Email != "" {
		t.Errorf("guest = %+v", v)
	}
	o := u.in(a, "identity", "link", "gus@example.com")
	code := strings.TrimSpace(o.out)
	if o.code != 0 || code == "" || !strings.Contains(o.err, "gus@example.com") {
		t.Fatalf("link: %+v", o)
	}
	if _, err := a.store.Link(ctx, guest, code); err != nil {
		t.Fatal(err)
	}
	if v := see(guest); v.Email != "gus@example.com" || slices.Contains(v.Principals, core.Workspace) {
		t.Errorf("a linked guest = %+v", v)
	}
	for _, s := range []struct {
		args string
		code int
		want string
	}{
		{"identity list", 0, "slack:T1/U2"}, {"identity list GUS@example.com --json", 0, `"why":"linked by a code"`},
		{"identity list nobody@example.com", 0, "no chat account"}, {"identity link gus", exitUsage, "gus"},
		{"identity unlink slack:T1/U2", 0, "no longer linked"}, {"identity unlink slack:T1/U2", exitNotFound, "slack:T1/U2"},
		{"identity unlink slack:T1/U9", exitNotFound, "slack:T1/U9"}, {"audit --action identity", 0, "unlinked slack:T1/U2"},
	} {
		if o := u.in(a, strings.Fields(s.args)...); o.code != s.code || !strings.Contains(o.out+o.err, s.want) {
			t.Errorf("%s: %+v", s.args, o)
		}
	}
	if o := u.in(a, "audit", "--json"); strings.Contains(o.out, code) {
		t.Error("the code is in the audit")
	}

	// The same person again, after something changed.
	was := see(account)
	for _, row := range []struct {
		name   string
		change func()
		holds  core.Principal
		want   bool
	}{
		{"nothing", func() {}, core.Group("wiki", "hr"), true},
		{"lost a group", func() {
			if err := a.store.ReplaceGroups(ctx, "wiki", nil, a.store.Now()); err != nil {
				t.Fatal(err)
			}
		}, core.Group("wiki", "hr"), false},
		{"moved to another address, still hers", func() { account.Email = "anna@example.com"; see(account) }, core.User("ann@example.com"), true},
		{"somebody else has the old one now", func() {
			see(core.Account{Platform: "slack", Team: "T1", ID: "U3", Class: core.AccountMember, Email: "ANN@example.com", Verified: true})
		}, core.User("ann@example.com"), false},
		{"deactivated", func() { account.Class = core.AccountDeactivated; see(account) }, core.User("anna@example.com"), false},
	} {
		row.change()
		was.Zone = time.UTC
		v, err := who.Again(ctx, was)
		if err != nil || slices.Contains(v.Principals, row.holds) != row.want || v.Zone != time.UTC {
			t.Errorf("%s: %+v, %v", row.name, v, err)
		}
	}
	for _, v := range []core.Viewer{{Operator: true, Principals: []core.Principal{core.Workspace}}, {Bypass: true}} {
		if got, err := who.Again(ctx, v); err != nil || got.Operator != v.Operator || got.Bypass != v.Bypass || len(got.Principals) != len(v.Principals) {
			t.Errorf("again: %+v, %v", got, err)
		}
	}
	if _, err := who.Again(ctx, core.Viewer{Account: "slack:T1/U99"}); err == nil {
		t.Error("an account that is not known")
	}
}

// Two accounts with one address in different case are one person; what a stranger
// claimed once does not count.
func TestOneAddressInTwoCases(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	for id, email := range map[string]string{"U1": "Ann@Example.com", "U2": "ANN@example.COM"} {
		v, err := people{a.rights}.Viewer(t.Context(), core.Account{Platform: "slack", Team: "T1", ID: id, Class: core.AccountMember, Email: email, Verified: true})
		if err != nil || v.Email != "ann@example.com" {
			t.Errorf("%s: %+v, %v", id, v, err)
		}
	}
	stranger := core.Account{Platform: "slack", Team: "T666", ID: "U1", Class: core.AccountMember, Email: "boss@example.com", Verified: true}
	for _, email := range []string{"boss@example.com", "eve@example.com"} {
		stranger.Email = email
		if v, err := (people{a.rights}).Viewer(t.Context(), stranger); err != nil || v.Email != "" {
			t.Errorf("of a workspace that is not home: %+v, %v", v, err)
		}
	}
	v, err := a.rights.person(t.Context(), "eve@example.com")
	if err != nil || slices.Contains(v.Principals, core.User("boss@example.com")) {
		t.Errorf("eve holds %v, %v", v.Principals, err)
	}
	if o := u.in(a, "access", "why", "wiki/mine", "--as", "ANN@EXAMPLE.COM"); !strings.HasPrefix(o.out, "Found") {
		t.Errorf("%+v", o)
	}
}

// An account that is described as before costs no write.
func TestAccountsAreWrittenWhenTheyChange(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	u.t = t
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	a.store.Now = func() time.Time { return now }
	account := core.Account{Platform: "slack", Team: "T1", ID: "U1", Name: "Ann", Class: core.AccountMember, Email: "ann@example.com", Verified: true}
	seen := func(edit func(*core.Account)) time.Time {
		t.Helper()
		edit(&account)
		if _, err := (people{a.rights}).Viewer(t.Context(), account); err != nil {
			t.Fatal(err)
		}
		got, err := a.store.Account(t.Context(), "slack", "T1", "U1")
		if err != nil {
			t.Fatal(err)
		}
		return got.Seen
	}
	first := seen(func(*core.Account) {})
	now = now.Add(seenEvery - time.Second)
	if got := seen(func(a *core.Account) { a.Email = " ANN@example.com" }); !got.Equal(first) {
		t.Errorf("written within the hour: %v", got)
	}
	if got := seen(func(a *core.Account) { a.Name = "Anna" }); !got.Equal(now) {
		t.Errorf("another name: %v", got)
	}
	if got := seen(func(a *core.Account) { a.Verified = false }); !got.Equal(now) {
		t.Errorf("not confirmed any more: %v", got)
	}
	now = now.Add(seenEvery)
	if got := seen(func(*core.Account) {}); !got.Equal(now) {
		t.Errorf("after an hour: %v", got)
	}
}

// Somebody in very many groups is still somebody.
func TestManyGroups(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	var groups []core.GroupMembers
	for i := range 20_000 {
		groups = append(groups, core.GroupMembers{Source: "wiki", Name: fmt.Sprint("g", i), Users: []string{"max@example.com"}})
	}
	if err := a.store.ReplaceGroups(t.Context(), "wiki", groups, a.store.Now()); err != nil {
		t.Fatal(err)
	}
	fill(t, a, core.Source{Name: "big"}, entry("last", core.Group("wiki", "g19999")))
	start := time.Now()
	v := u.why(a, "big/last", "--as", "max@example.com")
	t.Logf("access why for a person in 20,000 groups took %v", time.Since(start))
	if !v.Found || v.Name != "group:wiki/g19999" {
		t.Errorf("%+v", v)
	}
	u.in(a, "ask", "Text of last", "--as", "max@example.com")
}

func TestAuditCommand(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	e := core.AuditEntry{Action: core.AuditAnswer, Actor: "ann@example.com", Place: "slack:T1/C1", Class: "public_channel", TurnID: "t1",
		Documents: []string{"wiki/a", "wiki/b", "wiki/c", "wiki/d"}, At: time.Date(2027, 5, 31, 12, 0, 0, 0, time.Local)}
	if err := a.store.Audit(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	lines := func(args ...string) (out []core.AuditEntry) {
		t.Helper()
		o := u.in(a, append([]string{"audit", "--json"}, args...)...)
		for line := range strings.Lines(o.out) {
			var e core.AuditEntry
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
		if o.code != 0 {
			t.Errorf("%v: %+v", args, o)
		}
		return out
	}
	for args, want := range map[string]int{
		"--who ANN@example.com": 1, "--document wiki/d": 1, "--turn t1": 1, "--turn t2": 0, "--action answer": 1, "--action share": 0,
		"--since 2027-05-31 --until 2027-05-31 --action answer": 1, "--until 2027-05-30 --action answer": 0, "--since 2027-06-01 --action answer": 0,
		"--place slack:T1/C1 --limit 1": 1,
	} {
		if got := lines(strings.Fields(args)...); len(got) != want {
			t.Errorf("%s: %d entries", args, len(got))
		}
	}
	if o := u.in(a, "audit", "--action", "answer"); !strings.Contains(o.out, "wiki/a, wiki/b, wiki/c and 1 more") {
		t.Errorf("%+v", o)
	}
	if got := lines("--action", "export"); len(got) != 11 || got[len(got)-1].Detail["entries"] == "" {
		t.Errorf("that the audit was read stands there %d times", len(got))
	}
	for args, want := range map[string]string{"--since yesterday": "--since", "--until x": "--until", "--action anwser": "--action", "--limit -1": "--limit"} {
		if o := u.in(a, append([]string{"audit"}, strings.Fields(args)...)...); o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
}

func TestSourceShowAndMaxAge(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(library())
	u.must("source", "add", "files", "docs", "--name", "docs", "--show", "number", "--access-max-age", "48h")
	var v sourceView
	if err := json.Unmarshal([]byte(u.must("source", "show", "docs", "--json")), &v); err != nil || v.Show != "number" || v.MaxAge != "48h0m0s" {
		t.Errorf("%+v, %v", v, err)
	}
	if out := u.must("source", "show", "docs"); !strings.Contains(out, "shown at most as: number") || !strings.Contains(out, "trusted for: 48h0m0s") {
		t.Errorf("%s", out)
	}
	u.must("sync")
	if a := u.ask("ask", "Where do visitors park?"); strings.Contains(a.Text, "](") || len(a.Citations) > 0 && (a.Citations[0].Title != "" || a.Citations[0].URL != "") {
		t.Errorf("links and titles are held back: %+v", a)
	}
	for args, want := range map[string]string{"--show link,number": "--show", "--access-max-age 169h": "--access-max-age", "--access-max-age -1h": "--access-max-age"} {
		if o := u.run(append([]string{"source", "add", "files", "docs", "--name", "x"}, strings.Fields(args)...)...); o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
	if out := u.must("audit", "--action", "config"); !strings.Contains(out, "source docs") {
		t.Errorf("audit: %s", out)
	}
}

// What footnote.yaml says of people and places wrongly is named with its key.
func TestRightsMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"groups: [{name: a, members: [nobody]}]":                                            "groups[0]",
		"groups: [{name: a}, {name: a}]":                                                    "groups[1]",
		"groups: [{name: 'A b'}]":                                                           "groups[0]",
		"collections: [{name: a}]":                                                          "collections[0]",
		"collections: [{name: a, folders: [x]}]":                                            "SOURCE/FOLDER",
		"places: [{id: C1}]":                                                                "places[0]",
		"places: [{id: 'slack:T1/C1', mode: loud}]":                                         "mode",
		"places: [{id: 'slack:T1/C1'}, {id: 'slack:T1/C1'}]":                                "listed before",
		"places: [{id: 'slack:T1/C1', colections: [a]}]":                                    "collections",
		"grants: [{place: C1, collection: a}]":                                              "grants[0]",
		"grants: [{place: 'slack:T1/C1'}]":                                                  "grants[0]",
		"canned: [{name: a, answer: x}]":                                                    "canned[0]",
		"canned: [{name: a, any: [x]}]":                                                     "answer",
		"canned: [{name: a, any: [x], answer: y, expires: soon}]":                           "2027-03-31",
		"sources: [{name: a, connector: files, config: {dir: .}, show: title}]":             "show",
		"sources: [{name: a, connector: files, config: {dir: .}, access_max_age: 200h}]":    "access_max_age",
		"sources: [{name: a, connector: files, config: {dir: .}, access: 'group:nowhere'}]": "access",
		"slack: [{name: a, bot_token: xoxb-1, app_token: xapp-1}, {name: a, bot_token: xoxb-2, app_token: xapp-2}]": "slack[1]",
	} {
		u := newUser(t)
		u.write(map[string]string{"footnote.yaml": yaml + "\n"})
		if o := u.run("access", "check"); o.code != exitConfig || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", yaml, o)
		}
	}
}

func TestCannedOfTheFile(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"footnote.yaml": `canned:
  - {name: vpn, any: [vpn], answer: Ask Bob., expires: "2027-03-31"}
  - {name: faq, all: [faq], answer: See the page., places: ["slack:T1/C1"]}
`})
	a := u.opened()
	for place, want := range map[string]int{"slack:T1/C1": 2, "slack:t1/c1": 2, "slack:T1/C2": 1} {
		s, err := placesOf{a.rights}.Settings(t.Context(), place)
		if err != nil || len(s.Canned) != want || s.Canned[0].Listed || !s.Canned[0].Expires.Equal(time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)) || want == 2 && !s.Canned[1].Listed {
			t.Errorf("%s: %+v, %v", place, s.Canned, err)
		}
	}
}
