package find_test

import (
	"context"
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/find"
)

// answered counts the queries that get quotes, and those whose quotes hold a
// relevant document.
func answered(t *testing.T, p *pipeline, queries []eval.Query, relevant map[string]map[string]int) (quoted, right int) {
	t.Helper()
	finder := find.New(find.Options{Index: p.index, Gate: p})
	for _, q := range queries {
		results, err := finder.Search(context.Background(), find.Query{Queries: []string{q.Text}, Filter: core.Filter{Bypass: true}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		quotes := find.Answers(q.Text, results)
		if len(quotes) > 0 {
			quoted++
		}
		if slices.ContainsFunc(quotes, func(r core.Result) bool { return relevant[q.ID][r.Document.ID] > 0 }) {
			right++
		}
	}
	return quoted, right
}

// TestForeignQuestions asks each corpus its own questions, most of which must
// get quotes, and those of another, which must get none.
func TestForeignQuestions(t *testing.T) {
	const most = 120
	sets := map[string]eval.Set{}
	for _, name := range []string{"product-docs", "zh-cmrc-trial", "scifact", "xquad-dev"} {
		s := benchSet(t, name)
		step := max(1, len(s.Queries)/most)
		var some []eval.Query
		for i := 0; i < len(s.Queries); i += step {
			some = append(some, s.Queries[i])
		}
		s.Queries = some
		sets[name] = s
	}
	for corpus, s := range sets {
		if corpus == "xquad-dev" {
			continue
		}
		t.Run(corpus, func(t *testing.T) {
			p := newPipeline(t)
			if err := p.Index(t.Context(), s.Documents); err != nil {
				t.Fatal(err)
			}
			for from, other := range sets {
				quoted, right := answered(t, p, other.Queries, s.Relevant)
				n := len(other.Queries)
				t.Logf("%s: %d questions, %d quoted, %d rightly", from, n, quoted, right)
				if from != corpus && quoted*100 > 8*n {
					t.Errorf("%d of %d questions of %s are answered from %s", quoted, n, from, corpus)
				}
				if from == corpus && quoted*100 < 80*n {
					t.Errorf("%d of its own %d questions are answered from %s", quoted, n, corpus)
				}
			}
		})
	}
}
