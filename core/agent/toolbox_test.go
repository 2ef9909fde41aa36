package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// missing is a searcher of which two sources do not answer, where they are asked.
type missing struct {
	fakeIndex
	live []bool
}

func (m *missing) Search(ctx context.Context, q agent.Query) ([]core.Result, error) {
	m.live = append(m.live, q.Live)
	if q.Live {
		q.Missed("crm")
		q.Missed("tracker")
	}
	return m.fakeIndex.Search(ctx, q)
}

// outsideTool tells what the ledger does not hold.
type outsideTool struct{ name string }

func (o outsideTool) Spec() agent.Spec {
	return agent.Spec{Tool: model.Tool{Name: o.name, Schema: json.RawMessage(`{"type":"object"}`)}}
}

func (o outsideTool) Run(context.Context, agent.Call) (agent.Result, error) {
	return agent.Result{Text: "seven", Outside: "crm/" + o.name}, nil
}

func lastResults(srv *modeltest.Server) (out []string) {
	requests := srv.Requests()
	for _, m := range requests[len(requests)-1].Chat.Messages {
		if m.Role == "tool" {
			out = append(out, m.Content)
		}
	}
	return out
}

func toolNamesSent(srv *modeltest.Server) string {
	raw, err := json.Marshal(srv.Requests()[0].Chat.Tools)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func TestSourcesThatDoNotAnswerAreNoted(t *testing.T) {
	for name, alone := range map[string]bool{"one reader": true, "several": false} {
		t.Run(name, func(t *testing.T) {
			srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
				{Calls: []modeltest.Call{{Name: "internal_search", Arguments: json.RawMessage(`{"queries":["cranes"]}`)}}}, {Text: "I do not know."},
			}})
			defer srv.Close()
			index := &missing{}
			a := agent.New(agent.Options{Model: connect(t, srv.URL, setup{}), Searcher: index, NewID: func() string { return "t" }})
			q := question(setup{asking: asking{Text: "Where are the cranes?"}})
			q.Audience.AskerOnly = alone
			turn, err := a.Answer(t.Context(), q, func(core.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			noted := strings.Contains(strings.Join(lastResults(srv), ""), "crm, tracker did not answer in time")
			traced := strings.Contains(string(turn.Trace), "did not answer in time")
			if noted != alone || traced != alone || !slices.Equal(index.live, []bool{alone}) {
				t.Fatalf("noted %v, traced %v, live %v", noted, traced, index.live)
			}
		})
	}
}

// A question's own tools come within what is searched and what its agent may use;
// a turn that rests on what they said names it among what it rests on.
func TestToolsOfAQuestion(t *testing.T) {
	srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
		{Calls: []modeltest.Call{{Name: "crm_count", Arguments: json.RawMessage(`{}`)}}}, {Text: "Seven."},
	}})
	defer srv.Close()
	var within core.Filter
	a := agent.New(agent.Options{
		Model: connect(t, srv.URL, setup{}), Searcher: &fakeIndex{}, NewID: func() string { return "t" },
		Toolbox: func(_ context.Context, _ core.Question, f core.Filter) []agent.Tool {
			within = f
			return []agent.Tool{outsideTool{"crm_count"}, outsideTool{"crm_other"}, outsideTool{"internal_search"}}
		},
	})
	q := question(setup{asking: asking{Text: "How many?"}})
	q.Agent.Tools, q.Agent.Sources = []string{"internal_search", "crm_count"}, []string{"crm"}
	turn, err := a.Answer(t.Context(), q, func(core.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(within.Sources, []string{"crm"}) || strings.Contains(toolNamesSent(srv), "crm_other") ||
		strings.Count(toolNamesSent(srv), `"internal_search`) != 1 {
		t.Errorf("within %v: %s", within.Sources, toolNamesSent(srv))
	}
	if got := lastResults(srv); !slices.Equal(got, []string{"seven"}) || !slices.Equal(turn.Used, []string{"/crm/crm_count"}) {
		t.Errorf("results %q, used %v", got, turn.Used)
	}
}
