package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// chargers is a document of three passages, of which searches for charging find the
// second, and the third where it is asked for by name.
func chargers() *fakeIndex {
	d := core.Document{ID: "wiki/dock", Source: "wiki", Title: "The dock", URL: "https://wiki.example.com/dock", Access: core.NewAccess(core.Public)}
	passage := func(n int, text, found string) entry {
		return entry{For: found, Document: d, Passage: core.Passage{Ordinal: n, Page: n + 1, Text: text}}
	}
	return &fakeIndex{entries: []entry{
		passage(0, "The dock stands in the hall.", "no query says this"),
		passage(1, "The robot charges at the dock for forty minutes.", "charg"),
		passage(2, "See https://wiki.example.com/lamp for the lamp.", "no query says this"),
	}}
}

// thinking is a model that plans, searches and answers by what it is asked. Its
// selections keep the first section and read on. The call of the kind that hangs is
// told of.
func thinking(t *testing.T, hang string) (*modeltest.Server, func() []string, <-chan struct{}) {
	t.Helper()
	kind := func(c modeltest.Chat) string {
		switch system := c.Messages[0].Content; {
		case strings.HasPrefix(system, "You prepare a search"):
			return "plan"
		case strings.HasPrefix(system, "You choose which sections"):
			return "select"
		case len(c.Messages) > 2 && c.Messages[len(c.Messages)-2].Role == "tool" || c.Messages[len(c.Messages)-1].Role == "tool":
			return "answer"
		}
		return "search"
	}
	reached := make(chan struct{}, 1)
	srv := modeltest.Start(modeltest.Script{Think: func(c modeltest.Chat) modeltest.Reply {
		used := &modeltest.Usage{Prompt: 100, Completion: 10}
		k := kind(c)
		if k == hang {
			reached <- struct{}{}
			return modeltest.Reply{HangAfter: modeltest.N(0)}
		}
		switch k {
		case "plan":
			return modeltest.Reply{Text: `{"rewrite":"How long does charging the robot take?","keywords":["charging time"],"sources":null,"time":null,"authors":null}`, Usage: used}
		case "select":
			return modeltest.Reply{Text: `{"sections":[{"number":1,"keep":true,"extent":"neighbours"}]}`, Usage: used}
		case "answer":
			return modeltest.Reply{Text: "Forty minutes [1]. The lamp: https://wiki.example.com/lamp", Usage: used}
		}
		return modeltest.Reply{Usage: used, Calls: []modeltest.Call{{Name: "internal_search", Arguments: json.RawMessage(`{"queries":["robot charging duration"]}`)}}}
	}})
	t.Cleanup(srv.Close)
	return srv, func() []string {
		var out []string
		for _, r := range srv.Requests() {
			out = append(out, kind(r.Chat))
		}
		return out
	}, reached
}

func planner(index *fakeIndex, selection find.When) *find.Planner {
	return find.NewPlanner(find.PlannerOptions{Passages: index, Selection: selection, PlanPatience: time.Minute})
}

// A question that says everything itself costs no further call.
func TestSimpleQuestionIsNotPlanned(t *testing.T) {
	srv, kinds, _ := thinking(t, "")
	index := chargers()
	a := agent.New(agent.Options{Model: connect(t, srv.URL, setup{}), Searcher: index, Planner: planner(index, find.Auto), NewID: func() string { return "t" }})
	turn, err := a.Answer(t.Context(), asked("How long does a robot charge?"), func(core.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"search", "answer"}, kinds()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(turn.Answer.Citations) != 1 {
		t.Errorf("answer %+v", turn.Answer)
	}
}

// Both calls belong to the turn: its usage, its cost and its trace. The section is
// what the model reads; the citation points at its best passage and that one's page;
// an address that stands in the section stays live.
func TestPlannedTurn(t *testing.T) {
	srv, kinds, _ := thinking(t, "")
	index := chargers()
	index.entries = append(index.entries, entry{For: "charg", Document: core.Document{ID: "wiki/b", Source: "wiki", Access: core.NewAccess(core.Public)},
		Passage: core.Passage{Text: "Charging is dear."}})
	a := agent.New(agent.Options{
		Model: connect(t, srv.URL, setup{}), Searcher: index, Planner: planner(index, find.Always), NewID: func() string { return "t" },
		Cost: func(string, core.Usage) (float64, bool) { return 0.5, true },
	})
	q := asked("And how long does it take?")
	q.History = []core.Turn{{ID: "old", Question: "Does the robot charge by itself?", Answer: core.Answer{Text: "It does."}}}
	q.Audience.List = core.ListFull
	var queries []string
	turn, err := a.Answer(t.Context(), q, func(e core.Event) {
		if run, ok := e.(core.QueryRun); ok {
			queries = append(queries, run.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"search", "plan", "select", "answer"}, kinds()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"How long does charging the robot take?", "charging time", "robot charging duration"}, queries); diff != "" {
		t.Errorf("queries told (-want +got):\n%s", diff)
	}
	if u := turn.Answer.Usage; u == nil || u.PromptTokens != 400 || u.CompletionTokens != 40 {
		t.Errorf("usage %+v", turn.Answer.Usage)
	}
	checkPlannedTrace(t, turn)
	c := turn.Answer.Citations
	if len(c) != 1 || c[0].Passage != "The robot charges at the dock for forty minutes." || c[0].Page != 2 {
		t.Errorf("citations %+v", c)
	}
	if !strings.Contains(turn.Answer.Text, "https://wiki.example.com/lamp") {
		t.Errorf("answer %q", turn.Answer.Text)
	}
	last := srv.Requests()[3].Chat.Messages
	shown := ""
	for _, m := range last {
		if m.Role == "tool" {
			shown += m.Content
		}
	}
	if !strings.Contains(shown, `stands in the hall.\n\nThe robot charges at the dock for forty minutes.\n\nSee https`) || strings.Contains(shown, "dear") {
		t.Errorf("the model reads %s", shown)
	}
}

func checkPlannedTrace(t *testing.T, turn core.Turn) {
	t.Helper()
	trace, err := agent.ParseTrace(turn.Trace)
	if err != nil {
		t.Fatal(err)
	}
	var purposes []string
	for _, m := range trace.Models {
		purposes = append(purposes, m.Purpose)
		if m.Cost == nil {
			t.Error("a call without its cost")
		}
	}
	if diff := cmp.Diff([]string{"", "plan", "select", ""}, purposes); diff != "" {
		t.Errorf("model calls (-want +got):\n%s", diff)
	}
	s := trace.Tools[0].Search
	if s == nil || len(s.Queries) != 4 || s.Queries[0].Weight != 1.3 || len(s.Sections) != 2 || s.Sections[1].Verdict != "drop" {
		t.Errorf("search %+v", s)
	}
	if trace.Tools[0].Candidates[0].With != 2 {
		t.Errorf("candidates %+v", trace.Tools[0].Candidates)
	}
	if strings.Contains(string(turn.Trace), "forty minutes") {
		t.Error("the trace holds a document's text")
	}
}

// Stopping the turn ends either call at once, and nothing is asked after it.
func TestCancelEndsPlanningAndSelection(t *testing.T) {
	for _, where := range []string{"plan", "select"} {
		t.Run(where, func(t *testing.T) {
			srv, kinds, reached := thinking(t, where)
			index := chargers()
			index.entries[0].For = "charg"
			index.entries = append(index.entries, entry{For: "charg", Document: core.Document{ID: "wiki/b", Source: "wiki", Access: core.NewAccess(core.Public)},
				Passage: core.Passage{Text: "Charging is dear."}})
			a := agent.New(agent.Options{Model: connect(t, srv.URL, setup{}), Searcher: index,
				Planner: find.NewPlanner(find.PlannerOptions{Passages: index, Selection: find.Always, PlanPatience: time.Minute, SelectPatience: time.Minute}),
				NewID:   func() string { return "t" }})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan core.Turn, 1)
			go func() {
				turn, err := a.Answer(ctx, asked("And how long does it take?"), func(core.Event) {})
				if err != nil {
					t.Error(err)
				}
				done <- turn
			}()
			select {
			case <-reached:
			case turn := <-done:
				t.Fatalf("the turn ended before: %+v", turn.Answer)
			}
			cancel()
			if turn := <-done; !turn.Answer.Stopped {
				t.Errorf("answer %+v", turn.Answer)
			}
			if all := kinds(); all[len(all)-1] != where {
				t.Errorf("calls %q", all)
			}
		})
	}
}

// Where the context is small the section gives way before the passage.
func TestSectionGivesWay(t *testing.T) {
	srv, _, _ := thinking(t, "")
	index := chargers()
	for _, n := range []int{0, 2} {
		index.entries[n].Passage.Text = strings.Repeat("filler ", 1500)
	}
	big := bigSection{index}
	a := agent.New(agent.Options{Model: connect(t, srv.URL, setup{}), Searcher: big, Window: 4000, NewID: func() string { return "t" }})
	turn, err := a.Answer(t.Context(), asked("How long does a robot charge?"), func(core.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range srv.Requests()[1].Chat.Messages {
		if m.Role == "tool" && (strings.Contains(m.Content, "filler") || !strings.Contains(m.Content, "forty minutes")) {
			t.Errorf("the model reads %.300s", m.Content)
		}
	}
	if c := turn.Answer.Citations; len(c) != 1 || c[0].Passage != index.entries[1].Passage.Text {
		t.Errorf("citations %+v", c)
	}
}

// bigSection finds passages with everything around them.
type bigSection struct{ *fakeIndex }

func (b bigSection) Search(ctx context.Context, q agent.Query) ([]core.Result, error) {
	found, err := b.fakeIndex.Search(ctx, q)
	for i, r := range found {
		around, err := b.Around(ctx, q, []core.Window{{Document: r.Document.ID, To: 9}})
		if err != nil {
			return nil, err
		}
		for _, one := range around[0] {
			found[i].Section = append(found[i].Section, one.Passage)
		}
	}
	return found, err
}
