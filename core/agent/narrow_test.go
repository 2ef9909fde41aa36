package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
)

// noted is a searcher that finds nothing and remembers what it was asked.
type noted struct{ asked []agent.Query }

func (n *noted) Search(_ context.Context, q agent.Query) ([]core.Result, error) {
	n.asked = append(n.asked, q)
	return nil, nil
}

// What a question asks for lies inside of what the agent knows; the reader is told
// of it; and the operators are kept with the question and not searched for.
func TestQuestionNarrowsItself(t *testing.T) {
	index := &noted{}
	a := agent.New(agent.Options{Searcher: index, NewID: func() string { return "t" }})
	q := asked("in:wiki in:payroll how many days?")
	q.Agent.Sources = []string{"wiki", "drive"}
	q.Narrow = core.Narrow{Sources: []string{"wiki", "payroll"}, Text: "how many days?", Said: []string{"in:wiki", "in:payroll"}}
	var told []string
	turn, err := a.Answer(t.Context(), q, func(e core.Event) {
		if n, ok := e.(core.Noticed); ok && n.Kind == "narrowed" {
			told = append(told, n.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if turn.Question != q.Text {
		t.Errorf("kept as %q", turn.Question)
	}
	if len(told) != 1 || !strings.Contains(told[0], "in:wiki, in:payroll") {
		t.Errorf("told %q", told)
	}
	if len(index.asked) == 0 {
		t.Fatal("nothing was searched")
	}
	for _, one := range index.asked {
		if !slices.Equal(one.Filter.Sources, []string{"wiki"}) {
			t.Errorf("searched in %q", one.Filter.Sources)
		}
		if slices.ContainsFunc(one.Queries, func(s string) bool { return strings.Contains(s, "in:") }) {
			t.Errorf("searched for %q", one.Queries)
		}
	}
}
