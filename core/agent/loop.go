package agent

import (
	"encoding/json"

	"github.com/footnote-bot/footnote/core/model"
)

// repeats tells for each call whether the same call, by name and arguments, was
// made in an earlier round of the turn or stands before it in this one.
func repeats(rounds []round, calls []model.ToolCall) []bool {
	seen := map[string]bool{}
	for _, r := range rounds {
		for _, c := range r.calls {
			seen[callKey(c)] = true
		}
	}
	out := make([]bool, len(calls))
	for i, c := range calls {
		key := callKey(c)
		out[i] = seen[key]
		seen[key] = true
	}
	return out
}

// callKey is equal for calls that mean the same: the order of fields and the
// blanks between them do not count.
func callKey(c model.ToolCall) string {
	var v any
	arguments := c.Arguments
	if json.Unmarshal([]byte(arguments), &v) == nil {
		if normal, err := json.Marshal(v); err == nil {
			arguments = string(normal)
		}
	}
	return c.Name + "\x00" + arguments
}

func all(flags []bool) bool {
	for _, f := range flags {
		if !f {
			return false
		}
	}
	return len(flags) > 0
}
