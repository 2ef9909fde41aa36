package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/find"
)

// The page of a question tells how it was searched; of one that was asked in private,
// only what does not say what was asked.
func TestShownToolTellsHowItWasSearched(t *testing.T) {
	t.Parallel()
	tool := agent.TraceTool{Name: "internal_search", Queries: []string{"secret plan"}, Arguments: json.RawMessage(`{"queries":["secret plan"]}`), Search: &find.Trace{
		Queries: []find.TraceQuery{{Text: "secret plan", Weight: 1.3}}, Sources: []string{"secret source"}, From: "2026-01-01", Authors: []string{"secret author"},
		Candidates: 7, Unselected: "the model did not answer in time",
		Sections: []find.TraceSection{{Document: "wiki/1", Passage: 3, Verdict: "drop"}},
	}}
	open, private := shownTool(tool, true), shownTool(tool, false)
	for _, want := range []string{"query: secret plan (weight 1.3)", "only in: secret source", "from 2026-01-01 to any day", "documents by secret author", "found 7 passages", "not selected by the model", "section 1, wiki/1, passage 3, drop"} {
		if !strings.Contains(strings.Join(open.Steps, "\n"), want) {
			t.Errorf("%q is not in %q", want, open.Steps)
		}
	}
	raw, err := json.Marshal(private)
	if err != nil {
		t.Fatal(err)
	}
	if told := string(raw); strings.Contains(told, "secret") || strings.Contains(told, "2026") || !strings.Contains(told, "found 7 passages") {
		t.Errorf("of a private question the page tells %s", told)
	}
}
