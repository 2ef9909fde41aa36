package rival

import (
	"context"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/footnote-bot/footnote/core"
)

// Bleve is bleve as it comes: its own mapping and scoring, the filter as a clause
// of the query. Only the field of readers is said to be no text.
type Bleve struct{ index bleve.Index }

// OpenBleve makes an empty index in a folder.
func OpenBleve(dir string) (*Bleve, error) {
	readers := mapping.NewKeywordFieldMapping()
	readers.IncludeInAll = false
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("access", readers)
	x, err := bleve.New(filepath.Join(dir, "bleve"), m)
	if err != nil {
		return nil, err
	}
	return &Bleve{index: x}, nil
}

// Put implements Engine, in one batch.
func (e *Bleve) Put(ctx context.Context, docs []core.IndexedDocument) error {
	b := e.index.NewBatch()
	for _, d := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		readers := make([]string, len(d.Facts.Access))
		for i, p := range d.Facts.Access {
			readers[i] = string(p)
		}
		if err := b.Index(d.Facts.Document, map[string]any{"title": d.Title, "body": textOf(d), "access": readers}); err != nil {
			return err
		}
	}
	return e.index.Batch(b)
}

// Search implements Engine.
func (e *Bleve) Search(ctx context.Context, text string, principals []core.Principal, limit int) ([]string, error) {
	var may []query.Query
	for _, p := range principals {
		one := bleve.NewTermQuery(string(p))
		one.SetField("access")
		may = append(may, one)
	}
	q := bleve.NewBooleanQuery()
	q.AddMust(bleve.NewMatchQuery(text))
	q.AddFilter(bleve.NewDisjunctionQuery(may...))
	found, err := e.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, limit, 0, false))
	if err != nil {
		return nil, err
	}
	out := make([]string, len(found.Hits))
	for i, h := range found.Hits {
		out[i] = h.ID
	}
	return out, nil
}

// Close implements Engine.
func (e *Bleve) Close() error { return e.index.Close() }
