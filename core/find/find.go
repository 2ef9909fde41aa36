// Package find answers one question's searches: it asks the index, fuses what
// several queries found, chooses passages and lets nothing out that the ledger
// does not allow at that moment.
package find

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
)

// Index is the part of core.Index that searches need.
type Index interface {
	Keyword(ctx context.Context, q core.KeywordQuery) ([]core.Hit, error)
}

// Gate lets passages out of the ledger. It decides on access as it is now.
type Gate interface {
	// Visible returns those of the passages that exist and that the filter
	// allows, in the order of the ids.
	Visible(ctx context.Context, f core.Filter, ids []core.PassageID) ([]core.Result, error)
	// Around returns the passages of each window, in the order of the windows and by
	// ordinal; none of a document that the filter does not allow.
	Around(ctx context.Context, f core.Filter, windows []core.Window) ([][]core.Result, error)
}

// Options are the parts that a Finder works with.
type Options struct {
	Index    Index
	Gate     Gate
	Censors  Censors       // nil if no source has a censor
	Patience time.Duration // how long a censor may take in all for one search; 0 means 2 s
	Live     Live          // nil searches the index only
	// LivePatience is how long a source may take to answer a live search; 0 means 3 s.
	LivePatience time.Duration
	Hybrid       Hybrid     // nil searches by words only
	Embeddings   Embeddings // of queries, for Hybrid
	// EmbedPatience is how long the vectors of a search's queries may take; 0 means 800 ms.
	EmbedPatience time.Duration
	KeywordShare  float64    // how much words count beside vectors; 0 means DefaultKeywordShare
	Curation      Curation   // nil knows of no votes
	Successors    Successors // nil lets no document take another's place
	Reranker      Reranker   // nil leaves the order as it is
	// RerankPatience is how long the reranker may take; 0 means 1.5 s.
	RerankPatience time.Duration
	// MinScore is the least share of a question's words, weighed by their rarity, that
	// a passage covers; 0 leaves nothing out. See core.Hit.Coverage: what only its
	// vector found covers nothing.
	MinScore float64
	Now      func() time.Time // the clock that documents age by; nil means time.Now
	Log      *slog.Logger     // nil discards
}

// Finder searches. Its methods may be called from several goroutines.
type Finder struct {
	index    Index
	gate     Gate
	censors  Censors
	patience time.Duration
	live     Live
	log      *slog.Logger
	running  sync.WaitGroup // calls of censors and live sources, also those that were given up

	livePatience time.Duration
	meaning      meaning
	curation     Curation
	successors   Successors
	ranker       *ranker
	minScore     float64
	now          func() time.Time
}

// New makes a Finder. Index and Gate are required.
func New(o Options) *Finder {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.LivePatience <= 0 {
		o.LivePatience = defaultLivePatience
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Finder{
		index: o.Index, gate: o.Gate, censors: o.Censors, patience: o.Patience, log: o.Log,
		live: o.Live, livePatience: o.LivePatience,
		meaning: newMeaning(o), curation: o.Curation, now: o.Now,
		successors: o.Successors, ranker: newRanker(o), minScore: o.MinScore,
	}
}

// Close waits for calls of censors and sources that were given up. No method may be called
// after it.
func (f *Finder) Close() { f.running.Wait() }

// Query asks for the passages that serve one question.
type Query struct {
	Queries []string // the user's own words first, then other ways to ask
	// Wordings are asked of the index instead of the queries; nil asks these, with
	// votes by their place.
	Wordings []Wording
	Filter   core.Filter
	Limit    int // at most this many results; 0 means 20
	// Viewer is the only reader of what is found. Nil means that there are others
	// or that it is not known who reads: sources with a censor then give nothing.
	Viewer *core.Viewer
	// Live also asks the sources that can search in their own systems, with the
	// first query and for the viewer, who must be known by e-mail: else none is
	// asked. What they find and the ledger holds has to pass the gate. What the
	// ledger does not hold has no passage id, and may be shown to the viewer alone.
	Live bool
	// Missed is told the sources that failed or did not answer in time, by the
	// goroutine of Search; nil tells nobody.
	Missed func(source string)
	// WordsOnly is told why a search that should have used vectors went by words
	// alone, by the goroutine of Search; nil tells nobody.
	WordsOnly func(reason string)
	// Named tells of which documents title and metadata may be said where this is
	// read; nil says of none. A reranker gets no other titles, and with a condition or
	// a folder (core.Filter.Where and Under) no other documents are found.
	Named func(core.Document) bool
	// Unranked is told why a search that should have been reranked was not, by the
	// goroutine of Search; nil tells nobody.
	Unranked func(reason string)
	// Why is told of each result, in their order and by the goroutine of Search, why it
	// stands where it stands; nil tells nobody.
	Why func(core.Result, Reason)

	// failed is the sources that did not say in time what may be shown while one
	// result was read around: none is waited for twice. Nil remembers nothing.
	failed map[string]bool
}

const (
	defaultLimit = 20
	minDepth     = 60   // hits asked of the index for each query
	maxDepth     = 2000 // where the gate or the caps leave too little
	deeper       = 4

	ownWeight   = 0.5 // of the user's words beside other queries
	otherWeight = 0.7
)

// Search returns the best passages, best first; equal scores are ordered by
// passage id. Every result has passed the gate and its source's censor.
func (f *Finder) Search(ctx context.Context, q Query) ([]core.Result, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	queries := q.weighed()
	if len(queries) == 0 {
		return nil, nil
	}
	check := f.newCheck(q.Viewer)
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	live, waited := f.askLive(asking, q, limit), false
	var beside []List
	byVector, w := f.embed(ctx, q, queries), newWeighing(q, queries)
	for depth := max(minDepth, 3*limit, f.together(limit)); ; depth *= deeper {
		lists, exhausted, err := f.ask(ctx, queries, byVector, q.Filter, depth)
		if err == nil && !waited {
			beside, err = live.wait(ctx, check)
			w.noteLive(beside)
			waited = true
		}
		if err != nil {
			return nil, err
		}
		all := append(lists, beside...)
		out, err := f.pick(ctx, q.Filter, check, Fuse(all), w, limit)
		if err != nil || len(out) >= limit || exhausted || depth >= maxDepth {
			f.log.DebugContext(ctx, "search done", "queries", len(queries), "depth", depth, "results", len(out), "error", err)
			w.explain(out, queries, all)
			return withoutLiveIDs(out), err
		}
	}
}

// weighted is a query and its vote.
type weighted struct {
	text   string
	weight float64
}

// weigh gives each query its vote. Queries that differ only in case or spaces
// are one, with the sum of their votes.
func weigh(queries []string) []weighted {
	var out []weighted
	at := map[string]int{}
	for i, text := range queries {
		key := strings.ToLower(strings.Join(strings.Fields(text), " "))
		if key == "" {
			continue
		}
		vote := otherWeight
		if i == 0 {
			vote = ownWeight
		}
		if n, ok := at[key]; ok {
			out[n].weight += vote
			continue
		}
		at[key] = len(out)
		out = append(out, weighted{text: text, weight: vote})
	}
	return out
}

// ask runs all queries at once. It tells whether the index has nothing beyond
// what it gave.
func (f *Finder) ask(ctx context.Context, queries []weighted, v vectors, filter core.Filter, depth int) ([]List, bool, error) {
	lists := make([]List, len(queries))
	g, ctx := errgroup.WithContext(ctx)
	for i, q := range queries {
		g.Go(func() error {
			list, err := f.one(ctx, core.KeywordQuery{Text: q.text, Filter: filter, Limit: depth}, v)
			list.Weight = q.weight
			lists[i] = list
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, false, err
	}
	exhausted := true
	for _, l := range lists {
		exhausted = exhausted && len(l.Hits) < depth
	}
	return lists, exhausted, nil
}
