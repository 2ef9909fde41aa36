package agent

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// trace tells afterwards why the answer is what it is. It names documents and
// passages and holds none of their text.
type trace struct {
	mu sync.Mutex

	Class      string       `json:"class"`
	Principals int          `json:"principals"` // how many bounded retrieval
	Bypass     bool         `json:"bypass,omitempty"`
	Searches   []traceTool  `json:"tools"`
	Models     []traceModel `json:"model_calls"`
	Errors     []string     `json:"errors,omitempty"`
	TookMS     float64      `json:"took_ms"`
}

// traceTool is one tool call, or the search of quotes mode.
type traceTool struct {
	Name       string           `json:"name"`
	Arguments  json.RawMessage  `json:"arguments,omitempty"`
	Candidates []traceCandidate `json:"candidates,omitempty"`
	Failed     string           `json:"failed,omitempty"`
	MS         float64          `json:"ms"`
}

type traceCandidate struct {
	Document string         `json:"document"`
	Passage  core.PassageID `json:"passage"`
	Score    float64        `json:"score"`
	Quoted   bool           `json:"quoted,omitempty"`
}

type traceModel struct {
	Sections []section  `json:"context"`
	Attempts int        `json:"attempts"`
	Calls    int        `json:"calls"`
	Finish   string     `json:"finish,omitempty"`
	Usage    core.Usage `json:"usage"`
	FirstMS  float64    `json:"first_chunk_ms"`
	MS       float64    `json:"ms"`
	Error    string     `json:"error,omitempty"`
}

func (t *trace) begin(q core.Question) {
	t.Class, t.Principals, t.Bypass = q.Audience.Class, len(q.Audience.Principals), q.Audience.Bypass
	t.Searches, t.Models = []traceTool{}, []traceModel{}
}

func (t *trace) tool(call model.ToolCall, res Result, failed string, took time.Duration) {
	t.search(traceTool{
		Name: call.Name, Arguments: shownArguments(call.Arguments), Failed: failed,
		Candidates: candidates(res.Documents, nil), MS: ms(took),
	})
}

func (t *trace) search(s traceTool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Searches = append(t.Searches, s)
}

func candidates(results, quoted []core.Result) []traceCandidate {
	chosen := map[core.PassageID]bool{}
	for _, r := range quoted {
		chosen[r.Passage.ID] = true
	}
	var out []traceCandidate
	for _, r := range results {
		out = append(out, traceCandidate{
			Document: r.Document.ID, Passage: r.Passage.ID, Score: r.Score, Quoted: chosen[r.Passage.ID],
		})
	}
	return out
}

func (t *trace) model(built contextBuilt, reply model.Reply, took time.Duration, err error) {
	call := traceModel{
		Sections: built.sections, Attempts: reply.Attempts, Calls: len(reply.Calls), Finish: reply.Finish,
		Usage: reply.Usage, FirstMS: ms(reply.First), MS: ms(took),
	}
	if err != nil {
		call.Error = err.Error()
	}
	t.Models = append(t.Models, call)
}

func (t *trace) fail(err error) { t.Errors = append(t.Errors, err.Error()) }

func (t *trace) marshal(took time.Duration) []byte {
	t.TookMS = ms(took)
	raw, err := json.Marshal(t)
	if err != nil {
		return []byte(`{"errors":["the trace cannot be written as JSON"]}`)
	}
	return raw
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
