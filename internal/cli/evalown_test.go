package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/eval"
)

// The team's own questions are asked as those who ask them, compared with before and
// with other configurations, and end with 1 where something was lost.
func TestEvalOwnQuestions(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	u.write(map[string]string{
		"q.jsonl": `{"question":"Where do visitors park?","expect":["docs/parking.md"],"answer":["level minus two"]}
{"question":"What does the managing director earn?","expect":["docs/secret/pay.md"],"as":"boss@example.com"}
{"question":"What does the managing director earn?","answer":["91000 crowns"],"as":"eve@example.com"}
`,
		"same.yaml": "retrieval: {planning: off}\n",
		"less.yaml": "agents: [{name: default, sources: [none]}]\n",
	})
	raw := u.must("eval", "q.jsonl", "--json")
	var r ownView
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		t.Fatal(err)
	}
	if r.Found != 1 || r.MRR != 1 || r.Answered == nil || *r.Answered != 0.5 || *r.Results[2].Answered || len(r.Results) != 3 {
		t.Errorf("report: %s", raw)
	}
	if text := u.must("eval", "q.jsonl"); !strings.Contains(text, "3 questions: found@10 1.000") || !strings.Contains(text, "(as boss@example.com)") {
		t.Errorf("text: %s", text)
	}
	if err := os.WriteFile(filepath.Join(u.dir, "base.json"), []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	u.must("eval", "q.jsonl", "--baseline", "base.json")
	u.must("eval", "q.jsonl", "--compare", "same.yaml")
	o := u.run("eval", "q.jsonl", "--compare", "same.yaml,less.yaml", "--json")
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != exitFailure || r.Comparison.Worse != 2 || r.Comparison.Changes[0].Verdict != eval.Lost {
		t.Errorf("%v: %+v", err, o)
	}
	u.write(map[string]string{"docs/parking.md": "# Parking\n\nThere is none.\n"})
	u.must("sync")
	if o := u.run("eval", "q.jsonl", "--baseline", "base.json"); o.code != exitFailure || !strings.Contains(o.out, "0 better, 1 worse of 3") || !strings.Contains(o.out, "answer not in context, before") {
		t.Errorf("after a change: %+v", o)
	}
	u.must("eval", "q.jsonl", "--baseline", "base.json", "--tolerate", "0.4")
	if o := u.run("eval", "q.jsonl", "--baseline", "q.jsonl"); o.code != exitFailure || !strings.Contains(o.err, "no report") {
		t.Errorf("no report: %+v", o)
	}
}
