package ingest_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/store"
)

// memory is an index that keeps what it is told and finds nothing.
type memory struct {
	mu        sync.Mutex
	documents map[string]core.IndexedDocument
	facts     map[string]core.Facts
	puts      int // documents, in all
}

func newMemory() *memory {
	return &memory{documents: map[string]core.IndexedDocument{}, facts: map[string]core.Facts{}}
}

func (m *memory) Put(_ context.Context, docs []core.IndexedDocument) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range docs {
		m.documents[d.Facts.Document], m.facts[d.Facts.Document] = d, d.Facts
		m.puts++
	}
	return nil
}

func (m *memory) SetFacts(_ context.Context, facts []core.Facts) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range facts {
		m.facts[f.Document] = f
	}
	return nil
}

func (m *memory) Delete(_ context.Context, ids []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.documents, id)
		delete(m.facts, id)
	}
	return nil
}

func (m *memory) Keyword(context.Context, core.KeywordQuery) ([]core.Hit, error) { return nil, nil }

// contents is what the index holds, facts applied.
func (m *memory) contents() map[string]core.IndexedDocument {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := maps.Clone(m.documents)
	for id, d := range out {
		d.Facts = m.facts[id]
		out[id] = d
	}
	return out
}

// script is a connector that plays changes. The cursor counts how many it has
// covered; every checkpointEvery changes it sends one.
type script struct {
	changes         []core.Change
	checkpointEvery int
	end             error
	listing         []string // nil: cannot list
	listEnd         error
	files           map[string]string
	fetch           func(ref string) error
	reasons         []core.SyncReason
}

func (c *script) CanList() bool { return c.listing != nil }

func (c *script) Sync(_ context.Context, since core.Cursor, reason core.SyncReason, each func(core.Change) error) error {
	c.reasons = append(c.reasons, reason)
	start := 0
	if len(since) > 0 {
		fmt.Sscan(string(since), &start)
	}
	for i, ch := range c.changes {
		if i < start {
			continue
		}
		if err := each(ch); err != nil {
			return err
		}
		if c.checkpointEvery > 0 && (i+1)%c.checkpointEvery == 0 {
			if err := each(core.Checkpoint{Cursor: fmt.Append(nil, i+1)}); err != nil {
				return err
			}
		}
	}
	if c.end != nil {
		return c.end
	}
	return each(core.Checkpoint{Cursor: fmt.Append(nil, len(c.changes))})
}

func (c *script) List(_ context.Context, each func(string, string) error) error {
	for _, id := range c.listing {
		if err := each(id, ""); err != nil {
			return err
		}
	}
	return c.listEnd
}

func (c *script) Fetch(_ context.Context, ref string, _ int64) (io.ReadCloser, core.FileRef, error) {
	if c.fetch != nil {
		if err := c.fetch(ref); err != nil {
			return nil, core.FileRef{}, err
		}
	}
	body, ok := c.files[ref]
	if !ok {
		return nil, core.FileRef{}, core.Errorf(core.KindNotFound, "%s is gone", ref)
	}
	return io.NopCloser(strings.NewReader(body)), core.FileRef{Name: ref}, nil
}

// words makes one paragraph of a text. Texts that begin with "bad" cannot be
// read and those that begin with "boom" break it.
type words struct {
	calls atomic.Int64
	stop  func() // called when a text says "stop"
}

func (w *words) Text(_ context.Context, name, _, body string) (extract.Content, error) {
	w.calls.Add(1)
	switch {
	case body == "stop" && w.stop != nil:
		w.stop()
		return extract.Content{}, context.Canceled
	case strings.HasPrefix(body, "bad"):
		return extract.Content{}, core.Errorf(core.KindInvalid, "%s cannot be read", name)
	case strings.HasPrefix(body, "killed"):
		return extract.Content{}, core.Errorf(core.KindUnavailable, "%s was not read", name)
	case strings.HasPrefix(body, "boom"):
		panic("boom")
	}
	return extract.Content{Language: "en", Blocks: []extract.Block{{Kind: extract.KindParagraph, Text: body}}}, nil
}

func (w *words) File(ctx context.Context, name, mediaType string, r io.Reader) (extract.Content, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return extract.Content{}, err
	}
	return w.Text(ctx, name, mediaType, string(body))
}

// world is all the parts of one test.
type world struct {
	t     testing.TB
	dir   string
	store *store.Store
	index *memory
	words *words
	sync  *ingest.Syncer
	src   core.Source

	settings int // how often forgetCursor was called
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, dir: t.TempDir(), index: newMemory(), words: &words{},
		src: core.Source{Name: "wiki", Connector: "script", Access: core.NewAccess(core.Workspace)}}
	w.open()
	w.check(w.store.PutSource(t.Context(), w.src))
	t.Cleanup(func() { w.check(w.store.Close()) })
	return w
}

func (w *world) open() {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.dir, slog.New(slog.DiscardHandler))
	w.check(err)
	w.store = s
	w.sync = ingest.New(ingest.Options{Ledger: s, Outbox: s, Access: s, Index: w.index, Extractor: w.words, AgainAfter: []time.Duration{0, 0},
		Now: func() time.Time { return s.Now() }})
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v (%s)", err, core.KindOf(err))
	}
}

func (w *world) diff(what string, want, got any) {
	w.t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		w.t.Fatalf("%s (-want +got)\n%s", what, d)
	}
}

func (w *world) run(c *script, opts ingest.SyncOptions) ingest.Report {
	w.t.Helper()
	report, err := w.sync.Sync(w.t.Context(), w.src, c, opts)
	w.check(err)
	return report
}

func (w *world) fails(c *script, kind core.Kind) ingest.Report {
	w.t.Helper()
	report, err := w.sync.Sync(w.t.Context(), w.src, c, ingest.SyncOptions{})
	if core.KindOf(err) != kind {
		w.t.Fatalf("got error %v of kind %q, want kind %q", err, core.KindOf(err), kind)
	}
	return report
}

func (w *world) status() store.Status {
	w.t.Helper()
	st, err := w.store.SourceStatus(w.t.Context(), "wiki")
	w.check(err)
	return st
}

// texts are the documents a holder of the principals may read, by external id.
func (w *world) texts(principals ...core.Principal) map[string]string {
	w.t.Helper()
	stored, _, err := w.store.SyncedIDs(w.t.Context(), "wiki")
	w.check(err)
	out := map[string]string{}
	for _, id := range stored {
		found, err := w.store.Around(w.t.Context(), core.Filter{Principals: principals}, []core.Window{{Document: "wiki/" + id, To: 99}})
		w.check(err)
		for _, r := range found[0] {
			out[id] += r.Passage.Text
		}
	}
	return out
}

// agree fails the test unless the index holds exactly what the ledger does.
func (w *world) agree() {
	w.t.Helper()
	want := map[string]core.IndexedDocument{}
	stored, _, err := w.store.SyncedIDs(w.t.Context(), "wiki")
	w.check(err)
	for _, id := range stored {
		found, err := w.store.Around(w.t.Context(), core.Filter{Bypass: true, IncludeHidden: true}, []core.Window{{Document: "wiki/" + id, To: 1e6}})
		w.check(err)
		var d core.IndexedDocument
		for _, r := range found[0] {
			d.Facts = core.Facts{Document: r.Document.ID, Source: "wiki", Title: r.Document.Title, Kind: r.Document.Kind, Access: r.Document.Access, Hidden: r.Document.Hidden,
				Created: r.Document.Created, Updated: r.Document.Updated}
			for _, f := range r.Document.Folders {
				d.Facts.Folders = append(d.Facts.Folders, core.FolderID("wiki", f))
			}
			if len(r.Document.Meta) > 0 {
				d.Facts.Tags = core.TagsOf(r.Document.Meta)
			}
			d.Title, d.Language = r.Document.Title, r.Document.Language
			d.Passages = append(d.Passages, r.Passage)
		}
		want["wiki/"+id] = d
	}
	w.diff("index against ledger", want, w.index.contents())
	backlog, err := w.store.Backlog(w.t.Context(), 10, 1e6)
	w.check(err)
	if !backlog.Empty() {
		w.t.Fatalf("the ledger has still to confirm %+v", backlog)
	}
}

func upsert(id, body string, access ...core.Principal) core.Upsert {
	return core.Upsert{Document: core.Document{ExternalID: id, Title: "Page " + id, Body: body, Access: access}}
}

func pages(n int) []core.Change {
	out := make([]core.Change, n)
	for i := range out {
		out[i] = upsert(fmt.Sprintf("p%04d", i), fmt.Sprintf("Text of page %d.", i), core.Public)
	}
	return out
}

func ids(changes []core.Change) []string {
	out := []string{}
	for _, ch := range changes {
		out = append(out, ch.(core.Upsert).Document.ExternalID)
	}
	slices.Sort(out)
	return out
}

// forgetCursor makes the next sync start from the beginning, as a change of the
// source's settings does.
func (w *world) forgetCursor() {
	w.t.Helper()
	w.settings++
	src := w.src
	src.Config = fmt.Appendf(nil, `{"n":%d}`, w.settings)
	w.check(w.store.PutSource(w.t.Context(), src))
}
