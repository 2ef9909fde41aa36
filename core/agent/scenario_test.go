package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/prompts"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the scenarios")

var clock = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// setup is the part of a scenario that says who asks what, and how.
type setup struct {
	Text         string         `json:"text"`
	Kind         core.PlaceKind `json:"kind"`  // default dm
	Email        string         `json:"email"` // default: the operator
	History      []exchange     `json:"history"`
	Instructions string         `json:"instructions"`
	Reminder     string         `json:"reminder"`
	MaxCycles    int            `json:"max_cycles"`
	Window       int            `json:"window"`
	NoModel      bool           `json:"no_model"`
	IdleMS       int            `json:"idle_ms"`
	CancelAt     string         `json:"cancel_at"` // cancels when this has become visible
	InResult     bool           `json:"reminder_in_result"`
	DropTools    bool           `json:"drop_tools_at_end"`
	Key          string         `json:"key"`
	IndexFails   string         `json:"index_fails"`
}

type exchange struct{ Question, Answer string }

// entry is one passage of the fake index.
type entry struct {
	For      string        `json:"for"` // found by queries that contain this
	Document core.Document `json:"document"`
	Passage  core.Passage  `json:"passage"`
	Coverage float64       `json:"coverage"`
}

// fakeIndex finds by substring, in the order of the file, and applies the
// filter as an index must.
type fakeIndex struct {
	entries []entry
	fails   string
	mu      sync.Mutex
	asked   []agent.Query
}

func (f *fakeIndex) Search(_ context.Context, q agent.Query) ([]core.Result, error) {
	f.mu.Lock()
	f.asked = append(f.asked, q)
	f.mu.Unlock()
	if f.fails != "" {
		return nil, core.Errorf(core.KindUnavailable, "%s", f.fails)
	}
	var out []core.Result
	for i, e := range f.entries {
		hit := slices.ContainsFunc(q.Queries, func(text string) bool {
			return strings.Contains(strings.ToLower(text), strings.ToLower(e.For))
		})
		d := e.Document
		if hit && q.Filter.Allows(core.Facts{Document: d.ID, Source: d.Source, Access: d.Access, Hidden: d.Hidden}) {
			e.Passage.ID, e.Passage.Document = core.PassageID(i+1), d.ID
			out = append(out, core.Result{Document: d, Passage: e.Passage, Score: float64(100 - i), Coverage: e.Coverage})
		}
	}
	return out[:min(len(out), q.Limit)], nil
}

// recorder keeps turns in memory.
type recorder struct{ turns []core.Turn }

func (r *recorder) SaveTurn(ctx context.Context, t core.Turn) error {
	r.turns = append(r.turns, t)
	return ctx.Err()
}

// played is what a scenario brought.
type played struct {
	turn    core.Turn
	err     error
	events  []core.Event
	stored  []core.Turn
	server  *modeltest.Server
	stopped time.Time // when the context was cancelled
	back    time.Duration
}

func readPart(t *testing.T, a *txtar.Archive, name string, into any) {
	t.Helper()
	for _, f := range a.Files {
		if f.Name == name {
			dec := json.NewDecoder(bytes.NewReader(f.Data))
			dec.DisallowUnknownFields()
			if err := dec.Decode(into); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func play(t *testing.T, a *txtar.Archive) played {
	t.Helper()
	var s setup
	var script modeltest.Script
	index := &fakeIndex{}
	readPart(t, a, "question.json", &s)
	readPart(t, a, "index.json", &index.entries)
	readPart(t, a, "model.json", &script)
	index.fails = s.IndexFails
	rec := &recorder{}
	p := played{server: modeltest.Start(script)}
	t.Cleanup(p.server.Close)
	opts := agent.Options{
		Searcher: index, Recorder: rec, Instructions: s.Instructions, Reminder: s.Reminder,
		MaxCycles: s.MaxCycles, Window: s.Window,
		Profile: agent.Profile{ReminderInResult: s.InResult, DropToolsAtEnd: s.DropTools},
		Now:     func() time.Time { return clock }, NewID: func() string { return "turn-1" },
	}
	if !s.NoModel {
		opts.Model = connect(t, p.server.URL, s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	visible, busy := "", false
	p.turn, p.err = agent.New(opts).Answer(ctx, question(s), func(e core.Event) {
		if busy {
			t.Error("two events at a time")
		}
		busy = true
		p.events = append(p.events, e)
		if d, ok := e.(core.TextDelta); ok {
			visible += d.Delta
			if s.CancelAt != "" && p.stopped.IsZero() && strings.Contains(visible, s.CancelAt) {
				p.stopped = time.Now()
				cancel()
			}
		}
		busy = false
	})
	p.back = time.Since(p.stopped)
	p.stored = rec.turns
	return p
}

func connect(t *testing.T, url string, s setup) *model.Client {
	t.Helper()
	c, err := model.New(model.Config{
		BaseURL: url, Name: "small", APIKey: s.Key, IdleTimeout: time.Duration(s.IdleMS) * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func question(s setup) core.Question {
	viewer := access.Operator()
	if s.Email != "" {
		viewer = access.Person(s.Email, true, nil)
	}
	place := core.Place{ID: "console:test", Platform: "console", Kind: s.Kind, Thread: "thread-1"}
	if place.Kind == "" {
		place.Kind = core.PlaceDirect
	}
	q := core.Question{Text: s.Text, Viewer: viewer, Place: place, Audience: access.Audience(place, viewer), Asked: clock}
	for i, h := range s.History {
		q.History = append(q.History, core.Turn{ID: fmt.Sprintf("old-%d", i+1), Question: h.Question, Answer: core.Answer{Text: h.Answer}})
	}
	return q
}

func TestTurns(t *testing.T) {
	files, err := filepath.Glob("testdata/turns/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := play(t, a)
			got := map[string]string{"events": p.eventLines(t), "seen": p.seen()}
			if *update {
				rewrite(t, file, a, got)
				return
			}
			for _, f := range a.Files {
				if text, golden := got[f.Name]; golden {
					if diff := cmp.Diff(string(f.Data), text); diff != "" {
						t.Errorf("%s (-want +got):\n%s", f.Name, diff)
					}
					delete(got, f.Name)
				}
			}
			if len(got) > 0 {
				t.Errorf("the scenario lacks expected parts; run with -update and read the result")
			}
			p.check(t)
		})
	}
}

// check holds for every turn, whatever its scenario.
func (p *played) check(t *testing.T) {
	t.Helper()
	if _, ok := p.events[0].(core.TurnStarted); !ok {
		t.Error("the first event is not turn")
	}
	visible := ""
	for i, e := range p.events {
		if d, ok := e.(core.TextDelta); ok {
			visible += d.Delta
		}
		_, done := e.(core.Done)
		_, failed := e.(core.Failed)
		if (done || failed) != (i == len(p.events)-1) || failed != (p.err != nil && i == len(p.events)-1) {
			t.Errorf("event %d of %d is %s, the error %v", i+1, len(p.events), e.EventType(), p.err)
		}
	}
	if strings.TrimSpace(visible) != p.turn.Answer.Text {
		t.Errorf("streamed %q, answered %q", visible, p.turn.Answer.Text)
	}
	if p.turn.Answer.Citations == nil {
		t.Error("citations are nil")
	}
	if len(p.stored) != 1 || p.stored[0].ID != p.turn.ID || !json.Valid(p.stored[0].Trace) {
		t.Errorf("stored %+v", p.stored)
	}
	if p.stopped.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	last := p.server.Requests()[len(p.server.Requests())-1]
	closed, at := last.Closed(ctx)
	if !closed || !p.turn.Answer.Stopped {
		t.Errorf("connection closed: %v, turn marked as stopped: %v", closed, p.turn.Answer.Stopped)
	}
	t.Logf("cancelled: answer after %v, connection closed after %v", p.back, at.Sub(p.stopped))
}

// eventLines writes the events one a line. Pieces of text are joined, and tools
// that run side by side are sorted, since their order is not fixed.
func (p *played) eventLines(t *testing.T) string {
	t.Helper()
	var lines []string
	text, from := "", 0
	settle := func() {
		if text != "" {
			lines = append(lines, marshal(t, core.TextDelta{Delta: text}))
			text = ""
		}
	}
	for _, e := range p.events {
		if d, ok := e.(core.TextDelta); ok {
			text += d.Delta
			continue
		}
		settle()
		lines = append(lines, strings.ReplaceAll(marshal(t, e), p.server.URL, "http://model/v1"))
		switch e.(type) {
		case core.ToolUsed, core.QueryRun:
			slices.Sort(lines[from:])
		default:
			from = len(lines)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func marshal(t *testing.T, e core.Event) string {
	t.Helper()
	raw, err := core.MarshalEvent(e)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(raw) {
		t.Fatalf("not JSON: %s", raw)
	}
	return string(raw)
}

// seen writes every request as the model saw it. The system prompt has golden
// files of its own; here only which of its two forms it is.
func (p *played) seen() string {
	var b strings.Builder
	systems := map[string]string{
		prompts.System(clock, []string{prompts.SearchGuide()}): "[system prompt with the search guide]",
		prompts.System(clock, nil):                             "[system prompt without tools]",
	}
	for i, r := range p.server.Requests() {
		fmt.Fprintf(&b, "== request %d: %d tools, choice %s\n", i+1, len(r.Chat.Tools), r.Chat.ToolChoice)
		for _, m := range r.Chat.Messages {
			content := m.Content
			if short, ok := systems[content]; ok {
				content = short
			}
			fmt.Fprintf(&b, "-> %s", m.Role)
			if m.ToolCallID != "" {
				fmt.Fprintf(&b, " for %s", m.ToolCallID)
			}
			b.WriteString("\n")
			if content != "" {
				b.WriteString(content + "\n")
			}
			for _, c := range m.ToolCalls {
				fmt.Fprintf(&b, "   call %s: %s %s\n", c.ID, c.Function.Name, c.Function.Arguments)
			}
		}
	}
	return b.String()
}

func rewrite(t *testing.T, file string, a *txtar.Archive, got map[string]string) {
	t.Helper()
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { _, golden := got[f.Name]; return golden })
	for _, name := range []string{"events", "seen"} {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
