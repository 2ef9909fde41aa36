package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/store"
)

// Whatever of a turn may hold what somebody asked, found or wrote says so here, and none
// of it goes to a collector: also not the name of a tool that only the model knows.
func TestTurnTraceTellsNothingPrivate(t *testing.T) {
	const private = "salary of ann@example.com"
	trace := agent.Trace{
		Agent: "helpdesk", Sources: []string{private}, Summary: private, Deleted: []int{1}, Errors: []string{private},
		Tools: []agent.TraceTool{
			{Name: private, Unknown: true, Failed: "There is no tool " + private},
			{
				Name: "internal_search", Arguments: json.RawMessage(`{"q":"` + private + `"}`), Queries: []string{private}, Note: private, Failed: private,
				Candidates: []agent.TraceCandidate{{Document: private}}, Search: &find.Trace{PlanMS: 1, SearchMS: 1, SelectMS: 1, ReadMS: 1},
			},
		},
		Models: []agent.TraceModel{{Model: "m", Purpose: "plan", Error: private}},
		Shown:  []agent.TraceShown{{Document: private}},
	}
	trace.Version = agent.TraceVersion
	raw, err := json.Marshal(trace)
	if err != nil {
		t.Fatal(err)
	}
	turn := core.Turn{Question: private, Asker: private, Place: private, Trace: raw, Answer: core.Answer{Text: private, Citations: []core.Citation{{Title: private}}}}
	got := fmt.Sprintf("%+v", turnTrace(store.Outcome{TurnID: "t"}, turn, core.Wrap(core.KindBusy, errors.New(private), private)))
	if strings.Contains(got, private) || strings.Contains(got, "ann@") {
		t.Errorf("sent: %s", got)
	}
	for _, want := range []string{"execute_tool unknown", "execute_tool internal_search", "chat m", "helpdesk", "search", string(core.KindBusy)} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}
