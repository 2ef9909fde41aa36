package indextest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/store/index"
	"github.com/footnote-bot/footnote/store/typesense"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

// TestFilterCases holds the definition of a filter, each index and a whole search
// against the rows in testdata/filters.
func TestFilterCases(t *testing.T) {
	t.Run("embedded", func(t *testing.T) {
		x, err := index.Open(t.Context(), t.TempDir(), index.Options{Install: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		checkRows(t, x)
	})
	t.Run("typesense", func(t *testing.T) {
		x, err := typesense.New(typesense.Options{URLs: []string{typesensetest.New(t).URL}, APIKey: typesensetest.Key, Install: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if _, err := x.Prepare(t.Context(), "", false); err != nil {
			t.Fatal(err)
		}
		checkRows(t, x)
	})
}

func checkRows(t *testing.T, x core.Index) {
	files, err := filepath.Glob(filepath.Join("testdata", "filters", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in testdata/filters: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			r, err := parseRow(line)
			if r.Name == "" {
				r.Name = fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			}
			t.Run(r.Name, func(t *testing.T) {
				if err != nil {
					t.Fatalf("%s, line %d: %v", file, i+1, err)
				}
				checkRow(t, x, r)
			})
		}
	}
}

func checkRow(t *testing.T, x core.Index, r row) {
	docs, filter := r.documents(), r.filter()
	ids, byFilter := []string{}, []string{}
	for _, d := range docs {
		ids = append(ids, d.Facts.Document)
		if filter.Allows(d.Facts) {
			byFilter = append(byFilter, d.Facts.Document)
		}
	}
	if err := x.Put(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Delete(t.Context(), ids); err != nil {
			t.Error(err)
		}
	}()
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Filter: filter, Limit: len(docs) + 1})
	if err != nil {
		t.Fatal(err)
	}
	byIndex := []string{}
	for _, h := range hits {
		byIndex = append(byIndex, h.Document)
	}
	if diff := cmp.Diff(byFilter, byIndex); diff != "" {
		t.Errorf("the index differs from the filter (-filter +index):\n%s", diff)
	}
	if diff := cmp.Diff(r.wanted(), r.search(t, x, gate(docs), filter)); diff != "" {
		t.Errorf("a search differs from the row (-want +got):\n%s", diff)
	}
}

// search goes the whole way, the sources' censors included.
func (r row) search(t *testing.T, x core.Index, g gate, f core.Filter) []string {
	o := find.Options{Index: x, Gate: g}
	if r.Filter.Censor != nil {
		o.Censors = r.Filter.Censor
	}
	finder := find.New(o)
	defer finder.Close()
	found, err := finder.Search(t.Context(), find.Query{
		Queries: []string{"walrus"}, Filter: f, Limit: len(g) + 1, Viewer: r.viewer(), Named: func(core.Document) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, hit := range found {
		out = append(out, hit.Document.ID)
	}
	return out
}

// TestFilterRowsAreStrict makes sure that a row which says something unknown is
// not passed over.
func TestFilterRowsAreStrict(t *testing.T) {
	const doc = `{"id": "a", "acl": ["PUBLIC"], "source": "s", "sets": [], "tags": [], "updated": null, "created": null, "hidden": false}`
	for name, line := range map[string]string{
		"a key of the row":             `{"name": "x", "docs": [` + doc + `], "filter": {}, "want_ids": ["a"], "expect": []}`,
		"a key of the filter":          `{"name": "x", "docs": [], "filter": {"tenant": 1}, "want_ids": []}`,
		"a key of a document":          `{"name": "x", "docs": [{"id": "a", "owner": "b"}], "filter": {}, "want_ids": []}`,
		"a key of a range":             `{"name": "x", "docs": [], "filter": {"updated_range": {"from": null}}, "want_ids": []}`,
		"a key of the audience":        `{"name": "x", "docs": [], "filter": {"audience": {"kind": "dm", "team": []}}, "want_ids": []}`,
		"a key of the censor":          `{"name": "x", "docs": [], "filter": {"censor": {"late": []}}, "want_ids": []}`,
		"a kind":                       `{"name": "x", "docs": [], "filter": {"audience": {"kind": "forum"}}, "want_ids": []}`,
		"no kind":                      `{"name": "x", "docs": [], "filter": {"audience": {}}, "want_ids": []}`,
		"a tag mode":                   `{"name": "x", "docs": [], "filter": {"tag_mode": "all"}, "want_ids": []}`,
		"a time":                       `{"name": "x", "docs": [], "filter": {"updated_range": {"start": "yesterday"}}, "want_ids": []}`,
		"an ancestor":                  `{"name": "x", "docs": [], "filter": {"ancestors": [null]}, "want_ids": []}`,
		"a document that occurs twice": `{"name": "x", "docs": [` + doc + `,` + doc + `], "filter": {}, "want_ids": ["a"]}`,
		"a wish for no document":       `{"name": "x", "docs": [` + doc + `], "filter": {}, "want_ids": ["b"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := parseRow([]byte(line)); err == nil {
				t.Errorf("read as %+v, want an error", r)
			}
		})
	}
}
