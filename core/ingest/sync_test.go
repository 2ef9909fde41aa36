package ingest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

var public = []core.Principal{core.Public}

func TestThousandDocumentsAndNothingTwice(t *testing.T) {
	w := newWorld(t)
	all := pages(1000)
	c := &script{changes: all, checkpointEvery: 100, listing: ids(all)}
	first := w.run(c, ingest.SyncOptions{})
	w.diff("first run", core.SyncCounts{Seen: 1000, Changed: 1000, Extracted: 1000, Written: 1000}, first.SyncCounts)
	w.agree()

	extracted, put := w.words.calls.Load(), w.index.puts
	w.diff("poll", core.SyncCounts{}, w.run(c, ingest.SyncOptions{}).SyncCounts)
	w.diff("full", core.SyncCounts{Seen: 1000, Unchanged: 1000}, w.run(c, ingest.SyncOptions{Full: true}).SyncCounts)
	if w.words.calls.Load() != extracted || w.index.puts != put {
		t.Fatal("unchanged documents were extracted or indexed again")
	}
	w.diff("reasons", []core.SyncReason{core.SyncFirst, core.SyncPoll, core.SyncRebuild}, c.reasons)
	st := w.status()
	if st.Documents != 1000 || st.LastRun.Counts.Unchanged != 1000 || st.Checkpoint.IsZero() {
		t.Fatalf("status %+v", st)
	}
}

func TestAccessChangeRewritesNoText(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{upsert("a", "alpha", core.Public), upsert("b", "beta", core.Public)}}, ingest.SyncOptions{})
	extracted, put := w.words.calls.Load(), w.index.puts
	report := w.run(&script{changes: []core.Change{upsert("a", "alpha", core.User("ana@example.com")), upsert("b", "beta", core.Public)}},
		ingest.SyncOptions{Full: true})
	w.diff("counts", core.SyncCounts{Seen: 2, AccessChanged: 1, Unchanged: 1}, report.SyncCounts)
	if w.words.calls.Load() != extracted || w.index.puts != put {
		t.Fatal("a change of access extracted or indexed text")
	}
	w.diff("public sees", map[string]string{"b": "beta"}, w.texts())
	w.diff("ana sees", map[string]string{"a": "alpha", "b": "beta"}, w.texts(core.User("ana@example.com")))
	w.agree()
}

// Losing access must not wait for slow or broken content.
func TestAccessIsLostBeforeContentIsRead(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{upsert("a", "alpha", core.Public)}}, ingest.SyncOptions{})
	report := w.run(&script{changes: []core.Change{upsert("a", "bad", core.Workspace)}}, ingest.SyncOptions{Full: true})
	if report.Failed != 1 {
		t.Fatalf("report %+v", report)
	}
	w.diff("public sees", map[string]string{}, w.texts())
	w.diff("members see", map[string]string{"a": "alpha"}, w.texts(core.Workspace))
	w.agree()
}

// What the source says of a document counts although its content cannot be had.
func TestAccessIsLostWithoutContent(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{upsert("a", "alpha", core.Public)}}, ingest.SyncOptions{})
	unread := func(id string) core.Upsert {
		u := upsert(id, "", core.Workspace)
		u.Failed = &core.Failure{ExternalID: id, Kind: core.KindTooLarge, Detail: "too large"}
		return u
	}
	report := w.run(&script{changes: []core.Change{unread("a"), unread("new")}}, ingest.SyncOptions{Full: true})
	w.diff("counts", core.SyncCounts{AccessChanged: 1, Failed: 2}, report.SyncCounts)
	w.diff("public sees", map[string]string{}, w.texts())
	w.diff("members see", map[string]string{"a": "alpha"}, w.texts(core.Workspace))
	if n := len(w.status().Failures); n != 2 {
		t.Fatalf("%d failures", n)
	}
	w.agree()
	w.run(&script{changes: []core.Change{unread("a"), upsert("a", "alpha", core.Public), unread("new")}}, ingest.SyncOptions{Full: true})
	w.diff("public sees the document again", map[string]string{"a": "alpha"}, w.texts())
	if n := len(w.status().Failures); n != 1 {
		t.Fatalf("%d failures", n)
	}
	w.agree()
}

func TestHostAccessFollowsTheSource(t *testing.T) {
	w := newWorld(t)
	host := upsert("a", "alpha")
	host.HostAccess = true
	c := &script{changes: []core.Change{host, upsert("b", "beta")}}
	w.run(c, ingest.SyncOptions{})
	w.diff("members see", map[string]string{"a": "alpha"}, w.texts(core.Workspace))

	w.src.Access = core.NewAccess(core.User("ana@example.com"))
	w.check(w.store.PutSource(t.Context(), w.src))
	w.diff("members see after the change", map[string]string{}, w.texts(core.Workspace))
	w.diff("ana sees", map[string]string{"a": "alpha"}, w.texts(core.User("ana@example.com")))
	w.run(&script{}, ingest.SyncOptions{})
	w.agree()
}

func TestLastVersionWins(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{
		upsert("a", "one", core.Public), upsert("b", "beta", core.Public), upsert("a", "two", core.Public),
		core.Removal{ExternalID: "b"}, upsert("c", "gone", core.Public), core.Removal{ExternalID: "c"}, upsert("c", "back", core.Public),
	}}, ingest.SyncOptions{})
	w.diff("texts", map[string]string{"a": "two", "c": "back"}, w.texts())
	w.agree()
}

func TestFailures(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{upsert("a", "alpha", core.Public)}}, ingest.SyncOptions{})
	c := &script{changes: []core.Change{
		upsert("a", "bad now", core.Public), upsert("b", "boom", core.Public), upsert("", "nameless", core.Public),
		core.Failure{ExternalID: "x", Title: "X", Kind: core.KindDenied, Detail: "no"}, upsert("c", "fine", core.Public),
	}}
	if report := w.run(c, ingest.SyncOptions{Full: true}); report.Failed != 4 || report.Written != 1 {
		t.Fatalf("report %+v", report)
	}
	w.diff("texts", map[string]string{"a": "alpha", "c": "fine"}, w.texts())
	kinds := map[string]core.Kind{}
	for _, f := range w.status().Failures {
		kinds[f.ExternalID] = f.Kind
	}
	w.diff("failures", map[string]core.Kind{"": core.KindInvalid, "a": core.KindInvalid, "b": core.KindInternal, "x": core.KindDenied}, kinds)

	calls := w.words.calls.Load()
	w.store.PutSource(t.Context(), core.Source{Name: "wiki", Connector: "script", Config: []byte(`{"n":1}`), Access: w.src.Access})
	w.run(c, ingest.SyncOptions{}) // everything comes again, and the known failures are passed over
	if w.words.calls.Load() != calls {
		t.Fatal("a known failure was tried again without being asked")
	}
	w.run(c, ingest.SyncOptions{Full: true})
	if w.words.calls.Load() != calls+2 {
		t.Fatal("a full sync did not try known failures again")
	}
	w.run(&script{changes: []core.Change{upsert("a", "alpha", core.Public), upsert("x", "x", core.Public)}, listing: []string{"a", "c", "x"}},
		ingest.SyncOptions{Full: true})
	if left := w.status().Failures; len(left) != 0 {
		t.Fatalf("failures outlived their documents: %+v", left)
	}
	w.agree()
}

func TestFiles(t *testing.T) {
	w := newWorld(t)
	doc := upsert("a", "body", core.Public)
	doc.Document.Files = []core.FileRef{{Ref: "good.txt", Name: "good.txt"}, {Ref: "lost.txt", Name: "lost.txt"}}
	c := &script{changes: []core.Change{doc}, files: map[string]string{"good.txt": "inside"}}
	report := w.run(c, ingest.SyncOptions{})
	if report.Written != 1 || report.Failed != 1 {
		t.Fatalf("report %+v", report)
	}
	if text := w.texts()["a"]; !strings.Contains(text, "body") || !strings.Contains(text, "inside") {
		t.Fatalf("text %q", text)
	}
	w.agree()
}

// A source that is down must not have its documents passed over for good.
func TestUnavailableFileEndsTheSyncThreeTimesOnly(t *testing.T) {
	w := newWorld(t)
	doc := core.Upsert{Document: core.Document{ExternalID: "f", Access: public, Files: []core.FileRef{{Ref: "f.txt", Name: "f.txt"}}}}
	c := &script{changes: []core.Change{upsert("a", "alpha", core.Public), doc},
		fetch: func(string) error { return core.Errorf(core.KindUnavailable, "down") }}
	w.fails(c, core.KindUnavailable)
	if !w.status().Checkpoint.IsZero() {
		t.Fatal("the cursor went past a document that could not be had")
	}
	w.diff("texts", map[string]string{"a": "alpha"}, w.texts())
	w.fails(c, core.KindUnavailable)
	if report := w.run(c, ingest.SyncOptions{}); report.Failed != 1 {
		t.Fatalf("report %+v", report)
	}
	c.fetch, c.files = nil, map[string]string{"f.txt": "here"}
	w.forgetCursor() // so that the document comes again
	w.run(c, ingest.SyncOptions{})
	w.diff("texts", map[string]string{"a": "alpha", "f": "here"}, w.texts())
}

// What the machine could not do is tried three times in one sync, and then parked
// until somebody asks for it.
func TestFailuresOfTheMachineAreTriedAgain(t *testing.T) {
	w := newWorld(t)
	c := &script{changes: []core.Change{upsert("a", "killed", core.Public), upsert("b", "fine", core.Public)}}
	report := w.run(c, ingest.SyncOptions{})
	if report.Failed != 1 || report.Written != 1 || w.words.calls.Load() != 4 {
		t.Fatalf("report %+v after %d calls", report, w.words.calls.Load())
	}
	if f := w.status().Failures; len(f) != 1 || f[0].Tries != 3 || !f[0].Parked {
		t.Fatalf("failures %+v", f)
	}
	for range 3 {
		w.forgetCursor()
		w.run(c, ingest.SyncOptions{})
	}
	if got := w.words.calls.Load(); got != 4 {
		t.Fatalf("a parked document was tried %d times more", got-4)
	}
	w.run(c, ingest.SyncOptions{Full: true})
	if got := w.words.calls.Load(); got == 4 {
		t.Fatal("it was not tried when it was asked for")
	}
	w.agree()
}

func TestDeletions(t *testing.T) {
	w := newWorld(t)
	all := pages(40)
	c := &script{changes: all, listing: ids(all)}
	w.run(c, ingest.SyncOptions{})

	c.listing, c.listEnd = ids(all[:39]), errors.New("cut off")
	w.fails(c, core.KindInternal)
	if n := w.status().Documents; n != 40 {
		t.Fatalf("an interrupted listing removed documents: %d left", n)
	}
	c.listEnd = nil
	if report := w.run(c, ingest.SyncOptions{}); report.Removed != 1 || report.Held != 0 {
		t.Fatalf("report %+v", report)
	}
	c.listing = ids(all[:20])
	if report := w.run(c, ingest.SyncOptions{}); report.Removed != 0 || report.Held != 19 {
		t.Fatalf("report %+v", report)
	}
	if st := w.status(); st.Held != 19 || st.Documents != 39 {
		t.Fatalf("status %+v", st)
	}
	c.listing = []string{}
	if report := w.run(c, ingest.SyncOptions{}); report.Held != 39 {
		t.Fatalf("report %+v", report)
	}
	c.listing = ids(all[:20])
	if report := w.run(c, ingest.SyncOptions{AcceptDeletes: true}); report.Removed != 19 || report.Held != 0 {
		t.Fatalf("report %+v", report)
	}
	if st := w.status(); st.Held != 0 || st.Documents != 20 {
		t.Fatalf("status %+v", st)
	}
	w.agree()
}

// Without a listing a rebuild that came to its end serves as one.
func TestRebuildRemoves(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: pages(10)}, ingest.SyncOptions{})
	broken := &script{changes: pages(8), end: core.Errorf(core.KindBusy, "later")}
	if _, err := w.sync.Sync(t.Context(), w.src, broken, ingest.SyncOptions{Full: true}); core.KindOf(err) != core.KindBusy {
		t.Fatal(err)
	}
	if n := w.status().Documents; n != 10 {
		t.Fatalf("an interrupted rebuild removed documents: %d left", n)
	}
	if report := w.run(&script{changes: pages(8)}, ingest.SyncOptions{Full: true}); report.Removed != 2 {
		t.Fatalf("report %+v", report)
	}
	w.agree()
}

func TestErrorOfTheConnectorKeepsWhatCame(t *testing.T) {
	w := newWorld(t)
	report := w.fails(&script{changes: pages(100), end: core.Errorf(core.KindAuth, "sign in again")}, core.KindAuth)
	if report.Written != 100 {
		t.Fatalf("report %+v", report)
	}
	if run := w.status().LastRun; run.ErrorKind != core.KindAuth || run.Error != "sign in again" || run.Finished.IsZero() {
		t.Fatalf("run %+v", run)
	}
	w.agree()
}

// stuck sends some pages and then waits for its context.
type stuck struct{ script }

func (c *stuck) Sync(ctx context.Context, _ core.Cursor, _ core.SyncReason, each func(core.Change) error) error {
	for _, ch := range c.changes {
		if err := each(ch); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil // a connector that takes the end for a good one
}

func TestCancelKeepsWhatIsCommitted(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: pages(3)}, ingest.SyncOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stopped time.Time
	c := &stuck{script{changes: pages(128)}}
	_, err := w.sync.Sync(ctx, w.src, c, ingest.SyncOptions{Full: true, Progress: func(p ingest.Progress) {
		if p.Seen == 128 {
			stopped = time.Now()
			cancel()
		}
	}})
	if core.KindOf(err) != core.KindCancelled || time.Since(stopped) > 8*time.Second {
		t.Fatalf("%v after %v", err, time.Since(stopped))
	}
	if st := w.status(); st.Documents != 128 || st.LastRun.ErrorKind != core.KindCancelled {
		t.Fatalf("status %+v", st)
	}
	w.check(w.sync.Reconcile(t.Context()))
	w.agree()
}

// A change does not wait for the batch to fill up.
func TestSlowConnector(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := w.sync.Sync(ctx, w.src, &stuck{script{changes: pages(1)}}, ingest.SyncOptions{Progress: func(ingest.Progress) { cancel() }})
	if core.KindOf(err) != core.KindCancelled || w.status().Documents != 1 {
		t.Fatalf("%v, %d documents", err, w.status().Documents)
	}
}

func TestOneSyncOfASourceAtATime(t *testing.T) {
	w := newWorld(t)
	var second error
	w.run(&script{changes: pages(1)}, ingest.SyncOptions{Progress: func(ingest.Progress) {
		_, second = w.sync.Sync(t.Context(), w.src, &script{}, ingest.SyncOptions{})
	}})
	if core.KindOf(second) != core.KindConflict {
		t.Fatalf("got %v", second)
	}
	_, err := w.sync.Sync(t.Context(), core.Source{Name: "nowhere"}, &script{}, ingest.SyncOptions{})
	if core.KindOf(err) != core.KindNotFound {
		t.Fatalf("got %v", err)
	}
}

func TestReadsDuringASync(t *testing.T) {
	w := newWorld(t)
	done := make(chan error)
	go func() {
		_, err := w.sync.Sync(t.Context(), w.src, &script{changes: pages(500), checkpointEvery: 10}, ingest.SyncOptions{})
		done <- err
	}()
	for {
		select {
		case err := <-done:
			w.check(err)
			w.agree()
			return
		default:
			for id, text := range w.texts() {
				if !strings.HasPrefix(text, "Text of page") {
					t.Fatalf("%s reads %q", id, text)
				}
			}
		}
	}
}
