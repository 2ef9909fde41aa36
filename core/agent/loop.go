package agent

import (
	"encoding/json"
	"fmt"
	"slices"

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

// withOwnIDs gives a new id to every call whose id another call of the context
// has already, the older ones included: servers refuse a context in which two calls share one. Nine letters
// and digits suit all of them.
func withOwnIDs(rounds []round, calls []model.ToolCall, older ...model.ToolCall) []model.ToolCall {
	taken := map[string]bool{"": true}
	for _, r := range rounds {
		for _, c := range r.calls {
			taken[c.ID] = true
		}
	}
	for _, c := range older {
		taken[c.ID] = true
	}
	out := slices.Clone(calls)
	for i := range out {
		for n := i + 1; taken[out[i].ID]; n += len(out) {
			out[i].ID = fmt.Sprintf("r%02dc%05d", (len(rounds)+1)%100, n)
		}
		taken[out[i].ID] = true
	}
	return out
}

func all(flags []bool) bool {
	for _, f := range flags {
		if !f {
			return false
		}
	}
	return len(flags) > 0
}
