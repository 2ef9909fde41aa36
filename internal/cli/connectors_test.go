package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins"
)

// deskUser is an open data folder with the test connector as source desk.
type deskUser struct {
	*user
	*app
	world string
	src   core.Source
}

func withDesk(t *testing.T, w deskWorld, env ...string) *deskUser {
	t.Helper()
	u := newUser(t)
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		u.env[name] = value
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &deskUser{user: u, world: filepath.Join(t.TempDir(), "world.json")}
	d.says(w)
	if d.app, err = openApp(t.Context(), mustConfig(t, u), exe, discard(), func(a *app) { a.limit = patience }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.app.close(); err != nil {
			t.Error(err)
		}
	})
	d.app.host = plugins.NewHost(plugins.Options{
		Executable: exe, Dir: filepath.Join(d.cfg.DataDir, sourcesDir), Log: discard(), Now: func() time.Time { return d.store.Now() },
		SearchTimeout: patience, CensorTimeout: patience,
	})
	raw, err := json.Marshal(map[string]string{"world": d.world})
	if err != nil {
		t.Fatal(err)
	}
	d.src = core.Source{Name: "desk", Connector: deskConnector, Config: raw, Origin: core.FromCommand}
	if err := d.store.PutSource(t.Context(), d.src); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *deskUser) says(w deskWorld) {
	d.t.Helper()
	raw, err := json.Marshal(w)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.world, raw, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *deskUser) sync(f syncFlags) error {
	d.t.Helper()
	_, err := d.invocation(nil, &bytes.Buffer{}, &bytes.Buffer{}).syncOne(d.t.Context(), d.app, d.src, f)
	return err
}

// waitForLive sets how long a search waits for the source's own.
func (d *deskUser) waitForLive(limit time.Duration) {
	d.finder.Close()
	o := d.finding(0)
	o.LivePatience = limit
	d.finder = find.New(o)
}

func (d *deskUser) mustSync(f syncFlags) {
	d.t.Helper()
	if err := d.sync(f); err != nil {
		d.t.Fatal(err)
	}
}

// finds is what the person finds, and which sources did not answer.
func (d *deskUser) finds(email, text string) (ids, missed []string) {
	d.t.Helper()
	viewer, err := d.rights.person(d.t.Context(), email)
	if err != nil {
		d.t.Fatal(err)
	}
	found, err := d.finder.Search(d.t.Context(), find.Query{
		Queries: []string{text}, Filter: core.Filter{Principals: viewer.Principals}, Viewer: &viewer, Live: true,
		Missed: func(source string) { missed = append(missed, source) },
	})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, r := range found {
		ids = append(ids, r.Document.ID)
	}
	slices.Sort(ids)
	return ids, missed
}

func (d *deskUser) wantFinds(what, email, text string, want ...string) {
	d.t.Helper()
	if ids, _ := d.finds(email, text); !slices.Equal(ids, want) {
		d.t.Fatalf("%s: %s finds %v, want %v", what, email, ids, want)
	}
}

func pay() deskWorld {
	return deskWorld{
		Documents: []deskDocument{{ID: "pay", Title: "Pay", Text: "The salary table of the harbour crew.", Groups: []string{"hr"}},
			{ID: "lunch", Title: "Lunch", Text: "The salary of the cook is a good lunch.", Public: true}},
		Groups: []sdk.Group{{Name: "hr", Users: []string{"ann@example.com", "bob@example.com"}}},
	}
}

// A restricted document disappears for a user within one pass after the group
// change, and an account that is not told closes it after the limit.
func TestGroupsOfAConnector(t *testing.T) {
	t.Parallel()
	w := pay()
	d := withDesk(t, w)
	clock := time.Now()
	d.store.Now = func() time.Time { return clock }
	d.mustSync(syncFlags{})
	d.wantFinds("at first", "ann@example.com", "salary table", "desk/lunch", "desk/pay")
	d.wantFinds("at first", "eve@example.com", "salary table", "desk/lunch")
	w.Groups[0].Users = []string{"bob@example.com"}
	d.says(w)
	d.mustSync(syncFlags{access: true})
	d.wantFinds("after one pass", "ann@example.com", "salary table", "desk/lunch")
	d.wantFinds("after one pass", "bob@example.com", "salary table", "desk/lunch", "desk/pay")
	w.NoGrants = true
	d.says(w)
	if err := d.sync(syncFlags{}); core.KindOf(err) != core.KindDenied {
		t.Fatalf("the sync says %v", err)
	}
	clock = clock.Add(23 * time.Hour)
	_ = d.sync(syncFlags{}) // fails just as before
	d.wantFinds("within the limit", "bob@example.com", "salary table", "desk/lunch", "desk/pay")
	clock = clock.Add(2 * time.Hour)
	d.wantFinds("after the limit", "bob@example.com", "salary table", "desk/lunch")
	// Somebody mends it half-way: the process may run, and nothing was told yet.
	w.NoGrants = false
	d.says(w)
	if err := d.host.Unpark(t.Context(), "desk"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.store.SaveRun(t.Context(), core.SyncRun{Source: "desk", Reason: core.SyncPoll, Started: clock, Finished: clock}); err != nil {
		t.Fatal(err)
	}
	if k := d.checkSource(t.Context(), d.src); k.Outcome != failed || !strings.Contains(k.Detail, "are closed") {
		t.Fatalf("check %+v", k)
	}
	d.mustSync(syncFlags{access: true})
	d.wantFinds("told again", "bob@example.com", "salary table", "desk/lunch", "desk/pay")
	w.NoGrants = true
	d.says(w)
	if err := d.sync(syncFlags{access: true}); core.KindOf(err) != core.KindDenied {
		t.Fatal(err)
	}
	states := d.states(t.Context())
	if states["desk"].State != plugins.StateParked {
		t.Fatalf("state %+v", states["desk"])
	}
	if k, resting := checkState(d.src, states["desk"]); !resting || k.Outcome != failed || !strings.Contains(k.Detail, "directory is closed") {
		t.Fatalf("check %+v", k)
	}
}

// A process that dies in mid-account loses nothing that was told, and takes
// nothing away either.
func TestConnectorDiesWhileItTellsGroups(t *testing.T) {
	t.Parallel()
	w := pay()
	w.Groups = []sdk.Group{{Name: "a"}, {Name: "b"}, {Name: "hr", Users: []string{"ann@example.com"}}}
	d := withDesk(t, w)
	d.mustSync(syncFlags{})
	w.Groups[0].Users, w.DieAfter = []string{"eve@example.com"}, 1
	d.says(w)
	ended := make(chan error, 1)
	go func() { ended <- d.sync(syncFlags{access: true}) }()
	eves := []core.Principal{core.Group("desk", "a")}
	eventually(t, "the first group is taken in", func() bool {
		m, err := d.store.Memberships(t.Context(), []string{"eve@example.com"}, d.store.Now())
		return err == nil && slices.Equal(m.Groups, eves)
	})
	if err := os.WriteFile(d.world+dieNow, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; core.KindOf(err) != core.KindUnavailable {
		t.Fatalf("a death in mid-account: %v", err)
	}
	// While the source rests its censor cannot be asked, and nothing of it is shown.
	d.wantFinds("at rest", "ann@example.com", "salary table")
	if err := d.host.Unpark(t.Context(), "desk"); err != nil {
		t.Fatal(err)
	}
	d.wantFinds("afterwards", "ann@example.com", "salary table", "desk/lunch", "desk/pay")
	m, err := d.store.Memberships(t.Context(), []string{"eve@example.com"}, d.store.Now())
	if err != nil || !slices.Equal(m.Groups, eves) {
		t.Fatalf("%+v, %v", m, err)
	}
	w.DieAfter = 0
	d.says(w)
	d.mustSync(syncFlags{access: true})
	d.wantFinds("told again", "ann@example.com", "salary table", "desk/lunch", "desk/pay")
}

func TestLiveSearchOfAConnector(t *testing.T) {
	t.Parallel()
	w := pay()
	w.Hits = []deskDocument{
		{ID: "ticket", Title: "Ticket", Text: "A crane is stuck", Users: []string{"ann@example.com"}},
		{ID: "pay", Text: "salary table", Public: true}, // it says so, the ledger knows better
	}
	d := withDesk(t, w)
	d.mustSync(syncFlags{})
	d.wantFinds("ann", "ann@example.com", "crane", "desk/pay", "desk/ticket")
	d.wantFinds("eve", "eve@example.com", "crane")
	w.Late = time.Hour
	d.says(w)
	d.waitForLive(50 * time.Millisecond)
	ids, missed := d.finds("ann@example.com", "salary table")
	if !slices.Equal(ids, []string{"desk/lunch", "desk/pay"}) || !slices.Equal(missed, []string{"desk"}) {
		t.Fatalf("%v, missed %v", ids, missed)
	}
	d.waitForLive(patience)
	w.Late, w.NoSearch = 0, true
	d.says(w)
	if ids, missed = d.finds("ann@example.com", "salary table"); len(ids) != 2 || len(missed) != 1 {
		t.Fatalf("%v, missed %v", ids, missed)
	}
	// It did not answer twice: for a while it is not asked, though it would answer.
	w.NoSearch = false
	d.says(w)
	if ids, missed = d.finds("ann@example.com", "salary table"); len(missed) != 1 {
		t.Fatalf("%v, missed %v", ids, missed)
	}
}

func TestCensorOfAConnector(t *testing.T) {
	t.Parallel()
	w := pay()
	w.Drop = []string{"lunch"}
	d := withDesk(t, w)
	d.mustSync(syncFlags{})
	d.wantFinds("censored", "ann@example.com", "salary", "desk/pay")
	w.NoCensor = true
	d.says(w)
	d.wantFinds("a censor that fails", "ann@example.com", "salary")
	// What a connector can do outlives the process; one that does not start drops all.
	w.NoCensor, w.Drop = false, nil
	d.says(w)
	d.wantFinds("no objection", "ann@example.com", "salary", "desk/lunch", "desk/pay")
	if err := d.host.Close(); err != nil {
		t.Fatal(err)
	}
	d.app.host = plugins.NewHost(plugins.Options{Executable: filepath.Join(d.dir, "gone"), Dir: d.dir, Log: discard()})
	d.sources.known = map[string]abilities{}
	d.wantFinds("no process", "ann@example.com", "salary")
}

// A source that was never opened here is asked once what it can do.
func TestAbilitiesAreFoundOutOnce(t *testing.T) {
	t.Parallel()
	d := withDesk(t, pay())
	if _, has := d.sources.CensorOf("desk"); !has {
		t.Fatal("the censor was not found")
	}
	note, err := d.store.Note(t.Context(), abilitiesKey("desk"))
	if err != nil || !strings.Contains(note, `"censor"`) {
		t.Fatalf("%q, %v", note, err)
	}
	other := d.src
	other.Name, other.Connector = "other", "nowhere"
	if err := d.store.PutSource(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if censor, has := d.sources.CensorOf("other"); !has {
		t.Fatal("a source that cannot be asked has no censor")
	} else if _, err := censor.Censor(t.Context(), core.Viewer{}, nil); err == nil {
		t.Fatal("its passages are let through")
	}
}
