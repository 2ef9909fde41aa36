package agent

import (
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// material is everything that the context of a cycle is built from.
type material struct {
	system       string
	summary      string      // of older turns
	history      []*exchange // since the summary, oldest first
	withCalls    bool        // the calls of the history are shown
	instructions string
	said         []core.Said       // in the thread before the question
	files        []core.Attachment // of the question, as text
	images       []string          // of the question
	question     string
	rounds       []round
	reminder     string
	inResult     bool // the reminder goes into the last tool result
	audience     core.Audience
}

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
	failed bool // the text is ours
	cites  bool
}

// add puts a note behind the result.
func (o *outcome) add(note string) {
	if o.text != "" {
		o.text += "\n" + note
		return
	}
	o.note = joined(o.note, note)
}

// contextBuilt is the context of one cycle.
type contextBuilt struct {
	messages []model.Message
	given    []given  // passages that stand in it
	texts    []string // of tool results, for telling quotation from calls
	sections []TraceSection
}

// build writes the context in its one order: system prompt, summary, history,
// the owner's instructions, the thread, files and question, this turn's calls
// and results, reminder.
//
// What gives way, in this order: history, oldest exchange first; the summary;
// the thread's older messages and the files' ends, down to half of the room
// where there are results too; then the results in proportion. All else stands
// whole. The error is of kind too_large: the question does not fit even alone.
func build(m material, room int) (contextBuilt, error) {
	fixed := []TraceSection{
		{Name: "system", Tokens: perMessage + tokens(m.system)},
		{Name: "instructions", Tokens: tokens(m.instructions)},
		{Name: "question", Tokens: perMessage + tokens(m.question) + len(m.images)*imageTokens},
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
	around := b.fitQuestion(m, &left)
	results := b.fitResults(m, &left)
	b.addHistory(m, left)
	if m.instructions != "" {
		b.add(model.User, prompts.Instructions(m.instructions))
	}
	for _, text := range around {
		b.add(model.User, text)
	}
	b.add(model.User, m.question)
	b.messages[len(b.messages)-1].Images = m.images
	b.addRounds(m.rounds, results)
	b.addReminder(m)
	return b, nil
}

// fitQuestion writes what came with the question into the room. Files come
// before the thread's messages where not all fits.
func (b *contextBuilt) fitQuestion(m material, left *int) []string {
	if len(m.said) == 0 && len(m.files) == 0 {
		return nil
	}
	const frame = 80 // our own words around them
	most := *left - frame
	if need := resultTokens(m); need > 0 {
		most = max(*left-need, *left/2) - frame
	}
	files := writeFiles(m.files, max(most, 0))
	said, dropped := writeSaid(m.said, most-tokens(files))
	s := TraceSection{Name: "with the question", Tokens: tokens(files) + tokens(said), Dropped: dropped}
	b.sections = append(b.sections, s)
	*left -= s.Tokens
	var out []string
	for _, text := range []string{said, files} {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
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

// addHistory adds the summary and the newest exchanges that fit, whole ones
// only.
func (b *contextBuilt) addHistory(m material, left int) {
	if m.summary != "" {
		text := prompts.Summary(m.summary)
		if size := perMessage + tokens(text); size <= left {
			left -= size
			b.add(model.User, text)
			b.sections = append(b.sections, TraceSection{Name: "summary", Tokens: size})
		} else {
			b.sections = append(b.sections, TraceSection{Name: "summary", Dropped: 1})
		}
	}
	first, used := len(m.history), 0
	for first > 0 {
		need := m.history[first-1].size()
		if used+need > left {
			break
		}
		used += need
		first--
	}
	for _, e := range m.history[first:] {
		e.addTo(b, m.withCalls)
	}
	if len(m.history) > 0 {
		b.sections = append(b.sections, TraceSection{Name: "history", Tokens: used, Dropped: first})
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
