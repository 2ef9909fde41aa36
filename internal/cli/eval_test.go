package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/eval"
)

// smallSet is a test set whose right answers are plain.
func smallSet() map[string]string {
	return map[string]string{
		"set/corpus.jsonl": `{"_id":"en-park","title":"Parking","text":"Visitors park on level minus two.","metadata":{}}
{"_id":"en-pay","title":"Pay","text":"The director earns ninety thousand crowns.","metadata":{}}
{"_id":"de-kaffee","title":"Kaffee","text":"Die Kaffeemaschine wird jeden zweiten Freitag entkalkt.","metadata":{}}
`,
		"set/queries.jsonl": `{"_id":"en-1","text":"Where do visitors park?"}
{"_id":"en-2","text":"What does the director earn?"}
{"_id":"de-1","text":"Wann wird die Kaffeemaschine entkalkt?"}
`,
		"set/qrels.tsv": "query-id\tcorpus-id\tscore\nen-1\ten-park\t1\nen-2\ten-pay\t1\nde-1\tde-kaffee\t1\n",
		"set/acl.tsv":   "corpus-id\tgroup\nen-park\tpublic\nen-pay\thr\nde-kaffee\tpublic\n",
		"users.json":    `{"ann":["public"],"bob":["public","hr"]}`,
	}
}

func TestEvalMeasures(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(smallSet())
	var r eval.Report
	if err := json.Unmarshal([]byte(u.must("eval", "set", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Documents != 3 || r.Queries != 3 || r.NDCG10 != 1 || r.Recall != 1 || r.MRR10 != 1 || r.Leaks != 0 {
		t.Errorf("report = %+v", r)
	}
	if r.ByLanguage["de"] == nil || r.ByLanguage["de"].Queries != 1 || r.ByLanguage["en"] == nil {
		t.Errorf("by language = %v", r.ByLanguage)
	}
	if text := u.must("eval", "set"); !strings.Contains(text, "nDCG@10 1.0000") || !strings.Contains(text, "leaks 0") {
		t.Errorf("text:\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(u.dir, "data")); err == nil {
		t.Error("eval must not touch the data folder")
	}
}

func TestEvalReadsTheOriginalLayout(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	set := smallSet()
	set["set/qrels/test.tsv"] = set["set/qrels.tsv"]
	delete(set, "set/qrels.tsv")
	u.write(set)
	if text := u.must("eval", "set"); !strings.Contains(text, "over 3 queries") {
		t.Errorf("text:\n%s", text)
	}
}

func TestEvalNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(smallSet())
	u.write(map[string]string{"set/queries.jsonl": "{\"_id\":\"1\",\"text\":\"a\"}\nnot json\n"})
	if o := u.run("eval", "set"); o.code == 0 || !strings.Contains(o.err, "queries.jsonl") || !strings.Contains(o.err, "2") {
		t.Errorf("bad row: %+v", o)
	}
	if o := u.run("eval", "nowhere"); o.code == 0 || !strings.Contains(o.err, "nowhere") {
		t.Errorf("missing folder: %+v", o)
	}
}

// TestBenchFloors runs the command on the retrieval test sets, which are not
// part of this repository.
func TestBenchFloors(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("BENCH_DIR")
	if dir == "" {
		t.Skip("BENCH_DIR is not set: it names the folder of the retrieval test sets")
	}
	for set, floor := range map[string]float64{"product-docs": 0.68, "zh-cmrc-trial": 0.95} {
		t.Run(set, func(t *testing.T) {
			var r eval.Report
			if err := json.Unmarshal([]byte(newUser(t).must("eval", filepath.Join(dir, set), "--json")), &r); err != nil {
				t.Fatal(err)
			}
			t.Logf("nDCG@10 %.4f, recall@100 %.4f, p50 %.1f ms", r.NDCG10, r.Recall, r.Latency.P50)
			if r.NDCG10 < floor || r.Leaks != 0 {
				t.Errorf("nDCG@10 %.4f, want %.2f; %d leaks, want 0", r.NDCG10, floor, r.Leaks)
			}
		})
	}
}

// The second configuration leaves out what does not cover all of a question.
func TestEvalComparesConfigurations(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(smallSet())
	u.write(map[string]string{"plain.yaml": "retrieval: {planning: off}\n", "strict.yaml": "retrieval: {min_score: 1}\n"})
	var v besideView
	if err := json.Unmarshal([]byte(u.must("eval", "set", "--compare", "plain.yaml,strict.yaml", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	c := v.Comparison
	if v.Before.Configuration != "plain.yaml" || v.Before.NDCG10 != 1 || v.Now.NDCG10 >= 1 || c.Compared != 3 || c.Worse == 0 || c.Better != 0 || len(c.Differences) != c.Worse {
		t.Errorf("%+v", v)
	}
	if d := c.Differences[0]; d.Gain != -1 || d.Before.Rank != 1 || d.Now.Rank != 0 || d.Query == "" {
		t.Errorf("%+v", d)
	}
	text := u.must("eval", "set", "--compare", "plain.yaml")
	if !strings.Contains(text, "0 better, 0 worse of 3 queries") || strings.Count(text, "nDCG@10 1.0000") != 2 || !strings.Contains(text, "in use") {
		t.Errorf("text:\n%s", text)
	}
	for _, args := range [][]string{
		{"--compare", "a.yaml,b.yaml,c.yaml"}, {"--compare", "plain.yaml", "--record", "v"}, {"--baseline", "report.json"},
	} {
		if o := u.run(append([]string{"eval", "set"}, args...)...); o.code != 2 {
			t.Errorf("%v: exit code %d: %s", args, o.code, o.err)
		}
	}
}
