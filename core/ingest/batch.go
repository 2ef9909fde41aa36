package ingest

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// A batch is handed on when it is full, and at the latest after batchDelay, so
// that a slow connector's deletions and losses of access do not wait.
const (
	batchDocuments = 64
	batchBytes     = 32 << 20
	batchDelay     = 500 * time.Millisecond
)

// batch gathers changes. Of several for the same document the last one counts.
type batch struct {
	order    []string // external ids of upserts, as they came first
	upserts  map[string]core.Upsert
	removed  map[string]bool
	failures map[string]core.Failure
	closed   []string // folders
	notes    []string
	cursor   *core.Cursor
	changes  int
	seen     int
	bytes    int64
}

func newBatch() *batch {
	return &batch{upserts: map[string]core.Upsert{}, removed: map[string]bool{}, failures: map[string]core.Failure{}}
}

func (b *batch) full() bool { return b.changes >= batchDocuments || b.bytes >= batchBytes }

// add takes a change of the source. A checkpoint covers what came before it;
// changes after it that end up in the same batch are merely early.
func (b *batch) add(source string, ch core.Change) {
	b.changes++
	switch ch := ch.(type) {
	case core.Upsert:
		if ch.Failed == nil {
			b.seen++
		}
		if problem := idProblem(ch.Document.ExternalID); problem != "" {
			b.fail(core.Failure{ExternalID: strings.ToValidUTF8(ch.Document.ExternalID, "\uFFFD"),
				Title: ch.Document.Title, Kind: core.KindInvalid, Detail: problem})
			return
		}
		b.upsert(source, ch)
	case core.Removal:
		delete(b.upserts, ch.ExternalID)
		delete(b.failures, ch.ExternalID)
		b.removed[ch.ExternalID] = true
	case core.Failure:
		if ch.Folder != "" {
			b.closed = append(b.closed, ch.Folder)
		}
		b.fail(ch)
	case core.Checkpoint:
		b.cursor = &ch.Cursor
	case core.Note:
		b.notes = append(b.notes, ch.Text)
	}
}

func (b *batch) upsert(source string, u core.Upsert) {
	id := u.Document.ExternalID
	if _, again := b.upserts[id]; !again {
		b.order = append(b.order, id)
	}
	u.Document.Source, u.Document.ID = source, core.DocumentID(source, id)
	b.bytes += int64(len(u.Document.Body))
	for _, f := range u.Document.Files {
		b.bytes += f.Size
	}
	b.upserts[id] = u
	delete(b.removed, id)
	delete(b.failures, id)
	if u.Failed != nil {
		f := *u.Failed
		f.ExternalID = id
		b.fail(f)
	}
}

func (b *batch) fail(f core.Failure) { b.failures[f.ExternalID] = f }

// ids are the external ids of all documents that the batch names.
func (b *batch) ids() []string {
	out := make([]string, 0, len(b.upserts)+len(b.removed)+len(b.failures))
	for id := range b.upserts {
		out = append(out, id)
	}
	for id := range b.removed {
		out = append(out, id)
	}
	for id := range b.failures {
		out = append(out, id)
	}
	return out
}

func idProblem(id string) string {
	switch {
	case id == "":
		return "The connector sent a document without an id."
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return "The connector sent an id that is not valid UTF-8 text."
	}
	return ""
}

// collect turns changes into batches. It takes no more than one full batch
// while the one before it is being worked on: that is what slows a connector
// down.
func collect(ctx context.Context, source string, changes <-chan core.Change, batches chan<- *batch) error {
	defer close(batches)
	b := newBatch()
	late := time.NewTimer(batchDelay)
	defer late.Stop()
	due := false
	for changes != nil || b.changes > 0 {
		in, out := changes, chan<- *batch(nil)
		if b.full() {
			in = nil
		}
		if b.full() || b.changes > 0 && (due || changes == nil) {
			out = batches
		}
		select {
		case ch, open := <-in:
			if !open {
				changes = nil
				continue
			}
			if b.changes == 0 {
				due = false
				late.Reset(batchDelay)
			}
			b.add(source, ch)
		case out <- b:
			b = newBatch()
		case <-late.C:
			due = true
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
