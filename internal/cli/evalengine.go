package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/ingest"
)

const evalSource = "eval"

// passagesADocument is how many passages are asked for at most for each wanted
// document, as several of them may belong to one.
const passagesADocument = 4

// engine is the whole pipeline on a temporary folder, for measuring.
type engine struct {
	app      *app
	progress *progress
	texts    map[string]eval.Document // as they were indexed, by id
	mixed    map[float64]*find.Finder // by share of words
}

// Index takes the documents in as a source whose connector states access.
func (e *engine) Index(ctx context.Context, docs []eval.Document) error {
	e.texts = map[string]eval.Document{}
	for _, d := range docs {
		e.texts[d.ID] = d
	}
	src := core.Source{Name: evalSource, Connector: evalSource, Config: []byte("{}"), Origin: core.FromCommand}
	if err := e.app.store.PutSource(ctx, src); err != nil {
		return err
	}
	e.app.sources.learn(ctx, src, nil) // it has no connector that could be asked
	defer e.progress.done()
	report, err := e.app.syncer.Sync(ctx, src, testSet(docs), ingest.SyncOptions{Progress: e.progress.show})
	if err == nil && report.Failed > 0 {
		err = core.Errorf(core.KindInvalid, "%d documents of the test set could not be read; see the log with --log-level debug", report.Failed)
	}
	if err != nil {
		return err
	}
	return e.app.embeddings.embedder.CatchUp(ctx, func(n int) { e.progress.tell(fmt.Sprintf("eval: %d passages embedded", n)) })
}

// Search ranks documents by their best passage.
func (e *engine) Search(ctx context.Context, query string, f core.Filter, k int) ([]string, error) {
	return e.search(ctx, e.app.finder, query, f, k)
}

// Mixes tells whether searches use vectors.
func (e *engine) Mixes() (float64, bool) {
	_, live := e.app.embeddings.embedder.Live()
	return cmp.Or(e.app.cfg.Embeddings.KeywordShare, find.DefaultKeywordShare), live
}

// SearchAt searches with another share of words.
func (e *engine) SearchAt(ctx context.Context, share float64, query string, f core.Filter, k int) ([]string, error) {
	if e.mixed[share] == nil {
		if e.mixed == nil {
			e.mixed = map[float64]*find.Finder{}
		}
		e.mixed[share] = find.New(e.app.finding(share))
	}
	return e.search(ctx, e.mixed[share], query, f, k)
}

// search asks for more passages only where there were not enough documents: most
// have one or two.
func (e *engine) search(ctx context.Context, finder *find.Finder, query string, f core.Filter, k int) ([]string, error) {
	wordsOnly := error(nil)
	for limit := k; ; limit *= 2 {
		found, err := finder.Search(ctx, find.Query{
			Queries: []string{query}, Limit: limit, Filter: f, WordsOnly: func(why string) {
				wordsOnly = core.Errorf(core.KindUnavailable, "a query of the test set was searched by words only (%s), so that the figures would mix two things; see the log with --log-level debug", why)
			},
		})
		if err == nil {
			err = wordsOnly
		}
		if err != nil {
			return nil, err
		}
		ranked := documentsOf(found)
		if len(ranked) >= k || len(found) < limit || limit >= k*passagesADocument {
			return ranked[:min(k, len(ranked))], nil
		}
	}
}

// Scan asks the index for every passage that matches.
func (e *engine) Scan(ctx context.Context, query string) ([]string, error) {
	hits, err := e.app.index.Keyword(ctx, core.KeywordQuery{Text: query, Limit: 1 << 20, Filter: core.Filter{Bypass: true}})
	if err != nil {
		return nil, err
	}
	var ranked []string
	seen := map[string]bool{}
	for _, h := range hits {
		if !seen[h.Document] {
			seen[h.Document] = true
			ranked = append(ranked, strings.TrimPrefix(h.Document, evalSource+"/"))
		}
	}
	return ranked, nil
}

// Change goes the way of a sync: access and removals without any text.
func (e *engine) Change(ctx context.Context, access map[string]core.Access, removed []string) error {
	src, err := e.app.store.Source(ctx, evalSource)
	if err != nil {
		return err
	}
	_, err = e.app.syncer.Sync(ctx, src, changes{access, removed, e.texts}, ingest.SyncOptions{AcceptDeletes: true})
	return err
}

// documentsOf lists the documents in the order of their best passages.
func documentsOf(found []core.Result) []string {
	var ranked []string
	seen := map[string]bool{}
	for _, r := range found {
		if id := r.Document.ExternalID; !seen[id] {
			seen[id] = true
			ranked = append(ranked, id)
		}
	}
	return ranked
}

// Language guesses as ingestion does.
func (e *engine) Language(text string) string { return extract.Language(text) }

// testSet is a test set as a connector without a process.
type testSet []eval.Document

// CanList says no: nothing of a test set is ever deleted.
func (testSet) CanList() bool { return false }

// Sync sends all documents.
func (s testSet) Sync(_ context.Context, _ core.Cursor, _ core.SyncReason, each func(core.Change) error) error {
	for _, d := range s {
		if err := each(upsert(d, d.Access)); err != nil {
			return err
		}
	}
	return each(core.Checkpoint{Cursor: core.Cursor("done")})
}

func upsert(d eval.Document, access core.Access) core.Upsert {
	return core.Upsert{Document: core.Document{
		ID: core.DocumentID(evalSource, d.ID), Source: evalSource, ExternalID: d.ID,
		Title: d.Title, Body: d.Text, MediaType: "text/markdown", Kind: "page", Access: access,
	}}
}

// changes is a later sync of the set.
type changes struct {
	access  map[string]core.Access
	removed []string
	texts   map[string]eval.Document
}

// CanList says no: what is gone is said.
func (changes) CanList() bool { return false }

// Sync sends every document with its readers of now, and what is gone.
func (c changes) Sync(_ context.Context, _ core.Cursor, _ core.SyncReason, each func(core.Change) error) error {
	for _, id := range c.removed {
		if err := each(core.Removal{ExternalID: id}); err != nil {
			return err
		}
	}
	for id, access := range c.access {
		if err := each(upsert(c.texts[id], access)); err != nil {
			return err
		}
	}
	return each(core.Checkpoint{Cursor: core.Cursor("changed")})
}

// List is never asked for.
func (changes) List(ctx context.Context, each func(string, string) error) error {
	return testSet(nil).List(ctx, each)
}

// Fetch is never asked for.
func (changes) Fetch(ctx context.Context, ref string, limit int64) (io.ReadCloser, core.FileRef, error) {
	return testSet(nil).Fetch(ctx, ref, limit)
}

// List is never asked for.
func (testSet) List(context.Context, func(string, string) error) error {
	return core.Errorf(core.KindInternal, "a test set cannot be listed")
}

// Fetch is never asked for.
func (testSet) Fetch(context.Context, string, int64) (io.ReadCloser, core.FileRef, error) {
	return nil, core.FileRef{}, core.Errorf(core.KindInternal, "a test set has no attachments")
}
