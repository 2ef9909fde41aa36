package find

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Expand returns a result's passage with up to before passages ahead of it and
// after behind it, by ordinal, if the filter still allows the document. Of the
// query only filter and viewer count.
func (f *Finder) Expand(ctx context.Context, q Query, r core.Result, before, after int) ([]core.Result, error) {
	from := max(0, r.Passage.Ordinal-max(0, before))
	return f.Around(ctx, q, r.Document.ID, from, r.Passage.Ordinal+max(0, after))
}

// Around returns a document's passages whose ordinals lie in from..to, both
// included, by ordinal: those that the gate and the source's censor let out. Of
// the query only filter and viewer count.
func (f *Finder) Around(ctx context.Context, q Query, document string, from, to int) ([]core.Result, error) {
	found, err := f.gate.Around(ctx, q.Filter, document, from, to)
	if err != nil {
		return nil, err
	}
	check := f.newCheck(q.Viewer)
	if q.failed != nil {
		check.failed = q.failed
	}
	return check.pass(ctx, found)
}
