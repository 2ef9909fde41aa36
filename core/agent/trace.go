package agent

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
)

// TraceVersion is the form of the traces that this package writes. Fields are
// added without a new version; a change of meaning takes one.
const TraceVersion = 2

// Trace tells afterwards why the answer is what it is. It names documents and
// passages and holds none of their text.
type Trace struct {
	Version    int          `json:"version"` // 0 in traces older than the field
	Agent      string       `json:"agent,omitempty"`
	Class      string       `json:"class"`
	Principals int          `json:"principals"` // how many bounded retrieval
	Bypass     bool         `json:"bypass,omitempty"`
	Sources    []string     `json:"sources,omitempty"` // the agent's, where they narrow retrieval
	Summary    string       `json:"summary,omitempty"` // id of the summary in the context
	Tools      []TraceTool  `json:"tools"`
	Models     []TraceModel `json:"model_calls"`
	Shown      []TraceShown `json:"citations,omitempty"`
	Deleted    []int        `json:"deleted,omitempty"` // numbers of citations that were taken out
	Errors     []string     `json:"errors,omitempty"`
	TookMS     float64      `json:"took_ms"`
}

// TraceTool is one run of a tool, or the search of quotes mode.
type TraceTool struct {
	Cycle      int              `json:"cycle,omitempty"`
	Name       string           `json:"name"`
	Unknown    bool             `json:"unknown,omitempty"`   // there is no such tool: the name is the model's own
	Arguments  json.RawMessage  `json:"arguments,omitempty"` // as run
	Merged     int              `json:"merged,omitempty"`    // calls that it ran for, if several
	Queries    []string         `json:"queries,omitempty"`
	Candidates []TraceCandidate `json:"candidates,omitempty"`
	Bytes      int              `json:"bytes,omitempty"`  // of a text result
	Note       string           `json:"note,omitempty"`   // what the model was told besides, such as who did not answer
	Failed     string           `json:"failed,omitempty"` // what the model was told instead of a result
	Search     *find.Trace      `json:"search,omitempty"` // how the queries came about and what became of their results
	AtMS       float64          `json:"at_ms,omitempty"`  // from the turn's start to its own
	MS         float64          `json:"ms"`
}

// TraceCandidate is one passage that a tool brought.
type TraceCandidate struct {
	Document string         `json:"document"`
	Passage  core.PassageID `json:"passage"`
	Score    float64        `json:"score"`
	Coverage float64        `json:"coverage,omitempty"`
	Quoted   bool           `json:"quoted,omitempty"`
	With     int            `json:"with,omitempty"` // passages that are read with it
}

// TraceSection is one part of a context with its estimated length.
type TraceSection struct {
	Name    string `json:"name"`
	Tokens  int    `json:"tokens"`
	Dropped int    `json:"dropped,omitempty"` // exchanges, messages or passages left out
}

// TraceModel is one model call.
type TraceModel struct {
	Purpose  string         `json:"purpose,omitempty"` // "summary" before the turn, "plan" and "select" of a search; "" for a cycle
	Model    string         `json:"model,omitempty"`
	Sections []TraceSection `json:"context"`
	Attempts int            `json:"attempts"`
	Calls    int            `json:"calls"`
	Bytes    int            `json:"bytes"` // of the reply's text
	Finish   string         `json:"finish,omitempty"`
	Usage    core.Usage     `json:"usage"`
	Cost     *float64       `json:"cost,omitempty"` // in the currency of the prices; absent if unknown
	FirstMS  float64        `json:"first_chunk_ms"`
	AtMS     float64        `json:"at_ms,omitempty"` // from the turn's start to its own
	MS       float64        `json:"ms"`
	Error    string         `json:"error,omitempty"`
}

func modelName(reply model.Reply, s Setup) string {
	if reply.Model != "" {
		return reply.Model
	}
	return s.Name
}

// TraceShown is one citation of the answer.
type TraceShown struct {
	Number   int            `json:"number"` // as displayed
	Given    int            `json:"given"`  // as the model wrote it; 0 in quotes
	Document string         `json:"document"`
	Passage  core.PassageID `json:"passage"`
}

// ParseTrace reads a turn's trace. The error is of kind invalid if it is none,
// and of kind conflict if a newer Footnote wrote it.
func ParseTrace(raw []byte) (Trace, error) {
	var t Trace
	if err := json.Unmarshal(raw, &t); err != nil {
		return Trace{}, core.Wrap(core.KindInvalid, err, "The trace of this turn cannot be read; it is not the JSON that a turn leaves behind.")
	}
	if t.Version > TraceVersion {
		return Trace{}, core.Errorf(core.KindConflict,
			"The trace of this turn was written by a newer Footnote (version %d, this one reads up to %d); use that one to explain it.", t.Version, TraceVersion)
	}
	return t, nil
}

// tracer collects a trace. Tools report to it from goroutines of their own.
type tracer struct {
	mu sync.Mutex
	Trace
}

func (t *turn) traceBegin() {
	t.trace.Trace = Trace{
		Version: TraceVersion, Agent: t.persona.Name, Class: t.q.Audience.Class,
		Principals: len(t.q.Audience.Principals), Bypass: t.q.Audience.Bypass, Sources: t.filter.Sources,
		Tools: []TraceTool{}, Models: []TraceModel{},
	}
}

func (t *turn) traceTool(j job, known bool, res Result, failed string, queries []string, took time.Duration) {
	one := TraceTool{
		Cycle: len(t.rounds) + 1, Name: j.call.Name, Unknown: !known, Arguments: shownArguments(j.call.Arguments),
		Queries: queries, Candidates: candidates(res.Documents, nil), Bytes: len(res.Text), Failed: failed, AtMS: t.since(took), MS: ms(took),
	}
	if j.call.Name == searchName { // notes of other tools may hold what they found
		one.Note, one.Search = res.Note, res.Search
	}
	if len(j.calls) > 1 {
		one.Merged = len(j.calls)
	}
	t.trace.tool(one)
}

func (t *tracer) tool(one TraceTool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Tools = append(t.Tools, one)
}

func candidates(results, quoted []core.Result) []TraceCandidate {
	chosen := map[core.PassageID]bool{}
	for _, r := range quoted {
		chosen[r.Passage.ID] = true
	}
	var out []TraceCandidate
	for _, r := range results {
		out = append(out, TraceCandidate{
			Document: r.Document.ID, Passage: r.Passage.ID, Score: r.Score, Coverage: r.Coverage, Quoted: chosen[r.Passage.ID], With: max(0, len(r.Section)-1),
		})
	}
	return out
}

// traceModel also adds up what the turn used. Tools report the calls that they make
// from goroutines of their own.
func (t *turn) traceModel(purpose string, built contextBuilt, reply model.Reply, took time.Duration, err error) {
	t.trace.mu.Lock()
	defer t.trace.mu.Unlock()
	t.usage.PromptTokens += reply.Usage.PromptTokens
	t.usage.CompletionTokens += reply.Usage.CompletionTokens
	call := TraceModel{
		Purpose: purpose,
		Model:   modelName(reply, t.setup), Sections: built.sections, Attempts: reply.Attempts,
		Calls: len(reply.Calls), Bytes: len(reply.Text), Finish: reply.Finish,
		Usage: reply.Usage, FirstMS: ms(reply.First), AtMS: t.since(took), MS: ms(took),
	}
	if t.opts.Cost != nil {
		if cost, known := t.opts.Cost(call.Model, reply.Usage); known {
			call.Cost = &cost
		}
	}
	if err != nil {
		call.Error = err.Error()
	}
	t.trace.Models = append(t.trace.Models, call)
}

func (t *tracer) fail(err error) { t.Errors = append(t.Errors, err.Error()) }

// traceOpen is the trace of a turn that has only begun.
func (t *turn) traceOpen() []byte {
	open := t.trace.Trace
	open.Errors = []string{"the turn has not ended; if Footnote was stopped meanwhile, it never will"}
	raw, err := json.Marshal(open)
	if err != nil {
		return nil // explain says that there is no trace
	}
	return raw
}

func (t *turn) traceEnd(took time.Duration) []byte {
	t.trace.TookMS = ms(took)
	t.trace.Shown, t.trace.Deleted = nil, t.out.hidden
	for _, c := range t.out.shown {
		t.trace.Shown = append(t.trace.Shown, TraceShown{
			Number: c.display, Given: c.given.number, Document: c.given.result.Document.ID, Passage: c.given.result.Passage.ID,
		})
	}
	raw, err := json.Marshal(t.trace.Trace)
	if err != nil {
		return []byte(`{"errors":["the trace cannot be written as JSON"]}`)
	}
	return raw
}

// since is from the turn's start to that of something that took so long and has just
// ended.
func (t *turn) since(took time.Duration) float64 {
	return ms(max(0, t.opts.Now().Sub(t.started)-took))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
