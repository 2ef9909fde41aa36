package agent

import (
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// Quoting decides what is quoted where no model writes the answer.
type Quoting struct {
	// Answers chooses from search results, best first, those that answer the
	// question; none where nothing is relevant. Default find.Answers.
	Answers func(question string, results []core.Result) []core.Result
	// Quote trims a passage to whole sentences. Default find.Quote.
	Quote func(question, text string) string
}

// withDefaults fills in what is not set.
func (q Quoting) withDefaults() Quoting {
	if q.Answers == nil {
		q.Answers = find.Answers
	}
	if q.Quote == nil {
		q.Quote = find.Quote
	}
	return q
}
