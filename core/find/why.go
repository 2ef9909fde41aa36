package find

import (
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Reason tells why a passage was found and stands where it stands. Its scores go
// by all that is indexed: it is for who runs Footnote, not for readers.
type Reason struct {
	Queries []ReasonQuery `json:"queries"`         // that found it
	Words   []string      `json:"words,omitempty"` // of the queries that it, its title or its heading holds
	Live    bool          `json:"live,omitempty"`  // its source's own search found it
	Before  float64       `json:"before"`          // score after the queries were merged
	Factors Factors       `json:"factors"`
}

// ReasonQuery is a passage's place in what one query found.
type ReasonQuery struct {
	Text    string   `json:"text"`
	Rank    int      `json:"rank"`              // from 1
	Score   float64  `json:"score"`             // by which it has the rank
	Words   *float64 `json:"words,omitempty"`   // the part of words, where vectors count too
	Meaning *float64 `json:"meaning,omitempty"` // the cosine of its vector, where it has one
}

// Factors are what a score was multiplied by; 1 changes nothing.
type Factors struct {
	Recency    float64 `json:"recency"`
	Votes      float64 `json:"votes"`               // of curators
	Name       float64 `json:"name"`                // an exact name of the question
	Superseded float64 `json:"superseded"`          // its document has a successor
	Reranked   int     `json:"reranked,omitempty"`  // rank that a reranker gave it, from 1
	Relevance  float64 `json:"relevance,omitempty"` // its score there
	Limited    bool    `json:"limited,omitempty"`   // held back behind a successor or other documents
}

func (f Factors) product() float64 { return f.Recency * f.Votes * f.Name * f.Superseded }

// weighing is what one search knows of its candidates beside their ranks. It
// belongs to one goroutine.
type weighing struct {
	query     Query
	names     []string
	live      map[core.PassageID]bool // found by a source's own search
	relevance relevance
	factors   map[core.PassageID]Factors // nil where nobody asks why
}

func newWeighing(q Query, queries []weighted) *weighing {
	w := &weighing{query: q, names: namesIn(q.Queries), live: map[core.PassageID]bool{}, relevance: relevance{query: heaviest(q, queries)}}
	if q.Why != nil {
		w.factors = map[core.PassageID]Factors{}
	}
	return w
}

func (w *weighing) noteLive(lists []List) {
	for _, l := range lists {
		for _, h := range l.Hits {
			w.live[h.Passage] = true
		}
	}
}

func (w *weighing) note(id core.PassageID, f Factors) {
	if w.factors != nil {
		w.factors[id] = f
	}
}

func (w *weighing) limited(id core.PassageID) {
	if by, ok := w.factors[id]; ok {
		by.Limited = true
		w.factors[id] = by
	}
}

// explain tells the query why each of the results stands where it stands.
func (w *weighing) explain(results []core.Result, queries []weighted, lists []List) {
	if w.query.Why == nil {
		return
	}
	wanted := map[string]bool{}
	for _, q := range queries {
		for _, word := range wordsOf(q.text) {
			wanted[root(word.text)] = true
		}
	}
	fused := Fuse(lists)
	for _, r := range results {
		reason := Reason{Factors: w.factors[r.Passage.ID], Live: w.live[r.Passage.ID], Words: sharedWords(r, wanted)}
		for i, q := range queries {
			if one, ok := lists[i].place(r.Passage.ID); ok {
				one.Text = q.text
				reason.Queries = append(reason.Queries, one)
			}
		}
		if at := slices.IndexFunc(fused, func(h core.Hit) bool { return h.Passage == r.Passage.ID }); at >= 0 {
			reason.Before = fused[at].Score
		}
		w.query.Why(r, reason)
	}
}

func (l List) place(id core.PassageID) (ReasonQuery, bool) {
	rank := slices.IndexFunc(l.Hits, func(h core.Hit) bool { return h.Passage == id })
	if rank < 0 {
		return ReasonQuery{}, false
	}
	out := ReasonQuery{Rank: rank + 1, Score: l.Hits[rank].Score}
	at := slices.IndexFunc(l.parts, func(h core.HybridHit) bool { return h.Passage == id })
	if at >= 0 {
		out.Words = &l.parts[at].Keyword
		if l.parts[at].Embedded {
			out.Meaning = &l.parts[at].Vector
		}
	}
	return out, true
}

// sharedWords are the words of a result whose roots are wanted, as they stand
// there, each root once.
func sharedWords(r core.Result, wanted map[string]bool) []string {
	var out []string
	seen := map[string]bool{}
	for _, text := range []string{r.Document.Title, r.Passage.Heading, r.Passage.Text} {
		for _, word := range wordsOf(text) {
			if key := root(word.text); wanted[key] && !seen[key] {
				seen[key] = true
				out = append(out, word.text)
			}
		}
	}
	return out
}
