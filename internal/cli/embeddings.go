package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/ingest/embed"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// embeddings gives passages and queries their vectors.
type embeddings struct {
	cfg      config.Embeddings
	embedder *embed.Embedder
	queries  *find.QueryVectors
	searched *writeBehind // what the vectors of queries used
	running  atomic.Bool  // the worker runs, in the process that serves

	open func(model.Config, countCall) (embed.Model, error)
	base model.Config

	mu   sync.Mutex
	made map[core.VectorSet]embed.Model // for queries
}

// embeddingsKey is where the ledger keeps what stops the embedding of passages.
const embeddingsKey = "embeddings_trouble"

// openEmbeddings makes searches use vectors as they did before. It asks no model.
func (a *app) openEmbeddings(ctx context.Context) error {
	e := &embeddings{cfg: a.cfg.Embeddings, made: map[core.VectorSet]embed.Model{}, open: a.embeddingModel}
	e.base = model.Config{
		BaseURL: e.cfg.BaseURL, Name: e.cfg.Name, APIKey: e.cfg.APIKey, Profile: e.cfg.Profile,
		Concurrency: -1, Section: "embeddings", Log: a.log,
	}
	e.searched = newWriteBehind(a.countSearched)
	o := embed.Options{
		Ledger: a.store, Sets: a.store, Index: a.index, Name: setName(e.cfg), Dimensions: e.cfg.Dimensions,
		Prefix: e.cfg.PassagePrefix, Batch: e.cfg.Batch, Requests: e.cfg.Concurrency,
		Held: a.embeddingsHeld, Trouble: a.noteEmbeddings, Log: a.log,
	}
	if e.cfg.Configured() || a.vectors != nil {
		var err error
		if o.Model, err = e.open(e.base, a.countEmbedding); err != nil {
			return err
		}
	}
	e.embedder = embed.New(o)
	e.queries = find.NewQueryVectors(e.embedder.Live, func(set core.VectorSet) (find.QueryModel, string, error) {
		return e.queryModel(set, a.noteSearched)
	})
	a.embeddings = e
	return e.embedder.Restore(ctx)
}

// vectorsLost is called by the index.
func (a *app) vectorsLost() {
	if a.embeddings != nil {
		a.embeddings.embedder.Lost()
	}
}

// finding is what searches work with. Words count with the share given; 0 is the
// default.
func (a *app) finding(share float64) find.Options {
	o := find.Options{
		Index: a.index, Gate: a.store, Censors: a.sources, Live: a.sources, Curation: a.store, KeywordShare: share, Log: a.log,
		Successors: a.store, MinScore: a.cfg.Retrieval.MinScore,
	}
	if a.reranker != nil {
		o.Reranker = a.reranker
	}
	if a.embeddings.configured() {
		o.Hybrid, o.Embeddings = a.index, a.embeddings.queries
	}
	a.limitSearch(&o)
	return o
}

// embeddingModel opens the model of the endpoint, or the one that stands in for it,
// which costs nothing.
func (a *app) embeddingModel(cfg model.Config, count countCall) (embed.Model, error) {
	if a.vectors != nil {
		return a.vectors(cfg)
	}
	client, err := model.New(cfg)
	if err != nil {
		return nil, err
	}
	return countedEmbeddings{client, a, count}, nil
}

// setName tells the vectors of a model from all others. What stands before each
// passage changes its vector.
func setName(cfg config.Embeddings) string {
	if cfg.PassagePrefix == "" {
		return cfg.Name
	}
	sum := sha256.Sum256([]byte(cfg.PassagePrefix))
	return cfg.Name + prefixMark + hex.EncodeToString(sum[:4])
}

const prefixMark = " with prefix "

// queryModel is the model of a set, asked once and without retries: a search does
// not wait for it. While another model's vectors are made that is the one before.
func (e *embeddings) queryModel(set core.VectorSet, count countCall) (find.QueryModel, string, error) {
	name, _, _ := strings.Cut(set.Model, prefixMark)
	prefix := ""
	if name == e.cfg.Name {
		prefix = e.cfg.QueryPrefix
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if m, ok := e.made[set]; ok {
		return m, prefix, nil
	}
	cfg := e.base
	cfg.Name, cfg.Dimensions, cfg.Retries = name, set.Dimensions, -1
	m, err := e.open(cfg, count)
	if err != nil {
		return nil, "", err
	}
	e.made[set] = m
	return m, prefix, nil
}

// configured tells whether passages are embedded.
func (e *embeddings) configured() bool { return e.embedder.Model != nil }

// run embeds until ctx ends.
func (e *embeddings) run(ctx context.Context) {
	if !e.configured() {
		return
	}
	e.running.Store(true)
	defer e.running.Store(false)
	e.embedder.Run(ctx)
}

// noteEmbeddings keeps what stops the embedding of passages, so that every command
// can tell it.
func (a *app) noteEmbeddings(ctx context.Context, err error) {
	a.noteTrouble(ctx, embeddingsKey, setName(a.cfg.Embeddings), err)
}

func (a *app) embeddingsTrouble(ctx context.Context) (trouble, bool) {
	return a.troubleOf(ctx, embeddingsKey, setName(a.cfg.Embeddings))
}

// wantedSet is the set of the configured model; false until it made a vector.
func (a *app) wantedSet(ctx context.Context) (wanted core.VectorSet, sets core.VectorSets, is bool, err error) {
	sets, err = a.store.VectorSets(ctx)
	for _, set := range sets.Known {
		dimensions := a.cfg.Embeddings.Dimensions
		if set.Model == a.embeddings.embedder.Name && (dimensions == 0 || dimensions == set.Dimensions) {
			return set, sets, true, err
		}
	}
	return wanted, sets, false, err
}

// embedNow embeds what waits, after documents were read by command. The process
// that serves does it by itself. What stops it is no failure of the command. Contexts
// come first, because they are embedded, too.
func (inv *invocation) embedNow(ctx context.Context, a *app) {
	inv.contextsNow(ctx, a)
	e := a.embeddings
	if !e.configured() {
		return
	}
	if e.running.Load() {
		e.embedder.Kick()
		return
	}
	bar := inv.progress("embeddings")
	defer bar.done()
	err := e.embedder.CatchUp(ctx, func(n int) { bar.tell(fmt.Sprintf("embeddings: %d passages", n)) })
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(inv.streams.Err, "note: passages wait for their vectors, search finds them by their words: %v\n", err)
	}
}
