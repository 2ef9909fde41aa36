package find

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// Reranker says how well texts answer a query. *model.Reranker implements it.
type Reranker interface {
	// Rerank returns the relevance of some or all of the texts, each at most once.
	Rerank(ctx context.Context, query string, texts []string) ([]model.Relevance, error)
}

const (
	rerankPatience = 1500 * time.Millisecond
	leastReranked  = 40
	mostReranked   = 100
)

// oversampled is how many candidates a reranker reads for so many results.
func oversampled(limit int) int { return min(max(4*limit, leastReranked), mostReranked) }

// ranker is a reranker with how it behaved: one that fails several times in a row is
// left alone for a while, so that it does not delay every search.
type ranker struct {
	from     Reranker // nil if there is none
	patience time.Duration
	now      func() time.Time

	mu     sync.Mutex
	failed int
	rests  time.Time
}

func newRanker(o Options) *ranker {
	r := &ranker{from: o.Reranker, patience: o.RerankPatience, now: o.Now}
	if r.patience <= 0 {
		r.patience = rerankPatience
	}
	return r
}

func (r *ranker) resting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now().Before(r.rests)
}

func (r *ranker) note(ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ok {
		r.failed = 0
		return
	}
	if r.failed++; r.failed >= restAfter {
		r.failed, r.rests = 0, r.now().Add(restFor)
	}
}

// relevance is what a reranker said in one search, which asks it once at most.
type relevance struct {
	query string
	asked bool
	of    map[core.PassageID]float64
}

// heaviest is the sentence that counts most, or the first query.
func heaviest(q Query, queries []weighted) string {
	best, most := "", 0.0
	for _, w := range q.Wordings {
		if !w.Keywords && w.Weight > most {
			best, most = w.Text, w.Weight
		}
	}
	if best == "" && len(queries) > 0 {
		best = queries[0].text
	}
	return best
}

// rerank puts results, best first, in the order of a reranker. It gives them the
// scores that stand at their new places, because what a reranker calls relevance is
// on a scale of its own; what it says nothing of stays behind, in its order.
// Whatever goes wrong leaves the order as it was, and the query's Unranked is told.
func (f *Finder) rerank(ctx context.Context, w *weighing, results []core.Result) {
	f.askRanker(ctx, w, results)
	if len(w.relevance.of) == 0 {
		return
	}
	scores := make([]float64, len(results))
	for i, r := range results {
		scores[i] = r.Score
	}
	slices.SortStableFunc(results, func(a, b core.Result) int {
		x, ranked := w.relevance.of[a.Passage.ID]
		y, other := w.relevance.of[b.Passage.ID]
		switch {
		case ranked && other:
			return cmp.Compare(y, x)
		case ranked:
			return -1
		case other:
			return 1
		}
		return 0
	})
	for i := range results {
		results[i].Score = scores[i]
	}
}

func (f *Finder) askRanker(ctx context.Context, w *weighing, results []core.Result) {
	if f.ranker.from == nil || w.relevance.asked || len(results) < 2 {
		return
	}
	w.relevance.asked = true
	if f.ranker.resting() {
		w.query.unranked("the reranker failed several times in a row and is left alone for some minutes")
		return
	}
	texts := make([]string, len(results))
	for i, r := range results {
		texts[i] = w.query.shown(r)
	}
	limited, cancel := context.WithTimeout(ctx, f.ranker.patience)
	defer cancel()
	ranked, err := f.ranker.from.Rerank(limited, w.relevance.query, texts)
	if ctx.Err() != nil {
		return // who asked has left: nothing is known against the reranker
	}
	f.ranker.note(err == nil)
	if err != nil {
		f.log.WarnContext(ctx, "what was found was not reranked", "kind", core.KindOf(err), "error", err)
		w.query.unranked("the reranker did not answer: " + string(core.KindOf(err)))
		return
	}
	w.relevance.of = map[core.PassageID]float64{}
	for _, r := range ranked {
		if r.Index >= 0 && r.Index < len(results) {
			w.relevance.of[results[r.Index].Passage.ID] = r.Score
		}
	}
}

// shown is a passage as a model of others may read it, by the rule of the
// answering model: title and heading only where they may be said.
func (q Query) shown(r core.Result) string {
	if !q.named(r.Document) {
		return r.Passage.Text
	}
	text := r.Document.Title
	if r.Passage.Heading != "" {
		text += " › " + r.Passage.Heading
	}
	return text + "\n\n" + r.Passage.Text
}

func (q Query) named(d core.Document) bool { return q.Named != nil && q.Named(d) }

func (q Query) unranked(reason string) {
	if q.Unranked != nil {
		q.Unranked(reason)
	}
}
