package agent

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// material is everything that the context of a cycle is built from.
type material struct {
	system       string
	history      []exchange // oldest first
	instructions string
	question     string
	rounds       []round
	reminder     string
	inResult     bool // the reminder goes into the last tool result
	audience     core.Audience
}

// exchange is an earlier question and its answer.
type exchange struct{ question, answer string }

// round is the calls of one cycle with their results: results[i] belongs to
// calls[i].
type round struct {
	text    string // what the model wrote before the calls
	calls   []model.ToolCall
	results []outcome
}

// outcome is the result of one call.
type outcome struct {
	docs   []given
	text   string // instead of a list of documents
	note   string
	failed bool
	cites  bool
}

// contextBuilt is the context of one cycle.
type contextBuilt struct {
	messages []model.Message
	given    []given  // passages that stand in it
	texts    []string // of tool results, for telling quotation from calls
	sections []section
}

// section is one part of the context with its estimated length, for the trace.
type section struct {
	Name    string `json:"name"`
	Tokens  int    `json:"tokens"`
	Dropped int    `json:"dropped,omitempty"` // exchanges or passages left out
}

// build writes the context in its one order: system prompt, history, the
// owner's instructions, question, this turn's calls and results, reminder.
// Everything but history and results stands whole; results are shortened in
// proportion if they must be, and history takes what is left, newest first. The
// error is of kind too_large: the question does not fit even alone.
func build(m material, room int) (contextBuilt, error) {
	fixed := []section{
		{Name: "system", Tokens: perMessage + tokens(m.system)},
		{Name: "instructions", Tokens: tokens(m.instructions)},
		{Name: "question", Tokens: perMessage + tokens(m.question)},
		{Name: "calls", Tokens: callTokens(m.rounds)},
		{Name: "reminder", Tokens: perMessage + tokens(m.reminder)},
	}
	left := room
	for _, s := range fixed {
		left -= s.Tokens
	}
	if left < 0 {
		return contextBuilt{}, core.Errorf(core.KindTooLarge,
			"The question is too long: it needs about %d tokens and the model has room for %d. Shorten it, or set model.context_window if the model takes more.",
			room-left, room)
	}
	b := contextBuilt{sections: fixed}
	b.add(model.System, m.system)
	results := b.fitResults(m, &left)
	b.addHistory(m.history, left)
	if m.instructions != "" {
		b.add(model.User, prompts.Instructions(m.instructions))
	}
	b.add(model.User, m.question)
	b.addRounds(m.rounds, results)
	b.addReminder(m)
	return b, nil
}

func callTokens(rounds []round) int {
	n := 0
	for _, r := range rounds {
		n += perMessage + tokens(r.text)
		for _, c := range r.calls {
			// The call, and the frame of its result.
			n += 2*perMessage + tokens(c.ID)*2 + tokens(c.Name) + tokens(c.Arguments)
		}
	}
	return n
}

// add appends a message. Neighbouring user messages become one: some servers
// refuse two in a row.
func (b *contextBuilt) add(role model.Role, text string) {
	if n := len(b.messages); n > 0 && role == model.User && b.messages[n-1].Role == model.User {
		b.messages[n-1].Content += "\n\n" + text
		return
	}
	b.messages = append(b.messages, model.Message{Role: role, Content: text})
}

// addHistory adds the newest exchanges that fit, whole ones only.
func (b *contextBuilt) addHistory(history []exchange, left int) {
	first, used := len(history), 0
	for first > 0 {
		e := history[first-1]
		need := 2*perMessage + tokens(e.question) + tokens(e.answer)
		if used+need > left {
			break
		}
		used += need
		first--
	}
	for _, e := range history[first:] {
		b.add(model.User, e.question)
		if strings.TrimSpace(e.answer) != "" {
			b.add(model.Assistant, e.answer)
		}
	}
	if len(history) > 0 {
		b.sections = append(b.sections, section{Name: "history", Tokens: used, Dropped: first})
	}
}

func (b *contextBuilt) addRounds(rounds []round, results []string) {
	next := 0
	for _, r := range rounds {
		b.messages = append(b.messages, model.Message{Role: model.Assistant, Content: r.text, ToolCalls: r.calls})
		for _, c := range r.calls {
			b.messages = append(b.messages, model.Message{Role: model.ToolRole, ToolCallID: c.ID, Content: results[next]})
			next++
		}
	}
}

func (b *contextBuilt) addReminder(m material) {
	if m.reminder == "" {
		return
	}
	last := &b.messages[len(b.messages)-1]
	if m.inResult && last.Role == model.ToolRole {
		last.Content += "\n\n" + m.reminder
		return
	}
	b.add(model.User, m.reminder)
}
