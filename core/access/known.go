package access

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Reader tells which of the documents exist and pass the filter now; those that
// do not are false or missing. *store.Store is one.
type Reader interface {
	Readable(ctx context.Context, f core.Filter, documents []string) (map[string]bool, error)
}

// Documents are the ids of what the turn rests on: all that its model was given
// or, in turns that did not note it, what it cites. It is not complete where a
// citation does not name its document.
func Documents(t core.Turn) (ids []string, complete bool) {
	if len(t.Used) > 0 {
		return t.Used, true
	}
	complete = true
	for _, c := range t.Answer.Citations {
		if c.DocumentID == "" {
			complete = false
		} else if !slices.Contains(ids, c.DocumentID) {
			ids = append(ids, c.DocumentID)
		}
	}
	return ids, complete
}

// Known are those of the turns that may enter the context of the audience: they
// were made for readers who hold no more (see CanKnow), and everything that they
// rest on may be read by the audience now. Without a reader only the first is
// looked at. What a place is narrowed to does not count: it says what is
// searched, not who may know it. The result is never nil.
func Known(ctx context.Context, r Reader, audience core.Audience, viewer core.Viewer, turns []core.Turn) ([]core.Turn, error) {
	known := []core.Turn{}
	var ask []string
	for _, t := range turns {
		if CanKnow(audience, t, viewer) {
			known = append(known, t)
			ids, _ := Documents(t)
			ask = append(ask, ids...)
		}
	}
	if r == nil || len(known) == 0 {
		return known, nil
	}
	slices.Sort(ask)
	readable, err := ReadableNow(ctx, r, audience, slices.Compact(ask))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(known, func(t core.Turn) bool {
		ids, complete := Documents(t)
		return !complete || slices.ContainsFunc(ids, func(id string) bool { return !readable[id] })
	}), nil
}

// ReadableNow tells which of the documents every reader of the audience may read
// now, whatever the place is narrowed to.
func ReadableNow(ctx context.Context, r Reader, audience core.Audience, documents []string) (map[string]bool, error) {
	if len(documents) == 0 {
		return map[string]bool{}, nil
	}
	f := audience.Filter()
	f.Within = nil
	return r.Readable(ctx, f, documents)
}
