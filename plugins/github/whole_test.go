package github

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/ingest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins"
	"github.com/footnote-bot/footnote/store"
	"github.com/footnote-bot/footnote/store/index"
)

// The test binary is also the connector.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "serve-plugin" {
		sdk.Serve("github", "1.0.0", New)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// counted extracts a text as it is, and counts. It is an index as well, which
// counts the documents whose passages it was given.
type counted struct{ extracted, put atomic.Int64 }

func (c *counted) Text(_ context.Context, _, _, body string) (extract.Content, error) {
	c.extracted.Add(1)
	return extract.Content{Language: "en", Blocks: []extract.Block{{Kind: extract.KindParagraph, Text: body}}}, nil
}

func (c *counted) File(context.Context, string, string, io.Reader) (extract.Content, error) {
	return extract.Content{}, fmt.Errorf("there are no files")
}

func (c *counted) Put(_ context.Context, docs []core.IndexedDocument) error {
	c.put.Add(int64(len(docs)))
	return nil
}
func (c *counted) SetFacts(context.Context, []core.Facts) error                   { return nil }
func (c *counted) Delete(context.Context, []string) error                         { return nil }
func (c *counted) Keyword(context.Context, core.KeywordQuery) ([]core.Hit, error) { return nil, nil }

// company is the connector in a process of its own, with a ledger behind it.
type company struct {
	t     testing.TB
	store *store.Store
	sync  *ingest.Syncer
	conn  *plugins.Connection
	src   core.Source
	count counted
}

func newCompany(t testing.TB, config map[string]any) *company {
	c := &company{t: t}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	c.src = core.Source{Name: "code", Connector: "github", Config: text}
	c.store, err = store.Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	c.check(err)
	t.Cleanup(func() { c.check(c.store.Close()) })
	c.check(c.store.PutSource(t.Context(), c.src))
	c.sync = ingest.New(ingest.Options{Ledger: c.store, Outbox: c.store, Access: c.store, Index: &c.count, Extractor: &c.count})
	host := plugins.NewHost(plugins.Options{Executable: os.Args[0], Dir: t.TempDir()})
	c.conn, err = host.Open(t.Context(), c.src)
	c.check(err)
	t.Cleanup(func() { c.check(c.conn.Close()) })
	return c
}

func (c *company) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%v (%s)", err, core.KindOf(err))
	}
}

// reads names the documents that a person may read now.
func (c *company) reads(email string) []string {
	c.t.Helper()
	principals := []core.Principal{core.Public}
	if email != "" {
		m, err := c.store.Memberships(c.t.Context(), []string{email}, time.Now())
		c.check(err)
		principals = append(append(principals, core.User(email)), m.Groups...)
	}
	stored, _, err := c.store.SyncedIDs(c.t.Context(), "code")
	c.check(err)
	var out []string
	for _, id := range stored {
		found, err := c.store.Around(c.t.Context(), core.Filter{Principals: principals}, []core.Window{{Document: "code/" + id, From: 0, To: 9}})
		c.check(err)
		if len(found[0]) > 0 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func (c *company) expect(when string, want map[string][]string) {
	c.t.Helper()
	for email, docs := range want {
		if diff := cmp.Diff(docs, c.reads(email)); diff != "" {
			c.t.Errorf("%s: %q reads: %s", when, email, diff)
		}
	}
}

// What people may read follows GitHub from the next pass on, and no text is read,
// extracted or indexed again for it.
func TestAccessFollowsWithoutReading(t *testing.T) {
	server, open, closed := acme(t)
	c := newCompany(t, map[string]any{
		"repositories": []string{"acme/handbook", "acme/plans"}, "read": []string{"issues", "files"}, "token": secret, "public": "public", "base_url": server.Start(t), "rate": 5000,
	})
	handbook := []string{"11/blob/README.md", "11/blob/docs/travel.md", "11/issues/1"}
	plans := []string{"12/blob/plan.md", "12/issues/1"}
	both := slices.Concat(handbook, plans)
	_, err := c.sync.Sync(t.Context(), c.src, c.conn, ingest.SyncOptions{})
	c.check(err)
	c.expect("at first", map[string][]string{"": handbook, "ann@example.com": both, "bob@acme.test": both, "joe@example.com": handbook})
	extracted, put := c.count.extracted.Load(), c.count.put.Load()
	texts := server.Requests("blob") + server.Requests("comments")
	if extracted != 5 || put != 5 {
		t.Errorf("%d extracted, %d put", extracted, put)
	}
	pass := func() {
		t.Helper()
		_, err := c.sync.Grants(t.Context(), c.src, c.conn, ingest.SyncOptions{})
		c.check(err)
	}
	server.Change(func(time.Time) {
		open.Visibility, open.Collaborators = "private", []string{"ann", "bob"}
		closed.Collaborators = []string{"ann"}
	})
	pass()
	c.expect("made private, and Bob removed from the plans", map[string][]string{"": nil, "ann@example.com": both, "bob@acme.test": handbook})
	server.Change(func(time.Time) { open.Visibility = "public" })
	pass()
	c.expect("public again", map[string][]string{"": handbook, "ann@example.com": both, "bob@acme.test": handbook})
	if e, p, r := c.count.extracted.Load()-extracted, c.count.put.Load()-put, server.Requests("blob")+server.Requests("comments")-texts; e+p != 0 || r != 0 {
		t.Errorf("%d texts extracted, %d put, %d read again", e, p, r)
	}

	server.Change(func(time.Time) { open.Gone = true })
	if _, err := c.sync.Sync(t.Context(), c.src, c.conn, ingest.SyncOptions{}); core.KindOf(err) == "" {
		t.Error("a repository that vanished is no error")
	}
	c.expect("vanished", map[string][]string{"": nil, "ann@example.com": plans})
	server.Change(func(time.Time) { open.Gone = false })
	_, err = c.sync.Sync(t.Context(), c.src, c.conn, ingest.SyncOptions{})
	c.check(err)
	c.expect("back", map[string][]string{"": handbook, "ann@example.com": both, "bob@acme.test": handbook})
}

// The page about the connector names every setting.
func TestPageNamesSettings(t *testing.T) {
	page, err := os.ReadFile("../../docs/connectors/github.md")
	if err != nil {
		t.Fatal(err)
	}
	host := plugins.NewHost(plugins.Options{Executable: os.Args[0], Dir: t.TempDir()})
	about, err := host.Describe(t.Context(), "github")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(about.Schema, &schema); err != nil || len(schema.Properties) < 10 {
		t.Fatalf("%v, %d settings", err, len(schema.Properties))
	}
	for name := range schema.Properties {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/connectors/github.md does not name %s", name)
		}
	}
	if diff := cmp.Diff([]string{"check", "list", "grants", "search"}, about.Features); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkIndexed is the same as BenchmarkSync through a process of the connector,
// to committed and searchable.
func BenchmarkIndexed(b *testing.B) {
	const items = 3000
	server, _ := many(items)
	address := server.Start(b)
	for b.Loop() {
		c := newCompany(b, map[string]any{"repositories": []string{"acme/big"}, "token": secret, "public": "public", "base_url": address, "rate": 1e6})
		name, err := c.store.InstallID(b.Context())
		c.check(err)
		found, err := index.Open(b.Context(), b.TempDir(), index.Options{Install: name})
		c.check(err)
		c.sync = ingest.New(ingest.Options{Ledger: c.store, Outbox: c.store, Access: c.store, Index: found, Fresh: found.Fresh(), Extractor: &c.count})
		_, err = c.sync.Sync(b.Context(), c.src, c.conn, ingest.SyncOptions{})
		c.check(err)
		if n := c.count.extracted.Load(); n != items+2 {
			b.Fatalf("%d documents", n)
		}
		c.check(found.Close())
	}
	b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds(), "documents/s")
}
