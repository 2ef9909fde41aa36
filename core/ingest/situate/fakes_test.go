package situate_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/situate"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/store"
)

// bench is a ledger and a model on loopback.
type bench struct {
	t       *testing.T
	store   *store.Store
	server  *modeltest.Server
	settled int
}

func newBench(t *testing.T, script modeltest.Script) *bench {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &bench{t: t, store: s, server: modeltest.Start(script)}
	t.Cleanup(b.server.Close)
	b.must(s.PutSource(t.Context(), core.Source{Name: "docs", Connector: "files", Config: json.RawMessage("{}"), Origin: core.FromCommand}))
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// put stores a document whose title is its id.
func (b *bench) put(id string, passages ...string) {
	b.t.Helper()
	e := core.Entry{Document: core.Document{ID: "docs/" + id, Source: "docs", ExternalID: id, Title: id}, Content: sha256.Sum256(fmt.Append(nil, passages))}
	for i, text := range passages {
		e.Passages = append(e.Passages, core.Passage{Ordinal: i, Text: text})
	}
	b.must(b.store.Commit(b.t.Context(), core.Batch{Source: "docs", Content: []core.Entry{e}}))
}

// settle is the index: it takes what there is.
func (b *bench) settle(ctx context.Context) error {
	log, err := b.store.Backlog(ctx, 10000, 1<<30)
	if err != nil {
		return err
	}
	b.settled++
	return b.store.Confirm(ctx, log)
}

func (b *bench) situator(change func(*situate.Options)) *situate.Situator {
	b.t.Helper()
	client, err := model.New(model.Config{BaseURL: b.server.URL, Name: "small", Retries: -1, Section: "retrieval.contexts"})
	b.must(err)
	o := situate.Options{Ledger: b.store, Answers: b.store, Model: client, Settle: b.settle, Requests: 1}
	if change != nil {
		change(&o)
	}
	return situate.New(o)
}

// contexts are those of all passages, by text.
func (b *bench) contexts() map[string]string {
	b.t.Helper()
	b.must(b.store.Unconfirm(b.t.Context()))
	log, err := b.store.Backlog(b.t.Context(), 10000, 1<<30)
	b.must(err)
	out := map[string]string{}
	for _, d := range log.Content {
		for _, p := range d.Passages {
			out[p.Text] = p.Context
		}
	}
	return out
}

// passageOf is the text of the passage that a call was about.
func passageOf(c modeltest.Chat) string {
	_, after, _ := strings.Cut(c.Messages[len(c.Messages)-1].Content, "The passage, as a JSON object:\n")
	var p struct{ Text string }
	_ = json.Unmarshal([]byte(after), &p)
	return p.Text
}

// echo says of each passage that it is about its text.
func echo(c modeltest.Chat) modeltest.Reply { return modeltest.Reply{Text: "About " + passageOf(c)} }
