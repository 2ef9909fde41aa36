package eval

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// depth is how many documents are asked for: Recall@100 needs that many.
const depth = 100

// Engine is what is measured.
type Engine interface {
	// Index makes the documents searchable.
	Index(ctx context.Context, docs []Document) error
	// Search ranks at most k documents that the filter allows.
	Search(ctx context.Context, query string, f core.Filter, k int) ([]string, error)
	// Language guesses the language of a text, ISO 639-1; "" if it cannot tell.
	Language(text string) string
}

// Quality is the average over the queries that have a judged document.
type Quality struct {
	Queries int     `json:"queries"`
	NDCG10  float64 `json:"ndcg_at_10"`
	Recall  float64 `json:"recall_at_100"`
	MRR10   float64 `json:"mrr_at_10"`
	sumNDCG float64
	sumRec  float64
	sumMRR  float64
}

// Latency is that of one search, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// Report is what a run measured.
type Report struct {
	Documents int `json:"documents"`
	Quality
	Leaks        int                 `json:"leaks"`             // forbidden documents, over every query as every user
	Readers      *Readers            `json:"readers,omitempty"` // of sets with users
	Latency      Latency             `json:"latency_ms"`
	IndexSeconds float64             `json:"index_seconds"`
	ByLanguage   map[string]*Quality `json:"by_language"`
	Shares       *Shares             `json:"shares,omitempty"` // of engines with vectors
	Each         []Scored            `json:"-"`                // the queries that have a judged document
}

// Run indexes a set and measures the ranking over all its documents, then asks
// every query as every user and counts what they must not see.
func Run(ctx context.Context, set Set, engine Engine) (Report, error) {
	r := Report{Documents: len(set.Documents), ByLanguage: map[string]*Quality{}}
	start := time.Now()
	if err := engine.Index(ctx, set.Documents); err != nil {
		return r, err
	}
	r.IndexSeconds = time.Since(start).Seconds()
	if err := r.measure(ctx, set, engine); err != nil {
		return r, err
	}
	var err error
	if r.Shares, err = measureShares(ctx, set, engine); err != nil {
		return r, err
	}
	if r.Leaks, err = userLeaks(ctx, set, set.Queries, engine); err != nil {
		return r, err
	}
	return r, r.measureReaders(ctx, set, engine)
}

func (r *Report) measure(ctx context.Context, set Set, engine Engine) error {
	everyone := set.everyone()
	var took []time.Duration
	for _, q := range set.Queries {
		relevant := set.Relevant[q.ID]
		if len(relevant) == 0 {
			continue
		}
		start := time.Now()
		ranking, err := engine.Search(ctx, q.Text, core.Filter{Principals: everyone}, depth)
		if err != nil {
			return err
		}
		took = append(took, time.Since(start))
		r.Quality.count(ranking, relevant)
		r.Each = append(r.Each, scored(q, ranking, relevant))
		r.language(q, engine).count(ranking, relevant)
	}
	r.Quality.finish()
	for _, l := range r.ByLanguage {
		l.finish()
	}
	r.Latency = Latency{P50: milliseconds(Percentile(took, 50)), P95: milliseconds(Percentile(took, 95))}
	return nil
}

func (r *Report) language(q Query, engine Engine) *Quality {
	l := q.Language
	if l == "" {
		l = engine.Language(q.Text)
	}
	if l == "" {
		l = "unknown"
	}
	if r.ByLanguage[l] == nil {
		r.ByLanguage[l] = &Quality{}
	}
	return r.ByLanguage[l]
}

func (q *Quality) count(ranking []string, relevant map[string]int) {
	q.Queries++
	q.sumNDCG += NDCG(ranking, relevant, 10)
	q.sumRec += Recall(ranking, relevant, depth)
	q.sumMRR += MRR(ranking, relevant, 10)
}

func (q *Quality) finish() {
	n := float64(max(1, q.Queries))
	q.NDCG10, q.Recall, q.MRR10 = q.sumNDCG/n, q.sumRec/n, q.sumMRR/n
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// userLeaks counts documents that a user got and may not read. A document that
// the set does not know counts too.
func userLeaks(ctx context.Context, set Set, queries []Query, engine Engine) (int, error) {
	access := set.access()
	leaks := 0
	for _, user := range slices.Sorted(maps.Keys(set.Users)) {
		principals := set.Users[user]
		for _, q := range queries {
			ranking, err := engine.Search(ctx, q.Text, core.Filter{Principals: principals}, depth)
			if err != nil {
				return leaks, err
			}
			for _, id := range ranking {
				if a, ok := access[id]; !ok || !a.Allows(principals) {
					leaks++
				}
			}
		}
	}
	return leaks, nil
}
