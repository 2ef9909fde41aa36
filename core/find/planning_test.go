package find

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// scripted is a model that says what its functions say, one for each call; after
// the last one it repeats it.
type scripted struct {
	says []func(context.Context, model.Request) (string, error)

	mu    sync.Mutex
	asked []model.Request
}

func says(reply string) func(context.Context, model.Request) (string, error) {
	return func(context.Context, model.Request) (string, error) { return reply, nil }
}

func hangs(ctx context.Context, _ model.Request) (string, error) {
	<-ctx.Done()
	return "", context.Cause(ctx)
}

func (s *scripted) Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, req)
	n := min(len(s.asked), len(s.says)) - 1
	s.mu.Unlock()
	text, err := s.says[n](ctx, req)
	for piece := range slices.Chunk([]byte(text), 7) {
		if err := each(model.Delta{Text: string(piece)}); err != nil {
			return model.Reply{}, err
		}
	}
	return model.Reply{Text: text, Usage: core.Usage{PromptTokens: 10, CompletionTokens: 2}}, err
}

func (s *scripted) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// input is what the n-th call was asked.
func (s *scripted) input(n int) string { return s.asked[n].Messages[1].Content }

// library is passages that every search finds, as far as the filter allows them.
type library struct {
	results []core.Result
	denied  map[core.PassageID]bool // at Around only: they were closed after the search
	asked   []Query
	looks   []int // windows of each call of Around
	fails   error
}

func (l *library) Search(_ context.Context, q Query) ([]core.Result, error) {
	l.asked = append(l.asked, q)
	var out []core.Result
	for _, r := range l.results {
		if q.Filter.Sources == nil || slices.Contains(q.Filter.Sources, r.Document.Source) {
			out = append(out, r)
		}
	}
	return out[:min(len(out), q.Limit)], l.fails
}

func (l *library) Around(_ context.Context, _ Query, windows []core.Window) ([][]core.Result, error) {
	l.looks = append(l.looks, len(windows))
	out := make([][]core.Result, len(windows))
	for i, w := range windows {
		for _, r := range l.results {
			if r.Document.ID == w.Document && r.Passage.Ordinal >= w.From && r.Passage.Ordinal <= w.To && !l.denied[r.Passage.ID] {
				out[i] = append(out[i], r)
			}
		}
		slices.SortFunc(out[i], func(a, b core.Result) int { return a.Passage.Ordinal - b.Passage.Ordinal })
	}
	return out, nil
}

// passage is the n-th passage of a document such as wiki/a.
func passage(id core.PassageID, document string, n int) core.Result {
	source, name, _ := strings.Cut(document, "/")
	return core.Result{
		Document: core.Document{ID: document, Source: source, ExternalID: name, Title: "Title of " + name},
		Passage:  core.Passage{ID: id, Document: document, Ordinal: n, Text: fmt.Sprintf("Text %d of %s.", n, document)},
	}
}

var named3 = []SourceName{{"wiki", "files"}, {"jira", "jira"}, {"team-chat", "slack"}}

func sourceList(context.Context) ([]SourceName, error) { return named3, nil }

func onePassages() *library {
	return &library{results: []core.Result{passage(1, "wiki/a", 0), passage(2, "jira/b", 0), passage(3, "team-chat/c", 0)}}
}

// begin makes the planning of a turn with the message.
func begin(l *library, m Model, o PlannerOptions, message string, earlier ...Exchange) *Planning {
	o.Passages, o.Sources = l, sourceList
	return NewPlanner(o).Begin(Turn{
		Model: m, ModelName: "small", Message: message, Earlier: earlier,
		Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Named: func(core.Document) bool { return true },
	})
}

func ask(t *testing.T, p *Planning, queries ...string) Found {
	t.Helper()
	found, err := p.Search(t.Context(), Asked{Queries: queries, Query: Query{Limit: 5}})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const planned = `{"rewrite":"How long is leave in Berlin?","keywords":["leave Berlin"],"sources":null,"time":null,"authors":null}`

// Where a question says everything itself no model is asked; elsewhere one is, once
// in a turn.
func TestPlannedOnce(t *testing.T) {
	m := &scripted{says: []func(context.Context, model.Request) (string, error){says(planned)}}
	l := onePassages()
	p := begin(l, m, PlannerOptions{}, "How many days of leave do we get?")
	ask(t, p, "annual leave")
	if m.calls() != 0 {
		t.Fatalf("%d calls for a simple question", m.calls())
	}
	p = begin(l, m, PlannerOptions{}, "And how long is it there?", Exchange{"Leave in Paris?", "Five weeks."})
	first := ask(t, p, "leave Berlin", "berlin holidays")
	second := ask(t, p, "vacation Berlin")
	if m.calls() != 1 {
		t.Errorf("%d calls, want one for the turn", m.calls())
	}
	want := []Wording{
		{"How long is leave in Berlin?", 1.3, false}, {"leave Berlin", 0.7, false}, {"berlin holidays", 0.7, false},
		{"And how long is it there?", 0.5, false}, {"leave Berlin", 1.0, true},
	}
	if diff := cmp.Diff(want, l.asked[1].Wordings); diff != "" {
		t.Errorf("first search (-want +got):\n%s", diff)
	}
	if got := l.asked[1].Queries; len(got) != 4 || got[0] != "How long is leave in Berlin?" || got[3] != "And how long is it there?" {
		t.Errorf("sources of their own are asked the first of %q", got)
	}
	if diff := cmp.Diff([]Wording{{"vacation Berlin", 0.7, false}}, l.asked[2].Wordings); diff != "" {
		t.Errorf("second search (-want +got):\n%s", diff)
	}
	if !strings.Contains(first.Note, "How long is leave in Berlin?") || second.Note != "" {
		t.Errorf("notes %q and %q", first.Note, second.Note)
	}
}

// Whatever goes wrong with the call, the search is made of the question and the
// model's own queries, and the turn does not ask again.
func TestPlanFails(t *testing.T) {
	for name, fault := range map[string]func(context.Context, model.Request) (string, error){
		"hangs":    hangs,
		"fails":    func(context.Context, model.Request) (string, error) { return "", errors.New("down") },
		"breaks":   func(context.Context, model.Request) (string, error) { return planned[:40], errors.New("cut") },
		"garbage":  says("I cannot do that."),
		"empty":    says(""),
		"endless":  says(strings.Repeat("la ", longestAnswer)),
		"panics":   func(context.Context, model.Request) (string, error) { panic("secret") },
		"nothing":  says(`{"rewrite":null}`),
		"injected": says(`{"sources":{"names":["payroll"]},"authors":["Eve"],"time":{"start":"9999-01-01"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			m := &scripted{says: []func(context.Context, model.Request) (string, error){fault}}
			l := onePassages()
			p := begin(l, m, PlannerOptions{PlanPatience: 20 * time.Millisecond}, "How does it work?")
			found := ask(t, p, "fleet manager")
			ask(t, p, "fleet manager again")
			want := []Wording{{"fleet manager", 0.7, false}, {"How does it work?", 0.5, false}}
			if diff := cmp.Diff(want, l.asked[0].Wordings); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if l.asked[0].Filter.Sources != nil || l.asked[0].Filter.Updated.On() || m.calls() != 1 || len(found.Results) != 3 || found.Note != "" {
				t.Errorf("filter %+v, %d calls, %d results, note %q", l.asked[0].Filter, m.calls(), len(found.Results), found.Note)
			}
		})
	}
}

// A model that fails at it again and again is left alone for a while.
func TestPlannerRests(t *testing.T) {
	now := time.Now()
	m := &scripted{says: []func(context.Context, model.Request) (string, error){says("no")}}
	p := NewPlanner(PlannerOptions{Passages: onePassages(), Now: func() time.Time { return now }})
	turn := func() Trace {
		return ask(t, p.Begin(Turn{Model: m, ModelName: "small", Message: "How does it work?"}), "x").Trace
	}
	for range restAfter {
		turn()
	}
	if got := turn(); m.calls() != restAfter || !strings.Contains(got.Unplanned, "left alone") {
		t.Errorf("%d calls, trace %+v", m.calls(), got)
	}
	now = now.Add(restFor)
	if turn(); m.calls() != restAfter+1 {
		t.Errorf("%d calls after the rest", m.calls())
	}
}

// A server that knows no schemas is asked without one, from then on at once.
func TestPlanWithoutSchema(t *testing.T) {
	m := &scripted{says: []func(context.Context, model.Request) (string, error){
		func(_ context.Context, req model.Request) (string, error) {
			if req.JSON != nil {
				return "", core.Errorf(core.KindInvalid, "response_format is not supported")
			}
			return planned, nil
		},
	}}
	p := NewPlanner(PlannerOptions{Passages: onePassages()})
	for range 2 {
		if got := ask(t, p.Begin(Turn{Model: m, Message: "How does it work?"}), "x").Trace; got.Unplanned != "" {
			t.Errorf("not planned: %s", got.Unplanned)
		}
	}
	if m.calls() != 3 {
		t.Errorf("%d calls, want a refused one and two others", m.calls())
	}
}

// Refused requests count too: no search makes more than two. What a server refuses for
// its text says nothing of schemas, and does not make a model rest.
func TestTwoCallsASearch(t *testing.T) {
	refused := false // without a schema too
	m := &scripted{says: []func(context.Context, model.Request) (string, error){
		func(_ context.Context, req model.Request) (string, error) {
			if req.JSON != nil || refused {
				return "", core.Errorf(core.KindInvalid, "that is not taken")
			}
			return planned, nil
		},
	}}
	p := NewPlanner(PlannerOptions{Passages: many(20), Selection: Always})
	for i, row := range []struct {
		refused bool
		calls   int
	}{{true, 2}, {true, 2}, {true, 2}, {true, 2}, {false, 2}, {false, 2}} {
		before := m.calls()
		refused = row.refused
		ask(t, p.Begin(Turn{Model: m, Message: "How does it work?"}), "x")
		if n := m.calls() - before; n != row.calls {
			t.Errorf("search %d: %d calls, want %d", i+1, n, row.calls)
		}
	}
	if last := m.asked[len(m.asked)-2:]; last[0].JSON != nil || last[1].JSON != nil {
		t.Error("the last search asks for a schema again")
	}
}

func TestPlanCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	own := errors.New("stopped")
	m := &scripted{says: []func(context.Context, model.Request) (string, error){
		func(ctx context.Context, req model.Request) (string, error) {
			cancel(own)
			return hangs(ctx, req)
		},
	}}
	l := onePassages()
	_, err := begin(l, m, PlannerOptions{PlanPatience: time.Hour}, "How does it work?").Search(ctx, Asked{Queries: []string{"x"}})
	if !errors.Is(err, own) || len(l.asked) != 0 {
		t.Errorf("error %v, %d searches", err, len(l.asked))
	}
}

// Of thirty turns the call gets the last five, each of them short.
func TestPlanOfLongConversation(t *testing.T) {
	var earlier []Exchange
	for i := range 30 {
		earlier = append(earlier, Exchange{fmt.Sprintf("question %02d in the wiki? %s", i, strings.Repeat("word ", 2000)), strings.Repeat("answer ", 2000)})
	}
	m := &scripted{says: []func(context.Context, model.Request) (string, error){says(planned)}}
	ask(t, begin(onePassages(), m, PlannerOptions{}, "And what about it?", earlier...), "x")
	input := m.input(0)
	if strings.Contains(input, "question 24") || !strings.Contains(input, "question 25") || !strings.Contains(input, "question 29") || len(input) > 8<<10 {
		t.Errorf("%d bytes: %.300s", len(input), input)
	}
	if !strings.Contains(input, `["wiki"]`) {
		t.Error("a source that an earlier question names is not offered")
	}
}

// Each call is reported, also one that failed.
func TestPlanNoted(t *testing.T) {
	var noted []string
	note := func(purpose string, reply model.Reply, _ time.Duration, err error) {
		noted = append(noted, fmt.Sprintf("%s %d %v", purpose, reply.Usage.PromptTokens, err))
	}
	p := NewPlanner(PlannerOptions{Passages: onePassages(), Selection: Always})
	m := &scripted{says: []func(context.Context, model.Request) (string, error){says(planned), func(context.Context, model.Request) (string, error) {
		return "", errors.New("down")
	}}}
	ask(t, p.Begin(Turn{Model: m, Message: "How does it work?", Note: note}), "x")
	if diff := cmp.Diff([]string{"plan 10 <nil>", "select 10 down"}, noted); diff != "" {
		t.Error(diff)
	}
}
