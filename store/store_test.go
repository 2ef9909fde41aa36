package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// empty is the file of a ledger of the newest schema in which nothing was written. It
// is made once: with the race detector that takes longer than most tests do.
var empty = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "ledger-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	known, err := migrations()
	if err != nil {
		return nil, err
	}
	s := &Store{path: filepath.Join(dir, FileName), log: slog.New(slog.DiscardHandler)}
	if s.writer, err = openSessions(context.Background(), dsn(s.path, "synchronous(OFF)"), 1); err != nil {
		return nil, err
	}
	if err := errors.Join(s.migrate(context.Background(), known), s.writer.close()); err != nil {
		return nil, err
	}
	return os.ReadFile(s.path)
})

// open opens the ledger in a folder, a new one if there is none.
func open(t testing.TB, dir string) *Store {
	t.Helper()
	path, err := prepare(dir)
	check(t, err)
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		file, err := empty()
		check(t, err)
		check(t, os.WriteFile(path, file, 0o600)) // leaves the mode of a file that is there
	}
	return openAsIs(t, dir)
}

// openAsIs opens what lies in a folder, which may be nothing.
func openAsIs(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// check fails the test on an error; it reads better than three lines each time.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (%s)", err, core.KindOf(err))
	}
}

func wantKind(t testing.TB, err error, kind core.Kind) {
	t.Helper()
	if core.KindOf(err) != kind {
		t.Fatalf("got error %v of kind %q, want kind %q", err, core.KindOf(err), kind)
	}
}

// handbook is a ledger with one source that grants access to the workspace.
func handbook(t testing.TB) *Store {
	s := open(t, t.TempDir())
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	return s
}

func handbookSource(access ...core.Principal) core.Source {
	return core.Source{Name: "handbook", Connector: "files", Config: json.RawMessage(`{"dir":"docs"}`),
		Access: core.NewAccess(access...), Every: 15 * time.Minute, Origin: core.FromConfig}
}

// page is a document of handbook with the passages.
func page(id string, access []core.Principal, passages ...string) core.Entry {
	e := core.Entry{
		Document: core.Document{
			ID: "handbook/" + id, Source: "handbook", ExternalID: id, Title: "Page " + id,
			URL: "https://example.com/" + id, Kind: "page", MediaType: "text/markdown", Authors: []string{"Ana"},
			Updated: time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC), Meta: map[string]string{"space": "hr"},
			Access: core.NewAccess(access...), Language: "en",
		},
		Content: sha256.Sum256(fmt.Append(nil, passages)),
		Facts:   sha256.Sum256(fmt.Append(nil, access)),
	}
	for i, text := range passages {
		e.Passages = append(e.Passages, core.Passage{Ordinal: i, Heading: "H", Page: i + 1, Text: text})
	}
	return e
}

func put(t testing.TB, s *Store, entries ...core.Entry) {
	t.Helper()
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Content: entries}))
}

func around(t testing.TB, s *Store, document string, principals ...core.Principal) []core.Result {
	t.Helper()
	found, err := s.Around(t.Context(), core.Filter{Principals: principals}, []core.Window{{Document: "handbook/" + document, To: 99}})
	check(t, err)
	return found[0]
}

func diff(t testing.TB, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("(-want +got)\n%s", d)
	}
}

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	check(t, err)
	id, err := first.InstallID(t.Context())
	check(t, err)
	check(t, first.PutSource(t.Context(), handbookSource(core.Workspace)))
	put(t, first, page("a", []core.Principal{core.Public}, "one", "two"))
	check(t, first.Close())

	second := open(t, dir)
	again, err := second.InstallID(t.Context())
	check(t, err)
	if id == "" || id != again {
		t.Fatalf("install id changed from %q to %q", id, again)
	}
	if found := around(t, second, "a"); len(found) != 2 || found[1].Passage.Text != "two" {
		t.Fatalf("got %+v", found)
	}
}
