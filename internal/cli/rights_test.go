package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// opened is the user's data folder, open in this process until the test ends.
func (u *user) opened() *app {
	u.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		u.t.Fatal(err)
	}
	a, err := openApp(u.t.Context(), mustConfig(u.t, u), exe, discard(), func(a *app) { a.limit = patience })
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		if err := a.close(); err != nil {
			u.t.Error(err)
		}
	})
	return a
}

// in runs a command on the open folder.
func (u *user) in(a *app, args ...string) outcome {
	u.t.Helper()
	var out, errs bytes.Buffer
	inv := u.invocation(strings.NewReader(""), &out, &errs, args...)
	inv.held = a
	code := inv.run(u.t.Context())
	return outcome{code, out.String(), errs.String()}
}

func fill(t *testing.T, a *app, source core.Source, entries ...core.Entry) {
	t.Helper()
	source.Connector, source.Config, source.Origin = "files", json.RawMessage(`{"dir":"none"}`), core.FromCommand
	if err := a.store.PutSource(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	now := a.store.Now()
	for i := range entries {
		e := &entries[i]
		e.Document.Source, e.Document.ID = source.Name, core.DocumentID(source.Name, e.Document.ExternalID)
		e.Document.Title, e.Document.URL = "Title of "+e.Document.ExternalID, "https://example.com/"+e.Document.ExternalID
		e.Content = sha256.Sum256([]byte(e.Document.ExternalID))
		e.Passages = []core.Passage{{Text: "Text of " + e.Document.ExternalID}}
	}
	if err := a.store.Commit(t.Context(), core.Batch{Source: source.Name, Content: entries, AccessChecked: &now}); err != nil {
		t.Fatal(err)
	}
}

func entry(id string, access ...core.Principal) core.Entry {
	return core.Entry{Document: core.Document{ExternalID: id, Access: core.NewAccess(access...)}}
}

func tagged(e core.Entry, key, value string) core.Entry {
	e.Document.Meta = map[string]string{key: value}
	return e
}

const officeYAML = `
members: {domains: [example.com]}
groups:
  - {name: leads, members: [Ann@Example.com]}
  - {name: board, members: ["group:config/leads"]}
  - {name: ring-a, members: ["group:config/ring-b", eve@example.com]}
  - {name: ring-b, members: ["group:config/ring-a"]}
  - {name: self, members: ["group:config/self", ann@example.com]}
collections:
  - {name: faq, tags: [kind=faq]}
  - {name: wiki, sources: [wiki]}
grants:
  - {place: "slack:T1/C1", collection: faq}
  - {place: "slack:T1/C4", collection: faq}
places:
  - {id: "slack:T1/C2", collections: [faq]}
  - {id: "slack:T1/C3", intersection: true}
  - {id: "slack:T1/C6", collections: [gone]}
slack:
  - {name: team, bot_token: xoxb-1, app_token: xapp-1, home: true, sources: [chan]}
`

// office is an install with all kinds of readers, documents and places.
func office(t *testing.T) (*user, *app) {
	u := newUser(t)
	u.write(map[string]string{"footnote.yaml": officeYAML})
	a := u.opened()
	ann, bob := core.User("ann@example.com"), core.User("bob@example.com")
	hidden := entry("hidden", core.Public)
	hidden.Document.Hidden = true
	fill(t, a, core.Source{Name: "wiki"},
		entry("pub", core.Public), entry("team", core.Workspace), entry("mine", ann), entry("none"), hidden,
		entry("board", core.Group("config", "board")), entry("ring", core.Group("config", "ring-b")), entry("self", core.Group("config", "self")),
		entry("hr", core.Group("wiki", "hr")), entry("lost", core.Group("wiki", "nobody-told")),
		tagged(entry("faq", core.Group("wiki", "secret")), "kind", "faq"), entry("both", ann, bob), entry("t1", core.WorkspaceOf("T1")))
	fill(t, a, core.Source{Name: "quiet", Discretion: core.NumberOnly}, entry("pub", core.Public))
	fill(t, a, core.Source{Name: "mute", Discretion: core.NeverShown}, entry("pub", core.Public))
	fill(t, a, core.Source{Name: "chan"}, entry("talk", core.Group("chan", "C1")))
	if err := a.store.ReplaceGroups(t.Context(), "wiki", []core.GroupMembers{{Source: "wiki", Name: "hr", Users: []string{"ann@example.com"}}}, a.store.Now()); err != nil {
		t.Fatal(err)
	}
	if err := a.rights.setTeam(t.Context(), slackName, "team", "T1"); err != nil {
		t.Fatal(err)
	}
	for id, kind := range map[string]core.PlaceKind{
		"C1": core.PlacePublic, "C2": core.PlacePublic, "C3": core.PlacePrivate, "C4": core.PlaceConnect, "C5": core.PlaceGroup, "C6": core.PlacePublic, "C7": core.PlaceUnknown,
	} {
		note(t, a, "slack:T1/"+id, kind)
	}
	return u, a
}

func note(t *testing.T, a *app, id string, kind core.PlaceKind) {
	t.Helper()
	if _, err := (placesOf{a.rights}).Bound(t.Context(), core.Place{ID: id, Platform: "slack", Kind: kind, Name: "#" + id, Team: "T1", Home: true}); err != nil {
		t.Fatal(err)
	}
}

func (u *user) why(a *app, args ...string) whyView {
	u.t.Helper()
	o := u.in(a, append([]string{"access", "why", "--json"}, args...)...)
	var v whyView
	if err := json.Unmarshal([]byte(o.out), &v); err != nil || o.code != 0 {
		u.t.Fatalf("%v: %v, %+v", args, err, o)
	}
	return v
}

func TestAccessWhy(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	later := a.store.Now().Add(25 * time.Hour)
	for _, row := range []struct {
		name, doc, args string
		stale           bool
		found           bool
		clause, by      string
		through, shown  string
		says            string // in the text or a note
	}{
		{name: "public", doc: "wiki/pub", args: "--as eve@else.where", found: true, clause: "public", shown: "link", says: "anyone may read it"},
		{name: "workspace", doc: "wiki/team", args: "--as eve@example.com", found: true, clause: "principal", by: "workspace", shown: "link"},
		{name: "workspace, an outsider", doc: "wiki/team", args: "--as eve@else.where", clause: "not_held", says: "eve@else.where is no full member"},
		{name: "workspace of a team", doc: "wiki/t1", args: "--as ann@example.com", clause: "not_held", says: "needs workspace:t1"},
		{name: "workspace of a team, in it", doc: "wiki/t1", args: "--place slack:T1/C1", found: true, clause: "principal", by: "workspace:t1", shown: "link"},
		{name: "user", doc: "wiki/mine", args: "--as ANN@example.com", found: true, clause: "principal", by: "user:ann@example.com", shown: "link"},
		{name: "another user", doc: "wiki/mine", args: "--as bob@example.com", clause: "not_held", says: "needs user:ann@example.com"},
		{name: "another user's, in a channel", doc: "wiki/mine", args: "--as ann@example.com --place slack:T1/C1", clause: "not_held", says: "ann@example.com holds user:ann@example.com, but not every reader"},
		{name: "nobody", doc: "wiki/none", args: "--as ann@example.com", clause: "nobody", says: "nobody has access"},
		{name: "hidden", doc: "wiki/hidden", args: "--as ann@example.com", clause: "hidden", says: "hidden from search"},
		{name: "group", doc: "wiki/hr", args: "--as ann@example.com", found: true, clause: "principal", by: "group:wiki/hr", through: "group:wiki/hr", shown: "link"},
		{name: "nested groups", doc: "wiki/board", args: "--as ann@example.com", found: true, clause: "principal", by: "group:config/board", through: "group:config/leads group:config/board", shown: "link"},
		{name: "groups in a circle", doc: "wiki/ring", args: "--as eve@example.com", found: true, clause: "principal", by: "group:config/ring-b", through: "group:config/ring-a group:config/ring-b", shown: "link"},
		{name: "groups in a circle, not in it", doc: "wiki/ring", args: "--as bob@example.com", clause: "not_held"},
		{name: "a group that contains itself", doc: "wiki/self", args: "--as ann@example.com", found: true, clause: "principal", by: "group:config/self", through: "group:config/self", shown: "link"},
		{name: "a group that nobody told of", doc: "wiki/lost", args: "--as ann@example.com", clause: "not_held", says: "Nobody ever told who is in group:wiki/nobody-told"},
		{name: "grant", doc: "wiki/faq", args: "--as bob@example.com --place slack:T1/C1", found: true, clause: "grant", by: "faq", shown: "number", says: "granted to the place"},
		{name: "no grant in a DM", doc: "wiki/faq", args: "--as bob@example.com", clause: "not_held"},
		{name: "the channel's own", doc: "chan/talk", args: "--place slack:T1/C1", found: true, clause: "principal", by: "group:chan/c1", shown: "number"},
		{name: "another channel's", doc: "chan/talk", args: "--place slack:T1/C2", clause: "not_held"},
		{name: "narrowed by the place", doc: "wiki/pub", args: "--place slack:T1/C2", clause: "not_searched", by: "the place's collections", says: "outside of the place's collections"},
		{name: "narrowed to what does not exist", doc: "wiki/pub", args: "--place slack:T1/C6", clause: "not_searched", by: "the place's collections"},
		{name: "narrowed by the asker", doc: "quiet/pub", args: "--collection wiki", clause: "not_searched", by: "the collections, folders and attached documents asked for"},
		{name: "intersection", doc: "wiki/both", args: "--as ann@example.com --place slack:T1/C3 --reader bob@example.com", found: true, clause: "intersection", shown: "link"},
		{name: "not of all", doc: "wiki/both", args: "--as ann@example.com --place slack:T1/C3 --reader bob@example.com --reader eve@example.com", clause: "not_by_all"},
		{name: "intersection without members", doc: "wiki/both", args: "--as ann@example.com --place slack:T1/C3", clause: "not_held", says: "--reader"},
		{name: "group DM", doc: "wiki/both", args: "--as ann@example.com --place slack:T1/C5 --reader bob@example.com", found: true, clause: "intersection", shown: "link"},
		{name: "readers where they do not count", doc: "wiki/pub", args: "--place slack:T1/C1 --reader bob@example.com", found: true, clause: "public", shown: "link", says: "does not count there"},
		{name: "shared with outsiders", doc: "wiki/pub", args: "--place slack:T1/C4", clause: "silent", says: "nothing is answered in this place"},
		{name: "readers are not known", doc: "wiki/pub", args: "--place slack:T1/C7", found: true, clause: "public", shown: "nothing"},
		{name: "readers are not known, the team's", doc: "wiki/team", args: "--place slack:T1/C7", clause: "not_held"},
		{name: "number only", doc: "quiet/pub", args: "--as ann@example.com", found: true, clause: "public", shown: "number", says: "show: number"},
		{name: "never shown", doc: "mute/pub", args: "--as ann@example.com", found: true, clause: "public", shown: "nothing", says: "show: nothing"},
		{name: "stale access", doc: "wiki/mine", args: "--as ann@example.com", stale: true, clause: "nobody", says: "run footnote sync wiki"},
		{name: "stale access, of the workspace", doc: "wiki/team", args: "--as ann@example.com", stale: true, found: true, clause: "principal", by: "workspace", shown: "link"},
		{name: "stale group", doc: "wiki/hr", args: "--as ann@example.com", stale: true, clause: "nobody", says: "too old to count"},
		{name: "operator", doc: "wiki/team", found: true, clause: "principal", by: "workspace", shown: "link"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a.store.Now = time.Now
			if row.stale {
				a.store.Now = func() time.Time { return later }
			}
			v := u.why(a, append([]string{row.doc}, strings.Fields(row.args)...)...)
			if v.Found != row.found || v.Clause != row.clause || v.Name != row.by || v.Shown != row.shown || joinPrincipals(v.Through, " ") != row.through {
				t.Errorf("%+v", v)
			}
			if all := v.Text + strings.Join(v.Notes, "\n"); !strings.Contains(all, row.says) {
				t.Errorf("%q is missing in %q", row.says, all)
			}
			if o := u.in(a, append([]string{"access", "why", row.doc}, strings.Fields(row.args)...)...); o.code != 0 || !strings.HasPrefix(o.out, v.Text) {
				t.Errorf("as text: %+v", o)
			}
		})
	}
}

func TestAccessWhyMistakes(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	for _, row := range []struct {
		args string
		code int
		want string
	}{
		{"wiki/nope --as ann@example.com", exitNotFound, "wiki/nope"},
		{"wiki/pub --as ann", exitUsage, "--as"},
		{"wiki/pub --place slack:T1/C99", exitNotFound, "slack:T1/C99"},
		{"wiki/pub --place moon", exitUsage, `place: "moon"`},
		{"wiki/pub --collection secret-name", exitNotFound, "secret-name"},
		{"wiki/pub --place slack:T1/C5 --reader bob", exitUsage, "--reader"},
		{"", exitUsage, "document"},
	} {
		if o := u.in(a, append([]string{"access", "why"}, strings.Fields(row.args)...)...); o.code != row.code || !strings.Contains(o.err, row.want) {
			t.Errorf("%s: %+v", row.args, o)
		}
	}
	// A collection of which they may read nothing looks like one that does not exist.
	for _, name := range []string{"faq", "no-such"} {
		o := u.in(a, "access", "why", "wiki/pub", "--as", "bob@example.com", "--collection", name)
		if o.code != exitNotFound || !strings.Contains(o.err, fmt.Sprintf("there is no collection %q\n", name)) {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestAccessWho(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	for doc, want := range map[string][]string{
		"wiki/none":   {"nobody"},
		"wiki/hr":     {"group:wiki/hr (1 person)"},
		"wiki/lost":   {"not known: nobody is in it"},
		"wiki/board":  {"group:config/board (0 people, and those of group:config/leads)"},
		"wiki/faq":    {"every reader of slack:T1/C1 (by a grant)"},
		"wiki/hidden": {"public", "hidden from search"},
		"quiet/pub":   {"shown as number at most"},
	} {
		o := u.in(a, "access", "who", doc)
		for _, w := range want {
			if o.code != 0 || !strings.Contains(o.out, w) {
				t.Errorf("%s: %q is missing in %+v", doc, w, o)
			}
		}
	}
	later := a.store.Now().Add(25 * time.Hour)
	a.store.Now = func() time.Time { return later }
	if o := u.in(a, "access", "who", "wiki/mine"); !strings.HasPrefix(o.out, "nobody\nuser:ann@example.com (not now") {
		t.Errorf("stale: %+v", o)
	}
}
