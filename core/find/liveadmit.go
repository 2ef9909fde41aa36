package find

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// Admit lets through what a source found in its own system for the only reader,
// by the rules of a live search, in its order: see Query.Live. Of the query only
// filter and viewer count. What is not let through is missing from the result.
func (f *Finder) Admit(ctx context.Context, q Query, source string, found []core.Result) ([]core.Result, error) {
	if q.Viewer == nil || q.Viewer.Email == "" {
		return nil, nil
	}
	admitted, err := f.admit(ctx, q, source, found)
	if err != nil {
		return nil, err
	}
	check := f.newCheck(q.Viewer)
	for i, hit := range check.remember(admitted) {
		admitted[i].Passage.ID = hit.Passage
	}
	out, err := check.pass(ctx, admitted)
	return withoutLiveIDs(out), err
}

func withoutLiveIDs(results []core.Result) []core.Result {
	for i := range results {
		results[i].Passage.ID = max(results[i].Passage.ID, 0)
	}
	return results
}

// admit decides on each hit. The ledger's word counts on a document that it
// holds, and the passage is the ledger's own; of any other the source's word, and
// it is for this reader alone. What a source says of documents that are not its
// own does not count.
func (f *Finder) admit(ctx context.Context, q Query, source string, hits []core.Result) ([]core.Result, error) {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Document.ID)
	}
	if len(ids) == 0 || f.live == nil {
		return nil, nil
	}
	stored, err := f.live.Stored(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(slices.Clone(hits), func(h core.Result) bool {
		d := h.Document
		return d.Source != source || d.ExternalID == "" || d.ID != core.DocumentID(source, d.ExternalID)
	})
	ours, err := f.ledgersOwn(ctx, q.Filter, hits, stored)
	if err != nil {
		return nil, err
	}
	var out []core.Result
	seen := map[core.PassageID]bool{} // each passage of the ledger counts once
	for _, h := range hits {
		d := h.Document
		switch {
		case stored[d.ID]:
			if len(ours[d.ID]) == 0 {
				continue
			}
			best := closest(ours[d.ID], h.Passage.Text)
			if best.Score = h.Score; !seen[best.Passage.ID] {
				seen[best.Passage.ID] = true
				out = append(out, best)
			}
		case strings.TrimSpace(h.Passage.Text) != "" && q.Filter.Allows(d.Facts()):
			out = append(out, forAskerAlone(h, q.Viewer.Email))
		}
	}
	return out, nil
}

// ledgersOwn are the passages of the hits' documents that the ledger holds, as far as
// the gate lets them out.
func (f *Finder) ledgersOwn(ctx context.Context, filter core.Filter, hits []core.Result, stored map[string]bool) (map[string][]core.Result, error) {
	var windows []core.Window
	for _, h := range hits {
		w := core.Window{Document: h.Document.ID, To: lookedThrough}
		if stored[w.Document] && !slices.Contains(windows, w) {
			windows = append(windows, w)
		}
	}
	if len(windows) == 0 {
		return nil, nil
	}
	found, err := f.gate.Around(ctx, filter, windows)
	if err != nil {
		return nil, err
	}
	out := map[string][]core.Result{}
	for i, w := range windows {
		out[w.Document] = found[i]
	}
	return out, nil
}

// forAskerAlone bounds a hit to the one who asked: whoever else its source would
// show it to, nobody but they were looked up.
func forAskerAlone(h core.Result, email string) core.Result {
	h.Document.Access = core.NewAccess(core.User(email))
	h.Document.Body, h.Document.Files = "", nil
	h.Passage = core.Passage{Document: h.Document.ID, Heading: h.Passage.Heading, Page: h.Passage.Page, Text: snippet(h.Passage.Text)}
	h.Coverage = 0
	return h
}

func snippet(text string) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= longestSnippet {
		return text
	}
	end := longestSnippet
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// closest is the passage that shares most words with the text, the first of
// equals.
func closest(passages []core.Result, text string) core.Result {
	want := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		want[word] = true
	}
	best, most := passages[0], -1
	for _, p := range passages {
		shared := map[string]bool{}
		for word := range strings.FieldsSeq(strings.ToLower(p.Passage.Text)) {
			if want[word] {
				shared[word] = true
			}
		}
		if len(shared) > most {
			best, most = p, len(shared)
		}
	}
	return best
}
