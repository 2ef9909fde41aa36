package ingest_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

func TestWhoLeavesAGroupReadsNothingAfterOnePass(t *testing.T) {
	w, _ := newGranted(t)
	hr := core.Group("wiki", "hr")
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", hr)}}, account: []core.AccessChange{people("hr", "ann@x.org", "bob@x.org")}}
	w.granted(g, ingest.SyncOptions{})
	w.diff("ann before", alpha, w.reads("ann@x.org"))
	g.account = []core.AccessChange{people("hr", "bob@x.org")}
	report, err := w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})
	w.check(err)
	w.diff("counts", core.SyncCounts{Groups: 1}, report.SyncCounts)
	w.diff("ann after", nothing, w.reads("ann@x.org"))
	w.diff("bob after", alpha, w.reads("bob@x.org"))
	w.diff("it is no sync of documents", core.SyncFirst, w.status().LastRun.Reason)
	w.diff("but is remembered", core.SyncAccess, w.status().LastAccess.Reason)
}

// The group that is no more is one that a whole account does not name.
func TestGroupsThatAreNotNamedAreGone(t *testing.T) {
	w, _ := newGranted(t)
	docs := []core.Change{upsert("a", "alpha", core.Group("wiki", "hr"))}
	g := &granter{script: script{changes: docs}, account: []core.AccessChange{people("hr", "ann@x.org"), people("it", "ann@x.org")}}
	w.granted(g, ingest.SyncOptions{})
	g.account, g.cut = []core.AccessChange{people("it", "ann@x.org"), people("ops", "bob@x.org")}, 1
	if _, err := w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{}); core.KindOf(err) != core.KindUnavailable {
		t.Fatalf("an account that broke off is taken for whole: %v", err)
	}
	w.diff("after half an account", alpha, w.reads("ann@x.org"))
	g.cut = 0
	w.granted(g, ingest.SyncOptions{})
	w.diff("after a whole one", nothing, w.reads("ann@x.org"))
}

func TestAccessThatIsNotToldClosesAfterItsLimit(t *testing.T) {
	for name, docs := range map[string]core.Principal{"by group": core.Group("wiki", "hr"), "by name": core.User("ann@x.org")} {
		t.Run(name, func(t *testing.T) {
			w, clock := newGranted(t)
			g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", docs), upsert("p", "open", core.Public)}},
				account: []core.AccessChange{people("hr", "ann@x.org"), readers("a", docs), readers("p", core.Public)}}
			w.granted(g, ingest.SyncOptions{})
			g.failed = core.Errorf(core.KindDenied, "the directory is closed")
			both, open := map[string]string{"a": "alpha", "p": "open"}, map[string]string{"p": "open"}
			told := *clock
			for _, step := range []struct {
				after time.Duration
				want  map[string]string
			}{{0, both}, {23 * time.Hour, both}, {24*time.Hour + time.Minute, open}} {
				*clock = told.Add(step.after)
				if err := errorOf(w.sync.Sync(t.Context(), w.src, g, ingest.SyncOptions{})); core.KindOf(err) != core.KindDenied {
					t.Fatalf("the sync says %v", err)
				}
				w.diff(fmt.Sprint("after ", step.after), step.want, w.reads("ann@x.org"))
			}
			*clock = clock.Add(30 * time.Hour)
			g.failed = nil
			w.granted(g, ingest.SyncOptions{})
			w.diff("told again", both, w.reads("ann@x.org"))
		})
	}
}

// A source's own limit counts for its groups as well.
func TestGroupsAgeAsTheirSource(t *testing.T) {
	w, clock := newGranted(t)
	w.src.MaxAge = 3 * 24 * time.Hour
	w.check(w.store.PutSource(t.Context(), w.src))
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Group("wiki", "hr"))}}, account: []core.AccessChange{people("hr", "ann@x.org")}}
	w.granted(g, ingest.SyncOptions{})
	*clock = clock.Add(70 * time.Hour)
	w.diff("within three days", alpha, w.reads("ann@x.org"))
	w.src.MaxAge = time.Hour
	w.check(w.store.PutSource(t.Context(), w.src))
	w.diff("with a shorter limit", nothing, w.reads("ann@x.org"))
}

func TestReadersChangeWithoutTheirText(t *testing.T) {
	w, _ := newGranted(t)
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Workspace), upsert("b", "beta", core.Workspace)}},
		account: []core.AccessChange{readers("a", core.Workspace), readers("b", core.Workspace), readers("never seen", core.Public)}}
	w.granted(g, ingest.SyncOptions{})
	extracted, put := w.words.calls.Load(), w.index.puts
	g.account = []core.AccessChange{readers("a"), readers("b", core.Workspace), core.Readers{ExternalID: "b", HostAccess: true}}
	report := w.granted(g, ingest.SyncOptions{})
	w.diff("counts", core.SyncCounts{AccessChanged: 2}, report.SyncCounts)
	if w.words.calls.Load() != extracted || w.index.puts != put {
		t.Fatal("other readers made a text be read or indexed again")
	}
	w.diff("members read", map[string]string{"b": "beta"}, w.texts(core.Workspace))
	w.agree()
	// What Sync tells later counts, also where it is what it told before.
	g.account = []core.AccessChange{readers("b", core.Workspace)}
	g.script.changes = append(g.script.changes, upsert("a", "alpha", core.Workspace))
	w.granted(g, ingest.SyncOptions{})
	w.diff("members read", map[string]string{"a": "alpha", "b": "beta"}, w.texts(core.Workspace))
	w.agree()
}

// An account of all documents closes those that it leaves out; one of groups
// alone closes none.
func TestDocumentsThatAreLeftOut(t *testing.T) {
	w, _ := newGranted(t)
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Workspace), upsert("b", "beta", core.Workspace)}}}
	w.granted(g, ingest.SyncOptions{})
	w.granted(g, ingest.SyncOptions{})
	w.diff("groups only", map[string]string{"a": "alpha", "b": "beta"}, w.texts(core.Workspace))
	g.account = []core.AccessChange{readers("a", core.Workspace)}
	report := w.granted(g, ingest.SyncOptions{})
	w.diff("b was left out", alpha, w.texts(core.Workspace))
	w.diff("notes", 1, len(report.Notes))
	w.agree()
}

// A pass that broke off goes on from its checkpoint, and the account that it ends
// is of everything that any of its passes named.
func TestPassesGoOnFromTheirCheckpoint(t *testing.T) {
	w, _ := newGranted(t)
	hr := core.Group("wiki", "hr")
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", hr), upsert("b", "beta", hr)}},
		account: []core.AccessChange{people("old", "ann@x.org"), people("hr", "ann@x.org"), readers("a", hr), readers("b", hr)}}
	w.granted(g, ingest.SyncOptions{})
	full := ingest.SyncOptions{Full: true}
	g.account, g.checkpointEvery, g.cut = []core.AccessChange{people("hr", "ann@x.org"), readers("a", hr), readers("b"), people("it", "bob@x.org")}, 2, 3
	if _, err := w.sync.Grants(t.Context(), w.src, g, full); core.KindOf(err) != core.KindUnavailable {
		t.Fatal(err)
	}
	w.diff("what was told counts", alpha, w.reads("ann@x.org"))
	g.cut = 0
	w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
	w.diff("cursors", []string{"", "", "2"}, g.since)
	w.diff("nobody was forgotten", alpha, w.reads("ann@x.org"))
	m, err := w.store.Memberships(t.Context(), []string{"ann@x.org"}, w.store.Now())
	w.check(err)
	w.diff("the group that no pass named is gone", []core.Principal{hr}, append(m.Groups, m.Stale...))
	// From now on there is nothing new, which is an account as well.
	w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
	w.diff("nothing new", alpha, w.reads("ann@x.org"))
}

func errorOf(_ ingest.Report, err error) error { return err }

// Passes that tell only what changed keep all the rest fresh.
func TestNothingNewIsAnAccount(t *testing.T) {
	w, clock := newGranted(t)
	hr := core.Group("wiki", "hr")
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", hr)}}, checkpointEvery: 2,
		account: []core.AccessChange{people("hr", "ann@x.org"), readers("a", hr)}}
	w.granted(g, ingest.SyncOptions{})
	for range 4 {
		*clock = clock.Add(20 * time.Hour)
		w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
		w.diff("still known", alpha, w.reads("ann@x.org"))
	}
	w.diff("cursors", []string{"", "2", "2", "2", "2"}, g.since)
	// Other settings may mean other groups.
	w.forgetCursor()
	w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
	w.diff("from the beginning", "", g.since[len(g.since)-1])
}

func TestGroupsInGroups(t *testing.T) {
	w, _ := newGranted(t)
	ring := func(name, inner string, users ...string) core.GroupMembers {
		g := people(name, users...)
		g.Groups = []core.Principal{core.Group("wiki", inner)}
		return g
	}
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Group("wiki", "one"))}},
		account: []core.AccessChange{ring("one", "two"), ring("two", "three"), ring("three", "one", "ann@x.org"), ring("self", "self", "bob@x.org")}}
	w.granted(g, ingest.SyncOptions{})
	w.diff("around the circle", alpha, w.reads("ann@x.org"))
	w.diff("outside of it", nothing, w.reads("bob@x.org"))
	g.account = []core.AccessChange{ring("one", "two"), ring("two", "three"), ring("three", "one")}
	w.granted(g, ingest.SyncOptions{})
	w.diff("out of the circle", nothing, w.reads("ann@x.org"))
}

// Two sources have a group of one name; whatever one of them says, it changes
// only its own, also where it names the other in so many words.
func TestSourcesHaveTheirOwnGroups(t *testing.T) {
	w, _ := newGranted(t)
	crm := core.Source{Name: "crm", Connector: "script"}
	w.check(w.store.PutSource(t.Context(), crm))
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Group("wiki", "hr"))}}, account: []core.AccessChange{people("hr", "ann@x.org")}}
	w.granted(g, ingest.SyncOptions{})
	other := &granter{account: []core.AccessChange{people("hr", "eve@x.org"), core.Readers{ExternalID: "../wiki/a", Access: core.Access{core.Public}}}}
	w.check(errorOf(w.sync.Grants(t.Context(), crm, other, ingest.SyncOptions{})))
	w.diff("eve", nothing, w.reads("eve@x.org"))
	other.account = []core.AccessChange{core.GroupRemoval{Name: "hr"}}
	w.check(errorOf(w.sync.Grants(t.Context(), crm, other, ingest.SyncOptions{})))
	w.diff("ann", alpha, w.reads("ann@x.org"))
}

// Case does not count in principals: a second spelling would join two groups.
func TestTwoSpellingsOfAGroupAreRefused(t *testing.T) {
	w, _ := newGranted(t)
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Group("wiki", "hr"))}}, checkpointEvery: 1,
		account: []core.AccessChange{people("hr", "ann@x.org"), people("it", "bob@x.org")}}
	w.granted(g, ingest.SyncOptions{})
	for _, opts := range []ingest.SyncOptions{{}, {Full: true}} {
		g.account = []core.AccessChange{people("hr", "ann@x.org"), people("it", "bob@x.org"), people("HR", "eve@x.org")}
		if _, err := w.sync.Grants(t.Context(), w.src, g, opts); core.KindOf(err) != core.KindInvalid {
			t.Fatalf("two spellings: %v", err)
		}
		w.diff("eve", nothing, w.reads("eve@x.org"))
	}
	g.account = []core.AccessChange{people("HR", "ann@x.org")}
	w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{Full: true})))
	w.diff("renamed", alpha, w.reads("ann@x.org"))
}

func TestManyGroups(t *testing.T) {
	w, _ := newGranted(t)
	const many = 20_000
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Group("wiki", "team-19999"))}}}
	for i := range many {
		g.account = append(g.account, people(fmt.Sprintf("team-%d", i), fmt.Sprintf("user-%d@x.org", i), "all@x.org"))
	}
	started := time.Now()
	w.diff("groups", many, w.granted(g, ingest.SyncOptions{}).Groups)
	t.Logf("first account: %s", time.Since(started))
	w.diff("the last one", alpha, w.reads("user-19999@x.org"))
	g.account = g.account[:many-1]
	started = time.Now()
	w.diff("changed", 1, w.granted(g, ingest.SyncOptions{}).Groups)
	t.Logf("second account: %s", time.Since(started))
	w.diff("the last one", nothing, w.reads("user-19999@x.org"))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("heap: %d MB", m.HeapAlloc>>20)
}

// A slow account does not keep anybody's rights: what was told counts while the
// connector still has more to say.
func TestLossesDoNotWaitForTheRest(t *testing.T) {
	w, _ := newGranted(t)
	g := &granter{script: script{changes: []core.Change{upsert("a", "alpha", core.Workspace)}}, account: []core.AccessChange{readers("a", core.Workspace)}}
	w.granted(g, ingest.SyncOptions{})
	slow := &hanging{granter: g, hold: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- errorOf(w.sync.Grants(context.Background(), w.src, slow, ingest.SyncOptions{})) }()
	for deadline := time.Now().Add(10 * time.Second); len(w.texts(core.Workspace)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the loss waits for the end of the account")
		}
	}
	close(slow.hold)
	w.check(<-done)
}

// hanging takes the readers of a and then waits.
type hanging struct {
	*granter
	hold chan struct{}
}

func (h *hanging) Grants(_ context.Context, _ core.Cursor, each func(core.AccessChange) error) error {
	if err := each(readers("a")); err != nil {
		return err
	}
	<-h.hold
	return each(core.AccessWhole{AllDocuments: true})
}

// Cancelling ends a pass at once, and the follower with it.
func TestPassesCanBeStopped(t *testing.T) {
	w, _ := newGranted(t)
	ctx, cancel := context.WithCancel(t.Context())
	endless := &endless{granter: &granter{}, started: cancel}
	if _, err := w.sync.Grants(ctx, w.src, endless, ingest.SyncOptions{}); err == nil {
		t.Fatal("a pass that was stopped ended well")
	}
	w.diff("kind", core.KindCancelled, w.status().LastAccess.ErrorKind)
}

type endless struct {
	*granter
	started func()
}

func (e *endless) Grants(ctx context.Context, _ core.Cursor, each func(core.AccessChange) error) error {
	for i := 0; ; i++ {
		if err := each(people(fmt.Sprint("g", i), "ann@x.org")); err != nil {
			return err
		}
		if i == 10 {
			e.started()
		}
	}
}
