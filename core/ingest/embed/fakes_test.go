package embed_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/embed"
	"github.com/footnote-bot/footnote/store"
)

// index keeps vectors and nothing else.
type index struct {
	mu   sync.Mutex
	sets map[core.VectorSet]map[core.PassageID][]float32
	use  core.VectorSet
	fail error // of the next UseVectors
	puts int   // vectors, in all
}

func newIndex() *index {
	return &index{sets: map[core.VectorSet]map[core.PassageID][]float32{}}
}

func (x *index) PutVectors(_ context.Context, set core.VectorSet, vectors []core.PassageVector) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, v := range vectors {
		if x.sets[set] == nil {
			x.sets[set] = map[core.PassageID][]float32{}
		}
		x.sets[set][v.Passage] = v.Vector
		x.puts++
	}
	return nil
}

func (x *index) Embedded(_ context.Context, set core.VectorSet) ([]core.PassageID, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Sorted(maps.Keys(x.sets[set])), nil
}

func (x *index) UseVectors(_ context.Context, use core.VectorSet, keep ...core.VectorSet) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.fail; err != nil {
		x.fail = nil
		return err
	}
	x.use = use
	maps.DeleteFunc(x.sets, func(set core.VectorSet, _ map[core.PassageID][]float32) bool {
		return set != use && !slices.Contains(keep, set)
	})
	return nil
}

// model makes a vector of a text's length and first byte.
type model struct {
	mu         sync.Mutex
	dimensions int
	fail       func(texts []string) error
	asked      int      // requests
	paid       []string // texts of requests that succeeded
}

func (m *model) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if m.fail != nil {
		if err := m.fail(texts); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, m.dimensions)
		out[i][0], out[i][1] = float32(len(text)), float32(text[0])
		m.paid = append(m.paid, text)
	}
	return out, nil
}

// refusing fails for every request that holds one of the words.
func refusing(kind core.Kind, words ...string) func([]string) error {
	return func(texts []string) error {
		for _, text := range texts {
			for _, w := range words {
				if strings.Contains(text, w) {
					return core.Errorf(kind, "the model does not take %s", w)
				}
			}
		}
		return nil
	}
}

func down([]string) error { return core.Errorf(core.KindBusy, "the endpoint is busy (429)") }

// bench is a ledger, an index and a model.
type bench struct {
	t     *testing.T
	store *store.Store
	index *index
	model *model
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &bench{t: t, store: s, index: newIndex(), model: &model{dimensions: 2}}
	b.must(s.PutSource(t.Context(), core.Source{Name: "docs", Connector: "files", Config: json.RawMessage("{}"), Origin: core.FromCommand}))
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// put stores documents and notes that the index has them.
func (b *bench) put(documents map[string][]string) {
	b.t.Helper()
	var entries []core.Entry
	for _, id := range slices.Sorted(maps.Keys(documents)) {
		e := core.Entry{Document: core.Document{ID: "docs/" + id, Source: "docs", ExternalID: id, Title: "T"}, Content: sha256.Sum256(fmt.Append(nil, documents[id]))}
		for i, text := range documents[id] {
			e.Passages = append(e.Passages, core.Passage{Ordinal: i, Text: text})
		}
		entries = append(entries, e)
	}
	b.must(b.store.Commit(b.t.Context(), core.Batch{Source: "docs", Content: entries}))
	b.confirm()
}

func (b *bench) confirm() {
	b.t.Helper()
	log, err := b.store.Backlog(b.t.Context(), 10000, 1<<30)
	b.must(err)
	b.must(b.store.Confirm(b.t.Context(), log))
}

func (b *bench) embedder(change func(*embed.Options)) *embed.Embedder {
	o := embed.Options{Ledger: b.store, Sets: b.store, Index: b.index, Model: b.model, Name: "m", Batch: 4, Requests: 1}
	if change != nil {
		change(&o)
	}
	return embed.New(o)
}

func (b *bench) counts(set core.VectorSet) core.VectorCounts {
	b.t.Helper()
	c, err := b.store.VectorCounts(b.t.Context(), set, "")
	b.must(err)
	return c
}

// some are that many different texts.
func some(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("text number %d", i)
	}
	return out
}

func keysOf(m map[core.PassageID][]float32) func(func(core.PassageID) bool) { return maps.Keys(m) }
