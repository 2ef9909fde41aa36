package agent

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// withDefaults fills in what is not set.
func (q Quoting) withDefaults() Quoting {
	if q.Answers == nil {
		q.Answers = covering
	}
	if q.Quote == nil {
		q.Quote = func(_, text string) string { return strings.TrimSpace(text) }
	}
	return q
}

// covering keeps the passages that hold at least half of what the question
// asks for, by the weight of its words.
func covering(_ string, results []core.Result) []core.Result {
	var out []core.Result
	for _, r := range results {
		if r.Coverage >= 0.5 {
			out = append(out, r)
		}
	}
	return out
}
