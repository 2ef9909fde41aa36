package ingest_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/store"
	"github.com/footnote-bot/footnote/store/index"
)

// install is the real parts put together, as a process does at its start.
type install struct {
	*world
	search *index.Index
}

func start(t *testing.T, w *world) *install {
	t.Helper()
	s, err := store.Open(t.Context(), w.dir, slog.New(slog.DiscardHandler))
	w.check(err)
	name, err := s.InstallID(t.Context())
	w.check(err)
	x, err := index.Open(t.Context(), filepath.Join(w.dir, "index"), index.Options{Install: name})
	w.check(err)
	reader := extract.New(extract.Options{})
	t.Cleanup(func() { w.check(reader.Close()) })
	w.store = s
	w.sync = ingest.New(ingest.Options{Ledger: s, Outbox: s, Index: x, Fresh: x.Fresh(), Extractor: reader})
	w.check(w.sync.Reconcile(t.Context()))
	return &install{w, x}
}

func (i *install) stop() {
	i.t.Helper()
	i.check(i.search.Close())
	i.check(i.store.Close())
}

// find is what a holder of the principals gets: the index's hits, past the gate.
func (i *install) find(text string, principals ...core.Principal) (out []string) {
	i.t.Helper()
	f := core.Filter{Principals: principals}
	hits, err := i.search.Keyword(i.t.Context(), core.KeywordQuery{Text: text, Filter: f})
	i.check(err)
	var ids []core.PassageID
	for _, h := range hits {
		ids = append(ids, h.Passage)
	}
	found, err := i.store.Visible(i.t.Context(), f, ids)
	i.check(err)
	for _, r := range found {
		out = append(out, r.Document.ExternalID)
	}
	return out
}

func TestRealParts(t *testing.T) {
	w := &world{t: t, dir: t.TempDir(), src: core.Source{Name: "wiki", Connector: "script", Access: core.NewAccess(core.Workspace)}}
	i := start(t, w)
	w.check(w.store.PutSource(t.Context(), w.src))
	leave := core.Upsert{HostAccess: true, Document: core.Document{ExternalID: "leave.md", MediaType: "text/markdown",
		Body: "# Annual leave\n\nAsk your lead.\n\n## Carrying over\n\nFive days may be carried over until the end of March.\n"}}
	pay := upsert("pay", "Salaries are paid on the last working day.", core.User("ana@example.com"))
	w.run(&script{changes: []core.Change{leave, pay}}, ingest.SyncOptions{})
	w.diff("member", []string{"leave.md"}, i.find("days carried over", core.Workspace))
	w.diff("stranger", []string(nil), i.find("days carried over"))
	w.diff("member about pay", []string(nil), i.find("salaries", core.Workspace))
	i.stop()

	i = start(t, w)
	w.diff("after a restart", []string{"leave.md"}, i.find("days carried over", core.Workspace))
	w.src.Access = core.NewAccess(core.Public)
	w.check(w.store.PutSource(t.Context(), w.src))
	w.check(w.sync.Settle(t.Context()))
	w.diff("stranger, now public", []string{"leave.md"}, i.find("days carried over"))
	i.stop()

	w.check(os.RemoveAll(filepath.Join(w.dir, "index")))
	i = start(t, w)
	w.diff("without the old index", []string{"leave.md"}, i.find("days carried over"))
	w.check(w.store.RemoveSource(t.Context(), "wiki"))
	w.diff("after removal, before the index knows", []string(nil), i.find("days carried over"))
	w.check(w.sync.Settle(t.Context()))
	if documents, passages := i.search.Count(); documents != 0 || passages != 0 {
		t.Fatalf("the index still holds %d documents and %d passages", documents, passages)
	}
	i.stop()
}
