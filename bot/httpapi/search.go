package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

type searchFor struct {
	Query string `json:"query"`
	Limit *int   `json:"limit"`
	Where string `json:"where"`

	Folders []searchFolder `json:"folders"`
}

type searchFolder struct {
	ID    string `json:"id"`
	Depth *int   `json:"depth"` // nil for all that lies below
}

const mostFolders = 100

// folders are the scopes that were asked for; an empty list is of nothing.
func (s searchFor) folders() ([]core.FolderScope, error) {
	if s.Folders == nil {
		return nil, nil
	}
	if len(s.Folders) > mostFolders {
		return nil, core.Errorf(core.KindInvalid, "The field \"folders\" has %d entries; at most %d are taken.", len(s.Folders), mostFolders)
	}
	out := []core.FolderScope{}
	for _, f := range s.Folders {
		scope := core.FolderScope{Folder: f.ID, Levels: core.AnyDepth}
		if f.Depth != nil {
			scope.Levels = *f.Depth
		}
		if f.ID == "" || scope.Levels < core.AnyDepth {
			return nil, core.Errorf(core.KindInvalid, "An entry of \"folders\" needs an id, and a depth of -1 for all that lies below, 0 for the folder alone, or so many levels.")
		}
		out = append(out, scope)
	}
	return out, nil
}

const (
	defaultResults = 10
	mostResults    = 100
)

// found is what a search returns.
type found struct {
	Results []group `json:"results"` // best first
}

// group is passages of one document that stand next to each other, with at
// least one that was found.
type group struct {
	id       string    // of the document, also where it is not shown
	Document document  `json:"document"`
	Score    float64   `json:"score"` // by the rank of its best passage; see rankScore
	Passages []passage `json:"passages"`
}

// document is what may be shown of one: id and address only where it may be
// linked, and what names it only where its title may be shown.
type document struct {
	ID      string     `json:"id,omitempty"`
	Title   string     `json:"title,omitempty"`
	URL     string     `json:"url,omitempty"`
	Source  string     `json:"source,omitempty"`
	Updated *time.Time `json:"updated,omitempty"`
}

type passage struct {
	Ordinal int    `json:"ordinal"`
	Heading string `json:"heading,omitempty"`
	Page    int    `json:"page,omitempty"`
	Text    string `json:"text"`
	Hit     bool   `json:"hit"` // it was found; the others are its neighbours
}

// search lists passages without answering.
func (s *Server) search(w http.ResponseWriter, r *http.Request, h Holder) error {
	var body searchFor
	if err := readBody(w, r, &body, false); err != nil {
		return err
	}
	if err := text("query", body.Query, maxBody); err != nil {
		return err
	}
	limit := defaultResults
	if body.Limit != nil {
		limit = *body.Limit
	}
	if limit < 1 || limit > mostResults {
		return core.Errorf(core.KindInvalid, "The field \"limit\" must be 1 to %d, not %d.", mostResults, limit)
	}
	by := Reader{h.Viewer, bot.AudienceOf(place(h, ""), h.Viewer)}
	folders, err := body.folders()
	if err != nil {
		return err
	}
	hits, err := s.opts.Searcher.Search(r.Context(), by, Wish{Query: body.Query, Limit: limit, Where: body.Where, Folders: folders})
	if err != nil {
		return err
	}
	around, err := s.opts.Searcher.Around(r.Context(), by, hits)
	if err != nil {
		return err
	}
	out := found{Results: []group{}}
	for rank, hit := range hits {
		hit.Score = rankScore(rank)
		out.Results = join(out.Results, by.Audience, hit, around[rank])
	}
	s.auditSearch(r.Context(), h, by.Audience, out)
	return s.writeJSON(w, http.StatusOK, out)
}

// rankScore is 1 for the first hit and falls with the rank. The index's own score
// says how rare each word is in all documents, and with that whether it stands in
// some that are closed to who asks.
func rankScore(rank int) float64 { return 1 / float64(rank+1) }

// auditSearch tells who was shown passages of what.
func (s *Server) auditSearch(ctx context.Context, h Holder, audience core.Audience, shown found) {
	if s.opts.Audit == nil {
		return
	}
	e := core.AuditEntry{
		At: time.Now(), Action: core.AuditSearch, Actor: cmp.Or(h.Viewer.Email, place(h, "").ID), Place: place(h, "").ID,
		Class: audience.Class, Scope: bot.ScopeHash(audience),
	}
	for _, g := range shown.Results {
		if !slices.Contains(e.Documents, g.id) {
			e.Documents = append(e.Documents, g.id)
		}
	}
	s.opts.Audit(context.WithoutCancel(ctx), e)
}

// join adds a hit and its neighbours to the groups. Where they touch a group of
// the same document, they become part of it.
func join(groups []group, audience core.Audience, hit core.Result, around []core.Result) []group {
	var own []passage
	for _, r := range around {
		p := r.Passage
		if !audience.TitleOf(hit.Document) {
			p.Heading, p.Page = "", 0
		}
		own = append(own, passage{Ordinal: p.Ordinal, Heading: p.Heading, Page: p.Page, Text: p.Text, Hit: p.Ordinal == hit.Passage.Ordinal})
	}
	if len(own) == 0 {
		return groups // not to be seen any more
	}
	groups, joined := absorb(groups, hit.Document.ID, own)
	if joined {
		return groups
	}
	return append(groups, group{id: hit.Document.ID, Document: shownTo(audience, hit.Document), Score: hit.Score, Passages: own})
}

// shownTo is a document as the audience may see it.
func shownTo(audience core.Audience, d core.Document) (shown document) {
	if audience.ShowOf(d) == core.ShowLink {
		shown.ID, shown.URL = d.ID, core.ShareableURL(d.URL)
	}
	if audience.TitleOf(d) {
		shown.Title, shown.Source = d.Title, d.Source
		if !d.Updated.IsZero() {
			shown.Updated = &d.Updated
		}
	}
	return shown
}

// absorb makes the passages part of the first group of their document that they
// touch, and with it all further groups that they connect to that one.
func absorb(groups []group, document string, own []passage) (left []group, joined bool) {
	first := -1
	for _, g := range groups {
		switch {
		case g.id != document || !touch(g.Passages, own):
			left = append(left, g)
		case first < 0:
			first = len(left)
			own = merge(g.Passages, own)
			left = append(left, g)
		default:
			own = merge(g.Passages, own)
		}
	}
	if first >= 0 {
		left[first].Passages = own
	}
	return left, first >= 0
}

// touch tells whether two runs of passages overlap or follow one another.
func touch(a, b []passage) bool {
	return a[0].Ordinal <= b[len(b)-1].Ordinal+1 && b[0].Ordinal <= a[len(a)-1].Ordinal+1
}

// merge joins two runs by ordinal.
func merge(a, b []passage) []passage {
	var out []passage
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Ordinal < b[0].Ordinal:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].Ordinal < a[0].Ordinal:
			out, b = append(out, b[0]), b[1:]
		default:
			both := a[0]
			both.Hit = both.Hit || b[0].Hit
			out, a, b = append(out, both), a[1:], b[1:]
		}
	}
	return out
}
