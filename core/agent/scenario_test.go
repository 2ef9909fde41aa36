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
	asking
	Email        string    `json:"email"` // default: the operator
	Zone         string    `json:"zone"`
	History      []oldTurn `json:"history"` // of the thread, in the ledger and in the question
	Then         []asking  `json:"then"`    // further questions of the thread
	MaxCycles    int       `json:"max_cycles"`
	Window       int       `json:"window"`
	NoModel      bool      `json:"no_model"`
	NoMemory     bool      `json:"no_memory"`
	IdleMS       int       `json:"idle_ms"`
	CancelAt     string    `json:"cancel_at"` // cancels when this has become visible
	InResult     bool      `json:"reminder_in_result"`
	DropTools    bool      `json:"drop_tools_at_end"`
	Vision       bool      `json:"vision"`
	Key          string    `json:"key"`
	Index        string    `json:"index_fails"`
	Allow        []string  `json:"allow"`
	Instructions string    `json:"instructions"`
	Reminder     string    `json:"reminder"`
}

// asking is one question of a scenario.
type asking struct {
	Text    string            `json:"text"`
	Kind    core.PlaceKind    `json:"kind"` // default dm
	Parent  string            `json:"parent"`
	Force   bool              `json:"force_search"`
	Agent   core.Agent        `json:"agent"`
	Context []core.Said       `json:"context"`
	Files   []core.Attachment `json:"files"`
}

// oldTurn is a turn that the ledger holds before the scenario. Where it names no
// id it follows the one before it.
type oldTurn struct {
	ID, Parent, Question, Answer, Class, Asker string
	Scope                                      []core.Principal
	Calls                                      []core.TurnCall
}

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

// Around reads the passages of documents in the order of the file.
func (f *fakeIndex) Around(_ context.Context, q agent.Query, windows []core.Window) ([][]core.Result, error) {
	out := make([][]core.Result, len(windows))
	for n, w := range windows {
		for i, e := range f.entries {
			d := e.Document
			if d.ID == w.Document && e.Passage.Ordinal >= w.From && e.Passage.Ordinal <= w.To &&
				q.Filter.Allows(core.Facts{Document: d.ID, Source: d.Source, Access: d.Access, Hidden: d.Hidden}) {
				e.Passage.ID, e.Passage.Document = core.PassageID(i+1), d.ID
				out[n] = append(out[n], core.Result{Document: d, Passage: e.Passage})
			}
		}
	}
	return out, nil
}

// recorder keeps turns and summaries in memory.
type recorder struct {
	mu        sync.Mutex
	turns     []core.Turn
	summaries []core.Summary
}

func (r *recorder) SaveTurn(ctx context.Context, t core.Turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.turns, func(old core.Turn) bool { return old.ID == t.ID }); i >= 0 {
		r.turns[i] = t // as in the ledger
		return ctx.Err()
	}
	r.turns = append(r.turns, t)
	return ctx.Err()
}

func (r *recorder) SaveSummary(ctx context.Context, s core.Summary) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summaries = append(r.summaries, s)
	return ctx.Err()
}

func (r *recorder) Summaries(_ context.Context, turns []string) ([]core.Summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []core.Summary
	for _, s := range r.summaries {
		if slices.Contains(turns, s.Last) {
			out = append(out, s)
		}
	}
	return out, nil
}

func (r *recorder) Branch(_ context.Context, id string) ([]core.Turn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []core.Turn
	for id != "" {
		i := slices.IndexFunc(r.turns, func(t core.Turn) bool { return t.ID == id })
		if i < 0 {
			return nil, core.Errorf(core.KindNotFound, "There is no turn %q in the ledger.", id)
		}
		out = append(out, r.turns[i])
		id = r.turns[i].Parent
	}
	slices.Reverse(out)
	return out, nil
}

// played is what a scenario brought.
type played struct {
	turns   []playedTurn
	rec     *recorder
	old     int // turns in the ledger before
	server  *modeltest.Server
	stopped time.Time // when the context was cancelled
	back    time.Duration
}

type playedTurn struct {
	turn   core.Turn
	err    error
	events []core.Event
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

func play(t *testing.T, a *txtar.Archive) *played {
	t.Helper()
	var s setup
	var script modeltest.Script
	index := &fakeIndex{}
	readPart(t, a, "question.json", &s)
	readPart(t, a, "index.json", &index.entries)
	readPart(t, a, "model.json", &script)
	index.fails = s.Index
	p := &played{server: modeltest.Start(script), rec: &recorder{turns: oldTurns(s.History)}, old: len(s.History)}
	t.Cleanup(p.server.Close)
	ids := 0
	opts := agent.Options{
		Searcher: index, Opener: index, Recorder: p.rec, Memory: p.rec, Instructions: s.Instructions, Reminder: s.Reminder,
		MaxCycles: s.MaxCycles, Window: s.Window, Allow: s.Allow,
		Profile: agent.Profile{ReminderInResult: s.InResult, DropToolsAtEnd: s.DropTools, Vision: s.Vision},
		Now:     func() time.Time { return clock },
		NewID:   func() string { ids++; return fmt.Sprintf("turn-%d", ids) },
	}
	if s.NoMemory {
		opts.Memory = nil
	}
	if !s.NoModel {
		opts.Model = connect(t, p.server.URL, s)
	}
	answerer := agent.New(opts)
	defer answerer.Close()
	for i, asked := range append([]asking{s.asking}, s.Then...) {
		s.asking = asked
		q := question(s)
		if i == 0 && asked.Parent == "" {
			q.History = oldTurns(s.History)
		}
		p.ask(t, answerer, q, s.CancelAt)
		answerer.Wait()
	}
	return p
}

func (p *played) ask(t *testing.T, a *agent.Agent, q core.Question, cancelAt string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	visible, busy := "", false
	var one playedTurn
	one.turn, one.err = a.Answer(ctx, q, func(e core.Event) {
		if busy {
			t.Error("two events at a time")
		}
		busy = true
		one.events = append(one.events, e)
		if d, ok := e.(core.TextDelta); ok {
			visible += d.Delta
			if cancelAt != "" && p.stopped.IsZero() && strings.Contains(visible, cancelAt) {
				p.stopped = time.Now()
				cancel()
			}
		}
		busy = false
	})
	p.back = time.Since(p.stopped)
	p.turns = append(p.turns, one)
}

func oldTurns(history []oldTurn) []core.Turn {
	var out []core.Turn
	for i, h := range history {
		if h.ID == "" {
			h.ID = fmt.Sprintf("old-%d", i+1)
			if i > 0 {
				h.Parent = out[i-1].ID
			}
		}
		out = append(out, core.Turn{ID: h.ID, Parent: h.Parent, Thread: "thread-1", Question: h.Question, Class: h.Class,
			Scope: h.Scope, Asker: h.Asker, Calls: h.Calls, Answer: core.Answer{Text: h.Answer}})
	}
	return out
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
	place := core.Place{ID: "console:test", Platform: "console", Kind: s.Kind, Home: true, Thread: "thread-1"}
	if place.Kind == "" {
		place.Kind = core.PlaceDirect
	}
	if s.Zone != "" {
		zone, err := time.LoadLocation(s.Zone)
		if err != nil {
			panic(err)
		}
		viewer.Zone = zone
	}
	return core.Question{Text: s.Text, Parent: s.Parent, ForceSearch: s.Force, Agent: s.Agent, Context: s.Context, Files: s.Files,
		Viewer: viewer, Place: place, Audience: access.Audience(place, viewer), Asked: clock}
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
			got := map[string]string{"events": p.eventLines(t), "seen": p.seen(), "ledger": p.memoryLines()}
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
	for _, one := range p.turns {
		one.check(t)
	}
	stored := p.rec.turns[p.old:]
	if len(stored) != len(p.turns) {
		t.Fatalf("%d turns stored of %d", len(stored), len(p.turns))
	}
	for i, turn := range stored {
		trace, err := agent.ParseTrace(turn.Trace)
		if err != nil || turn.ID != p.turns[i].turn.ID || trace.Version != agent.TraceVersion || len(trace.Shown) != len(turn.Answer.Citations) {
			t.Errorf("stored %+v, trace %v", turn, err)
		}
	}
	if p.stopped.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	last := p.server.Requests()[len(p.server.Requests())-1]
	closed, at := last.Closed(ctx)
	if !closed || !p.turns[0].turn.Answer.Stopped {
		t.Errorf("connection closed: %v, turn marked as stopped: %v", closed, p.turns[0].turn.Answer.Stopped)
	}
	t.Logf("cancelled: answer after %v, connection closed after %v", p.back, at.Sub(p.stopped))
}

func (p playedTurn) check(t *testing.T) {
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
}

// memoryLines writes what the ledger holds in the end.
func (p *played) memoryLines() string {
	var b strings.Builder
	for _, t := range p.rec.turns[p.old:] {
		fmt.Fprintf(&b, "%s after %q: %s\n", t.ID, t.Parent, t.Question)
		for _, c := range t.Calls {
			fmt.Fprintf(&b, "   cycle %d: %s %s\n", c.Cycle, c.Name, c.Arguments)
		}
	}
	for _, s := range p.rec.summaries {
		fmt.Fprintf(&b, "summary %s up to %s of %v, class %s, scope %v, asker %q: %s\n", s.ID, s.Last, s.Covers, s.Class, s.Scope, s.Asker, s.Text)
	}
	return b.String()
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
	for _, e := range p.allEvents() {
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

func (p *played) allEvents() []core.Event {
	var out []core.Event
	for _, one := range p.turns {
		out = append(out, one.events...)
	}
	return out
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
		prompts.System(clock, "", []string{prompts.SearchGuide(), prompts.OpenGuide()}): "[system prompt with all guides]",
		prompts.System(clock, "", []string{prompts.SearchGuide()}):                      "[system prompt with the search guide]",
		prompts.System(clock, "", nil):                                                  "[system prompt without tools]",
		prompts.SummarySystem():                                                         "[summary prompt]",
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
	for _, name := range []string{"events", "seen", "ledger"} {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
