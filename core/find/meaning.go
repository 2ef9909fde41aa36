package find

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Hybrid is the part of core.VectorIndex that searches need.
type Hybrid interface {
	Hybrid(ctx context.Context, q core.HybridQuery) ([]core.HybridHit, error)
}

// Embeddings makes vectors of queries.
type Embeddings interface {
	// Live is the set that Hybrid searches; false while there is none.
	Live() (core.VectorSet, bool)
	// Queries returns a vector for each text, from the model of the set.
	Queries(ctx context.Context, set core.VectorSet, texts []string) ([][]float32, error)
}

const defaultEmbedPatience = 800 * time.Millisecond

// meaning is what a Finder needs to search by vector.
type meaning struct {
	hybrid     Hybrid
	embeddings Embeddings
	patience   time.Duration
	share      float64
}

func newMeaning(o Options) meaning {
	m := meaning{hybrid: o.Hybrid, embeddings: o.Embeddings, patience: o.EmbedPatience, share: o.KeywordShare}
	if m.patience <= 0 {
		m.patience = defaultEmbedPatience
	}
	if m.share <= 0 || m.share > 1 {
		m.share = DefaultKeywordShare
	}
	if m.share == 1 {
		m.hybrid = nil // vectors would count for nothing
	}
	return m
}

// vectors are those of one search's queries. The zero value searches by words.
type vectors struct {
	set core.VectorSet
	of  map[string][]float32 // by query
}

// embed makes the vectors of a search's queries. Where that fails or takes too
// long the search goes by words, and the query's WordsOnly is told why: the error's
// kind, because the sentence may name the endpoint, which is nothing for readers.
func (f *Finder) embed(ctx context.Context, q Query, queries []weighted) vectors {
	m := f.meaning
	if m.hybrid == nil || m.embeddings == nil {
		return vectors{}
	}
	set, live := m.embeddings.Live()
	if !live {
		q.wordsOnly("no vectors are ready yet")
		return vectors{}
	}
	texts := make([]string, len(queries))
	for i, one := range queries {
		texts[i] = one.text
	}
	limited, cancel := context.WithTimeout(ctx, m.patience)
	defer cancel()
	found, err := m.embeddings.Queries(limited, set, texts)
	if err == nil && len(found) != len(texts) {
		err = core.Errorf(core.KindInternal, "There are %d vectors for %d queries.", len(found), len(texts))
	}
	if err != nil {
		if ctx.Err() == nil {
			f.log.WarnContext(ctx, "queries not embedded, searching by words", "kind", core.KindOf(err), "error", err)
			q.wordsOnly("the query has no vector: " + string(core.KindOf(err)))
		}
		return vectors{}
	}
	v := vectors{set: set, of: make(map[string][]float32, len(texts))}
	for i, text := range texts {
		v.of[text] = found[i]
	}
	return v
}

func (q Query) wordsOnly(reason string) {
	if q.WordsOnly != nil {
		q.WordsOnly(reason)
	}
}

// one asks the index for one query: by words and vector where it has one.
//
// Vectors never change a hit's coverage: a nearest passage there always is, also
// for a question that nothing answers, and how near is near enough differs from
// model to model. So a passage that only its vector found is offered to the model,
// which reads it, and is never quoted without a model on that alone.
func (f *Finder) one(ctx context.Context, q core.KeywordQuery, v vectors) (List, error) {
	vector := v.of[q.Text]
	if vector == nil {
		return f.byWords(ctx, q)
	}
	hits, err := f.meaning.hybrid.Hybrid(ctx, core.HybridQuery{KeywordQuery: q, Vector: vector})
	switch kind := core.KindOf(err); {
	case err == nil && f.stillLive(v.set):
		return List{Hits: Mix(hits, f.meaning.share), parts: hits}, nil
	case err == nil, ctx.Err() == nil && (kind == core.KindUnavailable || kind == core.KindInvalid):
		// Another set came into use meanwhile, in which this vector means nothing.
		f.log.DebugContext(ctx, "search by words after vectors changed", "error", err)
		return f.byWords(ctx, q)
	}
	return List{}, err
}

func (f *Finder) byWords(ctx context.Context, q core.KeywordQuery) (List, error) {
	hits, err := f.index.Keyword(ctx, q)
	return List{Hits: hits}, err
}

func (f *Finder) stillLive(set core.VectorSet) bool {
	now, live := f.meaning.embeddings.Live()
	return live && now == set
}
