package agent

import (
	"encoding/json"

	"github.com/footnote-bot/footnote/core/model"
)

// job is one run of a tool on behalf of one or several calls of a cycle.
type job struct {
	call  model.ToolCall // the first call, with the arguments of all
	calls []int          // places of the calls in the reply
}

// jobs plans what is run for the calls: one job each, but calls of a tool that
// has a list to join become one, if all their other arguments are the same.
// Calls to be skipped are in no job. The list's field by tool is "" for tools
// whose calls stay apart.
func jobs(calls []model.ToolCall, skip []bool, list func(tool string) string) []job {
	var out []job
	at := map[string]int{} // what calls must share to be joined, to the job
	items := map[int][]json.RawMessage{}
	for i, c := range calls {
		if skip[i] {
			continue
		}
		own, rest, ok := parts(c.Arguments, list(c.Name))
		key := c.Name + "\x00" + rest
		n, joins := at[key]
		switch {
		case ok && joins:
			items[n] = distinct(append(items[n], own...))
			out[n].calls = append(out[n].calls, i)
			out[n].call.FromText = out[n].call.FromText || c.FromText
			out[n].call.Arguments = withList(c.Arguments, list(c.Name), items[n])
		default:
			if ok {
				at[key], items[len(out)] = len(out), own
			}
			out = append(out, job{call: c, calls: []int{i}})
		}
	}
	return out
}

// parts takes the list out of arguments: its items, and all else in one normal
// form. A single text counts as a list of one.
func parts(arguments, field string) (items []json.RawMessage, rest string, ok bool) {
	fields := map[string]json.RawMessage{}
	if field == "" || json.Unmarshal([]byte(arguments), &fields) != nil || fields[field] == nil {
		return nil, "", false
	}
	raw := fields[field]
	if json.Unmarshal(raw, &items) != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil, "", false
		}
		items = []json.RawMessage{raw}
	}
	delete(fields, field)
	normal, err := json.Marshal(fields)
	return items, string(normal), err == nil
}

func distinct(items []json.RawMessage) []json.RawMessage {
	seen := map[string]bool{}
	var out []json.RawMessage
	for _, item := range items {
		if !seen[string(item)] {
			seen[string(item)] = true
			out = append(out, item)
		}
	}
	return out
}

// withList replaces the list in arguments that parts could read.
func withList(arguments, field string, items []json.RawMessage) string {
	fields := map[string]json.RawMessage{}
	list, err1 := json.Marshal(items)
	err2 := json.Unmarshal([]byte(arguments), &fields)
	fields[field] = list
	whole, err3 := json.Marshal(fields)
	if err1 != nil || err2 != nil || err3 != nil {
		return arguments
	}
	return string(whole)
}
