package find

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Expand returns for each result, in their order, its passage with up to before
// passages ahead of it and after behind it, by ordinal; none where the filter does
// not allow the document any more. Of the query only filter and viewer count.
func (f *Finder) Expand(ctx context.Context, q Query, results []core.Result, before, after int) ([][]core.Result, error) {
	windows := make([]core.Window, len(results))
	for i, r := range results {
		at := r.Passage.Ordinal
		windows[i] = core.Window{Document: r.Document.ID, From: max(0, at-max(0, before)), To: at + max(0, after)}
	}
	return f.Around(ctx, q, windows)
}

// Around returns the passages of each window, in the order of the windows and by
// ordinal: those that the gate and the source's censor let out. Of the query only
// filter and viewer count. All is read from one state of the ledger.
func (f *Finder) Around(ctx context.Context, q Query, windows []core.Window) ([][]core.Result, error) {
	if len(windows) == 0 {
		return nil, nil
	}
	found, err := f.gate.Around(ctx, q.Filter, windows)
	if err != nil || f.censors == nil {
		return found, err
	}
	check := f.newCheck(q.Viewer)
	if q.failed != nil {
		check.failed = q.failed
	}
	return check.passEach(ctx, found)
}

// passEach is pass for several lists. What is in more than one of them is asked about
// once.
func (c *check) passEach(ctx context.Context, lists [][]core.Result) ([][]core.Result, error) {
	var all []core.Result
	seen := map[core.PassageID]bool{}
	for _, list := range lists {
		for _, r := range list {
			if !seen[r.Passage.ID] {
				seen[r.Passage.ID] = true
				all = append(all, r)
			}
		}
	}
	kept, err := c.pass(ctx, all)
	if err != nil {
		return nil, err
	}
	byID := make(map[core.PassageID]core.Result, len(kept))
	for _, r := range kept {
		byID[r.Passage.ID] = r
	}
	out := make([][]core.Result, len(lists))
	for i, list := range lists {
		for _, r := range list {
			if r, ok := byID[r.Passage.ID]; ok {
				out[i] = append(out[i], r)
			}
		}
	}
	return out, nil
}
