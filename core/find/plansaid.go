package find

import (
	"encoding/json"
	"slices"
	"strings"
)

const (
	earlierTurns    = 5
	longestQuestion = 2000 // letters of a message that a call is given
	longestEarlier  = 400  // letters of each question and answer before it
)

// earlier writes the end of what was said, one JSON object a line.
func (p *Planning) earlier() string {
	var lines []string
	for _, e := range p.last() {
		lines = append(lines, jsonText(struct {
			Question string `json:"question"`
			Answer   string `json:"answer,omitempty"`
		}{clipped(e.Question, longestEarlier), clipped(e.Answer, longestEarlier)}))
	}
	return strings.Join(lines, "\n")
}

func (p *Planning) last() []Exchange {
	return p.turn.Earlier[max(0, len(p.turn.Earlier)-earlierTurns):]
}

// texts is what people said, in which sources may be named.
func (p *Planning) texts() []string {
	out := []string{p.turn.Message}
	for _, e := range p.last() {
		out = append(out, e.Question)
	}
	return out
}

func mentioned(said []mention, message string) []mention {
	lower := strings.ToLower(message)
	return slices.DeleteFunc(slices.Clone(said), func(m mention) bool { return !occurs(m.word, lower) })
}

func jsonList(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return jsonText(list)
}

// jsonText writes a value as JSON on one line. Markup is escaped, so that nothing
// in it can pass for our own.
func jsonText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}
