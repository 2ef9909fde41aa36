package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/cite"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// exchange is an earlier question and its answer, as the model reads them.
type exchange struct {
	read
	turn    core.Turn
	calls   [][]model.ToolCall // by cycle; their results are gone
	counted int
}

func newExchange(n int, t core.Turn, cache *readCache) *exchange {
	e := &exchange{turn: t, read: cache.of(t)}
	if e.answer != "" {
		e.calls = oldCalls(n, t.Calls)
	}
	return e
}

// longestOldCall bounds the arguments of an old call, in bytes.
const longestOldCall = 2_000

// oldCalls writes the calls of the n-th exchange with ids of their own. Of very
// long arguments only the fact of the call stays.
func oldCalls(n int, calls []core.TurnCall) [][]model.ToolCall {
	var out [][]model.ToolCall
	cycle := 0
	for i, c := range calls {
		if len(c.Arguments) > longestOldCall || !json.Valid([]byte(c.Arguments)) {
			c.Arguments = "{}"
		}
		if len(out) == 0 || c.Cycle != cycle {
			out, cycle = append(out, nil), c.Cycle
		}
		last := &out[len(out)-1]
		*last = append(*last, model.ToolCall{ID: fmt.Sprintf("h%05dc%02d", n%100_000, i%100), Name: c.Name, Arguments: c.Arguments})
	}
	return out
}

// size is what the exchange takes in a context, in tokens. It is counted once.
func (e *exchange) size() int {
	if e.counted > 0 {
		return e.counted
	}
	e.counted = e.tokens
	gone := tokens(prompts.ResultGone())
	for _, calls := range e.calls {
		e.counted += perMessage
		for _, c := range calls {
			e.counted += 2*perMessage + 2*tokens(c.ID) + tokens(c.Name) + tokens(c.Arguments) + gone
		}
	}
	return e.counted
}

// addTo writes the exchange. Calls stand between question and answer, each with
// a note in place of its result.
func (e *exchange) addTo(b *contextBuilt, withCalls bool) {
	b.add(model.User, e.question)
	for _, calls := range e.calls {
		if !withCalls {
			break // some servers refuse calls where no tools are offered
		}
		b.messages = append(b.messages, model.Message{Role: model.Assistant, ToolCalls: calls})
		for _, c := range calls {
			b.messages = append(b.messages, model.Message{Role: model.ToolRole, ToolCallID: c.ID, Content: prompts.ResultGone()})
		}
	}
	if e.answer != "" {
		b.add(model.Assistant, e.answer)
	}
}

// withoutMarkers takes the citations out of an earlier answer: its numbers mean
// other documents in this turn.
func withoutMarkers(a core.Answer) string {
	text := cite.StripLinks(a.Text)
	for _, c := range a.Citations {
		if c.URL == "" {
			marker := "[" + itoa(c.Number) + "]"
			text = strings.ReplaceAll(strings.ReplaceAll(text, " "+marker, ""), marker, "")
		}
	}
	return text
}
