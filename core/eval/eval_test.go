package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func TestMetrics(t *testing.T) {
	for _, row := range []struct {
		name              string
		ranking           string
		relevant          map[string]int
		ndcg, recall, mrr float64
	}{
		{"first", "a b c", map[string]int{"a": 1}, 1, 1, 1},
		{"second", "b a c", map[string]int{"a": 1}, 1 / math.Log2(3), 1, 0.5},
		{"both", "a b c", map[string]int{"a": 1, "b": 1}, 1, 1, 1},
		{"one of two", "x a", map[string]int{"a": 1, "b": 1}, (1 / math.Log2(3)) / (1 + 1/math.Log2(3)), 0.5, 0.5},
		{"gains", "b a", map[string]int{"a": 3, "b": 1}, (1 + 3/math.Log2(3)) / (3 + 1/math.Log2(3)), 1, 1},
		{"after ten", "1 2 3 4 5 6 7 8 9 10 a", map[string]int{"a": 1}, 0, 1, 0},
		{"nothing found", "", map[string]int{"a": 1}, 0, 0, 0},
		{"nothing relevant", "a", nil, 0, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			ranking := strings.Fields(row.ranking)
			for what, pair := range map[string][2]float64{
				"NDCG":   {NDCG(ranking, row.relevant, 10), row.ndcg},
				"Recall": {Recall(ranking, row.relevant, 100), row.recall},
				"MRR":    {MRR(ranking, row.relevant, 10), row.mrr},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12 {
					t.Errorf("%s = %v, want %v", what, pair[0], pair[1])
				}
			}
		})
	}
}

func TestPercentile(t *testing.T) {
	var values []time.Duration
	for i := 100; i >= 1; i-- {
		values = append(values, time.Duration(i))
	}
	for p, want := range map[float64]time.Duration{0: 1, 50: 50, 95: 95, 99.5: 100, 100: 100} {
		if got := Percentile(values, p); got != want {
			t.Errorf("Percentile(%v) = %d, want %d", p, got, want)
		}
	}
	if got := Percentile(nil, 50); got != 0 {
		t.Errorf("Percentile of nothing = %d", got)
	}
}

var good = map[string]string{
	"corpus.jsonl": `{"_id":"d1","title":"One","text":"walrus"}` + "\r\n\n" +
		`{"_id":"d2","title":"","text":"walrus","metadata":{"x":1}}` + "\n" + `{"_id":"d3","text":"walrus"}`,
	"queries.jsonl": `{"_id":"es-1","text":"morsa"}` + "\n" + `{"_id":"q2","text":"walrus","metadata":{"language":"en"}}` + "\n" + `{"_id":"q3","text":"unjudged"}` + "\n",
	"qrels.tsv":     "query-id\tcorpus-id\tscore\nes-1\td1\t1\nq2\td2\t1\nq2\td3\t0\n",
	"acl.tsv":       "corpus-id\tgroup\nd1\tpublic\nd2\teng\n",
	"users.json":    `{"alice":["public","eng"],"dave":["public"]}`,
}

func writeSet(t *testing.T, change map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "set")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range good {
		if c, ok := change[name]; ok {
			text = c
		}
		if text == "-" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	s, err := Read(writeSet(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Set{
		Documents: []Document{
			{ID: "d1", Title: "One", Text: "walrus", Access: core.NewAccess(core.Public)},
			{ID: "d2", Text: "walrus", Access: core.NewAccess("group:bench/eng")},
			{ID: "d3", Text: "walrus", Access: core.Access{}},
		},
		Queries:  []Query{{"es-1", "morsa", "es"}, {"q2", "walrus", "en"}, {"q3", "unjudged", ""}},
		Relevant: map[string]map[string]int{"es-1": {"d1": 1}, "q2": {"d2": 1}},
		Users:    map[string][]core.Principal{"alice": {core.Public, "group:bench/eng"}, "dave": {core.Public}},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("Read differs (-want +got):\n%s", diff)
	}
}

func TestReadWithoutAccess(t *testing.T) {
	s, err := Read(writeSet(t, map[string]string{"acl.tsv": "-", "users.json": "-"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Documents {
		if !d.Access.Allows(nil) {
			t.Errorf("%s is not public", d.ID)
		}
	}
	if len(s.Users) != 0 {
		t.Errorf("users = %v, want none", s.Users)
	}
}

func TestUsersOfParent(t *testing.T) {
	dir := writeSet(t, nil)
	if err := os.Rename(filepath.Join(dir, "users.json"), filepath.Join(dir, "..", "users.json")); err != nil {
		t.Fatal(err)
	}
	if s, err := Read(dir); err != nil || len(s.Users) != 2 {
		t.Errorf("users = %v, %v, want two", s.Users, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, row := range []struct {
		name, file, text string
		kind             core.Kind
		says             string
	}{
		{"no corpus", "corpus.jsonl", "-", core.KindNotFound, "corpus.jsonl"},
		{"no users", "users.json", "-", core.KindNotFound, "users.json"},
		{"users are a list", "users.json", "[]", core.KindInvalid, "users.json"},
		{"broken JSON", "corpus.jsonl", "{\"_id\":\"a\"}\n\n{", core.KindInvalid, "corpus.jsonl, line 3"},
		{"id twice", "corpus.jsonl", "{\"_id\":\"a\"}\n{\"_id\":\"a\"}", core.KindInvalid, "corpus.jsonl, line 2"},
		{"id missing", "queries.jsonl", "{\"text\":\"a\"}", core.KindInvalid, "queries.jsonl, line 1"},
		{"field missing", "qrels.tsv", "a\tb\tc\nq\td\n", core.KindInvalid, "qrels.tsv, line 2"},
		{"score is a word", "qrels.tsv", "a\tb\tc\nq\td\thigh\n", core.KindInvalid, "qrels.tsv, line 2"},
		{"group missing", "acl.tsv", "a\tb\nd1\n", core.KindInvalid, "acl.tsv, line 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Read(writeSet(t, map[string]string{row.file: row.text}))
			if core.KindOf(err) != row.kind || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error = %v (%s), want kind %s naming %q", err, core.KindOf(err), row.kind, row.says)
			}
		})
	}
}

// fixed answers every query with all documents of the set; a leaky one forgets
// to ask for access.
type fixed struct {
	docs  []Document
	leaky bool
	deaf  bool // takes no notice of changes
	short bool // finds only the first of what may be read
}

func (f *fixed) Index(_ context.Context, docs []Document) error { f.docs = docs; return nil }
func (f *fixed) Language(string) string                         { return "" }
func (f *fixed) Search(_ context.Context, _ string, filter core.Filter, k int) ([]string, error) {
	var out []string
	for _, d := range f.docs {
		if f.leaky || filter.Allows(core.Facts{Access: d.Access}) {
			out = append(out, d.ID)
		}
	}
	if f.short {
		k = 1
	}
	return out[:min(k, len(out))], nil
}

func (f *fixed) Scan(context.Context, string) ([]string, error) {
	var out []string
	for _, d := range f.docs {
		out = append(out, d.ID)
	}
	return out, nil
}

func (f *fixed) Change(_ context.Context, access map[string]core.Access, removed []string) error {
	if f.deaf {
		return nil
	}
	f.docs = slices.DeleteFunc(slices.Clone(f.docs), func(d Document) bool { return slices.Contains(removed, d.ID) })
	for i, d := range f.docs {
		f.docs[i].Access = access[d.ID]
	}
	return nil
}

// A set of some size, so that every group of readers finds something.
func crowd() Set {
	s := Set{Relevant: map[string]map[string]int{}, Users: map[string][]core.Principal{
		"ann": {core.Public, "group:bench/a"}, "bob": {core.Public, "group:bench/a", "group:bench/b"},
	}}
	access := []core.Access{core.NewAccess(core.Public), core.NewAccess("group:bench/a"), core.NewAccess("group:bench/b"),
		core.NewAccess("group:bench/a", "group:bench/b"), nil}
	for i := range 60 {
		s.Documents = append(s.Documents, Document{ID: fmt.Sprint("d", i), Text: "x", Access: access[i%len(access)]})
	}
	for i := range 3 {
		id := fmt.Sprint("q", i)
		s.Queries = append(s.Queries, Query{ID: id, Text: "x"})
		s.Relevant[id] = map[string]int{"d0": 1, "d1": 1, "d5": 1, "d6": 1, "d8": 1}
	}
	return s
}

func TestReadersTogether(t *testing.T) {
	run := func(engine *fixed) Readers {
		r, err := Run(t.Context(), crowd(), engine)
		if err != nil {
			t.Fatal(err)
		}
		return *r.Readers
	}
	if r := run(&fixed{}); r.Leaks != 0 || r.LeaksAfter != 0 || r.RecallGap != 0 || r.Queries != 3 || len(r.Sizes) != 3 {
		t.Errorf("an engine that heeds everything: %+v", r)
	}
	if r := run(&fixed{leaky: true}); r.Leaks == 0 || r.LeaksAfter == 0 {
		t.Errorf("a leaky engine: %+v", r)
	}
	if r := run(&fixed{deaf: true}); r.Leaks != 0 || r.LeaksAfter == 0 {
		t.Errorf("an engine that is deaf to changes: %+v", r)
	}
	if r := run(&fixed{short: true}); r.RecallGap < 0.5 {
		t.Errorf("an engine that finds too little: %+v", r)
	}
}

func TestRun(t *testing.T) {
	set, err := Read(writeSet(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), set, &fixed{})
	if err != nil {
		t.Fatal(err)
	}
	second := 1 / math.Log2(3)
	if r.Documents != 3 || r.Queries != 2 || r.Leaks != 0 || math.Abs(r.NDCG10-(1+second)/2) > 1e-12 || r.Recall != 1 || r.MRR10 != 0.75 {
		t.Errorf("report = %+v", r)
	}
	if r.ByLanguage["es"].NDCG10 != 1 || math.Abs(r.ByLanguage["en"].NDCG10-second) > 1e-12 {
		t.Errorf("by language: es %+v, en %+v", r.ByLanguage["es"], r.ByLanguage["en"])
	}
	if r, err = Run(t.Context(), set, &fixed{leaky: true}); err != nil || r.Leaks != 3*(1+2) {
		t.Errorf("leaks = %d, %v, want 9: d3 for alice, d2 and d3 for dave, three queries each", r.Leaks, err)
	}
}

func TestReportKeys(t *testing.T) {
	b, err := json.Marshal(Report{ByLanguage: map[string]*Quality{"en": {}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"documents":0,"queries":0,"ndcg_at_10":0,"recall_at_100":0,"mrr_at_10":0,"leaks":0,"latency_ms":{"p50":0,"p95":0},"index_seconds":0,` +
		`"by_language":{"en":{"queries":0,"ndcg_at_10":0,"recall_at_100":0,"mrr_at_10":0}}}`
	if string(b) != want {
		t.Errorf("report = %s, want %s", b, want)
	}
}
