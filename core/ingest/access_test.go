package ingest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/ingest"
)

func in(folder string, u core.Upsert) core.Upsert {
	u.Document.Folders, u.Document.Meta = []string{folder}, map[string]string{"Space": folder}
	u.Document.Updated = time.Unix(1e9, 0).UTC()
	return u
}

func TestMovedDocumentsKeepTheirText(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{in("hr", upsert("a", "alpha", core.Public)), in("hr", upsert("b", "beta", core.Public))}}, ingest.SyncOptions{})
	extracted, put := w.words.calls.Load(), w.index.puts
	report := w.run(&script{changes: []core.Change{in("it", upsert("a", "alpha", core.Public)), in("hr", upsert("b", "beta", core.Public))}},
		ingest.SyncOptions{Full: true})
	w.diff("counts", core.SyncCounts{Seen: 2, AccessChanged: 1, Unchanged: 1}, report.SyncCounts)
	if w.words.calls.Load() != extracted || w.index.puts != put {
		t.Fatal("a move extracted or indexed text")
	}
	w.diff("folders", []string{"wiki/it"}, w.index.contents()["wiki/a"].Facts.Folders)
	w.agree()
}

// watching looks at the ledger whenever a text is about to be read.
type watching struct {
	*words
	before func()
}

func (x watching) Text(ctx context.Context, name, mediaType, body string) (extract.Content, error) {
	x.before()
	return x.words.Text(ctx, name, mediaType, body)
}

// A batch that brings content and takes readers away takes them first, also
// those of documents that come last and of the very documents whose text is new.
func TestReadersAreLostBeforeAnythingIsRead(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: []core.Change{upsert("a", "alpha", core.Public), upsert("b", "beta", core.Public),
		in("hr", upsert("c", "gamma", core.Public)), upsert("d", "delta", core.Public)}}, ingest.SyncOptions{})
	var reads, seen atomic.Int64
	w.sync = ingest.New(ingest.Options{Ledger: w.store, Outbox: w.store, Index: w.index, Extractor: watching{w.words, func() {
		readable, err := w.store.Readable(context.Background(), core.Filter{}, []string{"wiki/a", "wiki/b", "wiki/c", "wiki/d"})
		if err != nil {
			seen.Add(100)
		}
		reads.Add(1)
		seen.Add(int64(len(readable)))
	}}})
	w.run(&script{changes: []core.Change{upsert("new", "news", core.Public), upsert("a", "alpha again", core.Workspace),
		upsert("b", "beta", core.Workspace), core.Failure{ExternalID: "hr", Folder: "hr", Kind: core.KindDenied}, core.Removal{ExternalID: "d"}}},
		ingest.SyncOptions{Full: true})
	if reads.Load() != 2 || seen.Load() != 0 {
		t.Fatalf("%d texts were read while %d documents were still public", reads.Load(), seen.Load())
	}
	w.diff("public sees", map[string]string{"new": "news"}, w.texts())
	w.diff("members see", map[string]string{"new": "news", "a": "alpha again", "b": "beta"}, w.texts(core.Workspace))
	w.agree()
}

// What lies in a folder that is out of sight is nobody's until it comes again.
func TestFoldersOutOfSight(t *testing.T) {
	w := newWorld(t)
	host := in("hr", upsert("h", "host"))
	host.HostAccess = true
	all := []core.Change{in("hr", upsert("a", "alpha", core.Public)), host, in("it", upsert("b", "beta", core.Public))}
	w.run(&script{changes: all}, ingest.SyncOptions{})
	gone := core.Failure{ExternalID: "hr", Folder: "hr", Kind: core.KindDenied}
	w.run(&script{changes: []core.Change{gone, all[2]}, listing: []string{"a", "h", "b"}}, ingest.SyncOptions{Full: true})
	w.diff("members see", map[string]string{"b": "beta"}, w.texts(core.Workspace))
	w.agree()
	// In one batch the documents that come after are told anew.
	report := w.run(&script{changes: append([]core.Change{gone}, all...), listing: []string{"a", "h", "b"}}, ingest.SyncOptions{Full: true})
	w.diff("counts", core.SyncCounts{Seen: 3, AccessChanged: 2, Unchanged: 1, Failed: 1}, report.SyncCounts)
	w.diff("members see again", map[string]string{"a": "alpha", "h": "host", "b": "beta"}, w.texts(core.Workspace))
	w.agree()
}

func TestAccessCountsFromTheLastWholeSync(t *testing.T) {
	w := newWorld(t)
	all := pages(40)
	checked := func() time.Time { return w.status().AccessChecked }
	before := time.Now().Truncate(time.Microsecond)
	broken := &script{changes: all[:5], checkpointEvery: 1, end: core.Errorf(core.KindBusy, "later")}
	w.fails(broken, core.KindBusy)
	first := checked()
	if first.Before(before) {
		t.Fatalf("documents of a first sync that goes on are not told since %v", first)
	}
	c := &script{changes: all, listing: ids(all)}
	w.run(c, ingest.SyncOptions{})
	second := checked()
	w.run(c, ingest.SyncOptions{}) // a poll without news
	third := checked()
	if !second.After(first) || !third.After(second) {
		t.Fatalf("whole syncs count from %v, %v, %v", first, second, third)
	}
	c.listEnd = errors.New("cut off")
	w.fails(c, core.KindInternal)
	c.listEnd, c.end = nil, core.Errorf(core.KindAuth, "signed out")
	w.fails(c, core.KindAuth)
	c.end, c.listing = nil, ids(all[:20])
	if report := w.run(c, ingest.SyncOptions{}); report.Held != 20 {
		t.Fatalf("report %+v", report)
	}
	w.diff("after syncs that did not tell everything", third, checked())
	w.run(c, ingest.SyncOptions{AcceptDeletes: true})
	if !checked().After(third) {
		t.Fatal("a whole sync did not count")
	}
}

// A document of which the connector tells neither content nor readers ages,
// whatever syncs succeed around it.
func TestUntoldReadersAge(t *testing.T) {
	w := newWorld(t)
	ana := core.User("ana@example.com")
	all := []core.Change{upsert("a", "alpha", ana), upsert("b", "beta", ana)}
	w.run(&script{changes: all}, ingest.SyncOptions{})
	w.store.Now = func() time.Time { return time.Now().Add(-core.DefaultMaxAge - time.Hour) }
	w.run(&script{changes: []core.Change{core.Failure{ExternalID: "a", Kind: core.KindDenied}, all[1]}}, ingest.SyncOptions{Full: true})
	w.diff("at first", map[string]string{"a": "alpha", "b": "beta"}, w.texts(ana))
	w.store.Now = time.Now
	w.run(&script{}, ingest.SyncOptions{})
	w.diff("a day later", map[string]string{"b": "beta"}, w.texts(ana))
	report := w.run(&script{changes: all}, ingest.SyncOptions{Full: true})
	w.diff("told again", map[string]string{"a": "alpha", "b": "beta"}, w.texts(ana))
	w.diff("counts", core.SyncCounts{Seen: 2, Changed: 1, Extracted: 1, Written: 1, Unchanged: 1}, report.SyncCounts)
	w.agree()
}
