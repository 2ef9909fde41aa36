package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

// onCluster makes a user's index live on a Typesense of our own.
func (u *user) onCluster(s *typesensetest.Server) {
	u.env["FOOTNOTE_INDEX_KIND"], u.env["FOOTNOTE_INDEX_URL"] = "typesense", s.URL
	u.env["FOOTNOTE_INDEX_API_KEY"] = typesensetest.Key
}

func (u *user) offCluster() {
	for _, name := range []string{"KIND", "URL", "API_KEY"} {
		delete(u.env, "FOOTNOTE_INDEX_"+name)
	}
}

func (u *user) finds(query, title string) {
	u.t.Helper()
	if out := u.must("search", query); !strings.Contains(out, title) {
		u.t.Errorf("footnote search %q does not find %s: %s", query, title, out)
	}
}

func indexCheck(t *testing.T, u *user) check {
	t.Helper()
	return checksOf(t, u.run("doctor", "--json"))["index"]
}

// TestOtherIndex moves the index to a cluster and back. What changes meanwhile is
// found in each.
func TestOtherIndex(t *testing.T) {
	t.Parallel()
	s := typesensetest.New(t)
	u := withLibrary(t)
	u.finds("espresso descaled", "Coffee machine")
	u.onCluster(s)
	u.finds("espresso descaled", "Coffee machine")
	if k := indexCheck(t, u); k.Outcome != passed || !strings.Contains(k.Detail, "Typesense") {
		t.Errorf("the doctor says of the cluster: %+v", k)
	}
	u.write(map[string]string{"docs/zeppelin.md": "# Airship\n\nThe zeppelin is moored behind hall four.\n"})
	u.must("sync")
	u.finds("where is the zeppelin", "Airship")
	u.offCluster()
	u.finds("where is the zeppelin", "Airship")
	if k := indexCheck(t, u); k.Outcome != passed || strings.Contains(k.Detail, "Typesense") {
		t.Errorf("the doctor says of the index in the data folder: %+v", k)
	}
}

// TestClusterOutOfReach ends no sync and no start; questions say so, and everything
// is there once the cluster is.
func TestClusterOutOfReach(t *testing.T) {
	t.Parallel()
	s := typesensetest.New(t)
	u := withLibrary(t)
	u.onCluster(s)
	s.Disturb(func(*http.Request) (int, string) { return http.StatusServiceUnavailable, "Not Ready or Lagging" })
	u.write(map[string]string{"docs/zeppelin.md": "# Airship\n\nThe zeppelin is moored behind hall four.\n"})
	u.must("sync")
	if o := u.run("search", "zeppelin"); o.code == 0 || !strings.Contains(o.err, "Typesense") {
		t.Errorf("footnote search: exit code %d, %s%s", o.code, o.out, o.err)
	}
	if k := indexCheck(t, u); k.Outcome != failed || k.Fix == "" || !strings.Contains(k.Detail, "Typesense") {
		t.Errorf("the doctor says: %+v", k)
	}
	s.Disturb(nil)
	u.finds("zeppelin", "Airship")
	u.finds("espresso descaled", "Coffee machine")
	if k := indexCheck(t, u); k.Outcome != passed {
		t.Errorf("afterwards the doctor says: %+v", k)
	}
}

func TestReindex(t *testing.T) {
	t.Parallel()
	s := typesensetest.New(t)
	u := withLibrary(t)
	reindex := func(want reindexed) string {
		t.Helper()
		var got reindexed
		text := u.must("reindex", "--json")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		if got.Documents != want.Documents || got.Kind != want.Kind || got.Passages < want.Documents {
			t.Errorf("reindex: %+v, want %+v", got, want)
		}
		u.finds("espresso descaled", "Coffee machine")
		return got.Collection
	}
	reindex(reindexed{Documents: len(library()), Kind: "embedded"})
	u.onCluster(s)
	first := reindex(reindexed{Documents: len(library()), Kind: "typesense"})
	second := reindex(reindexed{Documents: len(library()), Kind: "typesense"})
	if first == "" || first == second {
		t.Errorf("collections %q and %q, want a new one each time", first, second)
	}
	for _, name := range s.Collections() {
		if name != second && !strings.HasSuffix(name, "_state") {
			t.Errorf("the collection %s is still there", name)
		}
	}
	if out := u.must("reindex"); !strings.Contains(out, "indexed 5 documents") || !strings.Contains(out, filepath.Base(s.URL)) {
		t.Errorf("reindex prints %q", out)
	}
	// Beside a process that holds the folder.
	running := u.serving()
	third := reindex(reindexed{Documents: len(library()), Kind: "typesense"})
	if third == second {
		t.Errorf("beside serve the collection stayed %s", third)
	}
	running.stop()
	s.Lose(third)
	u.finds("espresso descaled", "Coffee machine")
}

func TestIndexSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"index: {kind: elastic}":                                                       "neither embedded nor typesense",
		"index: {url: 'http://localhost:8108'}":                                        "index.kind: typesense",
		"index: {kind: typesense, url: 'http://localhost:8108'}":                       "index.api_key",
		"index: {kind: typesense, api_key: k, url: 'localhost:8108'}":                  "index.url",
		"index: {kind: typesense, api_key: k, url: 'http://a', collection: 'A B'}":     "index.collection",
		"index: {kind: typesense, api_key: k, url: 'http://a', timeout: soon}":         "index.timeout",
		"index: {kind: typesense, api_key: k, url: 'http://user:word@a', timeout: 1s}": "without a user",
	} {
		u := newUser(t)
		u.write(map[string]string{"footnote.yaml": text + "\n"})
		if o := u.run("doctor"); o.code != exitCode(core.KindConfig) || !strings.Contains(o.err, want) {
			t.Errorf("%s: exit code %d, %s; want %q", text, o.code, o.err, want)
		}
	}
}

// Whoever waits for a start that builds the index is told why, once and only then.
func TestRebuildingIsTold(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	var said []string
	begin := func(many int) *app {
		t.Helper()
		a, err := openApp(t.Context(), mustConfig(t, u), "", discard(), func(a *app) {
			a.many, a.tell = many, func(what string) { said = append(said, what) }
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	end := func(a *app) {
		t.Helper()
		if err := a.close(); err != nil {
			t.Fatal(err)
		}
	}
	start := func(many int) { t.Helper(); end(begin(many)) }
	lose := func() {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(mustConfig(t, u).DataDir, indexFolder)); err != nil {
			t.Fatal(err)
		}
	}
	start(1)
	lose()
	start(0)
	if len(said) != 0 {
		t.Errorf("said %q although there is little to do", said)
	}
	lose()
	start(1)
	if len(said) != 1 || !strings.Contains(said[0], "built from the ledger") {
		t.Errorf("said %q", said)
	}
	a := begin(1)
	if err := a.store.Unconfirm(t.Context()); err != nil { // as what a start leaves that is killed meanwhile
		t.Fatal(err)
	}
	end(a)
	start(1)
	start(1)
	if len(said) != 2 || !strings.Contains(said[1], "that it lacks") {
		t.Errorf("said %q", said)
	}
}
