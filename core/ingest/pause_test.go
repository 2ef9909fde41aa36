package ingest_test

import (
	"context"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// closed is a pause that was asked for before the sync began.
func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// A sync that is asked to make room stops at a checkpoint, and the next ones go on
// from there until all is done.
func TestPausesAtCheckpoints(t *testing.T) {
	w := newWorld(t)
	c := &script{changes: pages(1000), checkpointEvery: 100, listing: ids(pages(1000))}
	runs := 0
	for ; ; runs++ {
		report, err := w.sync.Sync(t.Context(), w.src, c, ingest.SyncOptions{Pause: closed()})
		if err == nil {
			break
		}
		if !ingest.Paused(err) || core.KindOf(err) != core.KindCancelled || report.Written == 0 {
			t.Fatalf("run %d: %v, %+v", runs, err, report)
		}
		if st := w.status(); st.Checkpoint.IsZero() || st.LastRun.ErrorKind != core.KindCancelled {
			t.Fatalf("a paused run counts as a whole one: %+v", st)
		}
		if runs > 20 {
			t.Fatal("it does not get on")
		}
	}
	if runs == 0 {
		t.Fatal("it did not stop")
	}
	w.agree()
	if n := w.status().Documents; n != 1000 {
		t.Fatalf("%d documents", n)
	}
	if got := w.words.calls.Load(); got > 1300 {
		t.Errorf("1000 documents were read %d times", got)
	}
}

// Listing can stand for itself: then a poll leaves what is gone to it.
func TestListingOnItsOwn(t *testing.T) {
	w := newWorld(t)
	c := &script{changes: pages(20), listing: ids(pages(20))}
	w.run(c, ingest.SyncOptions{})
	c.listing = c.listing[:15]
	if report := w.run(c, ingest.SyncOptions{NoList: true}); report.Removed != 0 || w.status().Documents != 20 {
		t.Fatalf("a poll listed all the same: %+v", report)
	}
	report, err := w.sync.List(t.Context(), w.src, c, ingest.SyncOptions{})
	w.check(err)
	if report.Removed != 5 || report.Reason != core.SyncList || w.status().Documents != 15 {
		t.Fatalf("report %+v", report)
	}
	w.agree()

	c.listing = []string{}
	report, err = w.sync.List(t.Context(), w.src, c, ingest.SyncOptions{})
	w.check(err)
	if st := w.status(); report.Held != 15 || st.Held != 15 || st.Documents != 15 {
		t.Fatalf("an empty listing was believed: %+v", report)
	}
	checked := w.status().AccessChecked
	if report = w.run(c, ingest.SyncOptions{NoList: true}); report.Held != 15 || !w.status().AccessChecked.Equal(checked) {
		t.Errorf("a poll that does not look takes held deletions for settled: %+v", report)
	}
	if st := w.status(); st.LastList == nil || st.LastList.Counts.Held != 15 || st.LastRun.Reason != core.SyncPoll {
		t.Errorf("runs %+v, %+v", st.LastList, st.LastRun)
	}
	report, err = w.sync.List(t.Context(), w.src, c, ingest.SyncOptions{AcceptDeletes: true})
	w.check(err)
	if report.Removed != 15 || w.status().Held != 0 {
		t.Errorf("report %+v", report)
	}
	_, err = w.sync.List(t.Context(), w.src, &script{}, ingest.SyncOptions{})
	if core.KindOf(err) != core.KindInvalid {
		t.Errorf("a connector that cannot list: %v", err)
	}
}

// What a running sync tells of itself was counted.
func TestRunningTells(t *testing.T) {
	w := newWorld(t)
	c := &script{changes: append(pages(300), core.Removal{ExternalID: "p0001"}), checkpointEvery: 50}
	var last ingest.Progress
	watch := func(p ingest.Progress) {
		last = p
		all := w.sync.Running()
		if len(all) != 1 || all[0].Source != "wiki" || all[0].Reason != core.SyncFirst || all[0].Started.IsZero() {
			t.Errorf("running: %+v", all)
		}
		if p.Pending != p.Fetched-p.Seen || p.Written > p.Fetched || p.Seen > p.Fetched {
			t.Errorf("progress does not add up: %+v", p)
		}
	}
	w.run(c, ingest.SyncOptions{Progress: watch})
	if last.Fetched != 300 || last.Pending != 0 || last.Seen != 300 || last.Checkpoint.IsZero() {
		t.Errorf("at the end: %+v", last)
	}
	if left := w.sync.Running(); len(left) != 0 {
		t.Errorf("still running: %+v", left)
	}
}

// A document that was taken away, or told of anew, is not brought back by a try of
// its older version.
func TestNothingOldIsTriedAgain(t *testing.T) {
	for name, later := range map[string]core.Change{
		"removed": core.Removal{ExternalID: "a"}, "changed": upsert("a", "new text", core.User("ann@example.com")),
		"failed": core.Failure{ExternalID: "a", Kind: core.KindDenied, Detail: "no"}, "out of sight": core.Failure{Folder: "f", Kind: core.KindDenied},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			changes := []core.Change{upsert("a", "killed", core.Public)}
			changes = append(changes, pages(64)...) // so that the next change is in another batch
			w.run(&script{changes: append(changes, later)}, ingest.SyncOptions{})
			if got := w.texts(core.Public)["a"]; got != "" {
				t.Errorf("everybody reads %q", got)
			}
			w.agree()
		})
	}
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.sync.Sync(ctx, w.src, &script{changes: pages(1)}, ingest.SyncOptions{}); err == nil {
		t.Error("a sync without time ended well")
	}
}
