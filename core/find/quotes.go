package find

import (
	"cmp"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// The decision what is worth quoting. The numbers were set with the handbook's
// questions and the retrieval test sets, see TestHandbook and TestForeignQuestions.
const (
	quotable  = 0.405 // of the question's weight of words: below it nothing is an answer
	besideTop = 0.75  // of the best score: what else is worth quoting
	farBehind = 0.5   // of the best score: less is not worth quoting whatever it holds
	minQuotes = 2     // so many are shown although they are behind, if they answer
	maxQuotes = 5
	lookAt    = 5 // results that may decide
)

// Answers returns the passages worth quoting, best first and at most five, or
// none if nothing answers the question. It decides by how much of the question's
// rare words one passage holds, never by a list of words.
func Answers(question string, results []core.Result) []core.Result {
	if len(wordsOf(question)) == 0 || len(results) == 0 {
		return nil
	}
	head := results[:min(lookAt, len(results))]
	best := slices.MaxFunc(head, func(a, b core.Result) int { return cmp.Compare(a.Coverage, b.Coverage) })
	if best.Coverage < quotable {
		return nil
	}
	var out []core.Result
	for _, r := range results {
		near := r.Score >= besideTop*results[0].Score && r.Coverage >= besideTop*best.Coverage
		more := len(out) < minQuotes && r.Coverage >= quotable && r.Score >= farBehind*results[0].Score
		if len(out) < maxQuotes && (near || more) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return []core.Result{best}
	}
	return out
}

// mostParts bounds how many sentences of a question are looked at on their own.
const mostParts = 4

// Parts is what a question may be asked as: as a whole and, where it has several
// sentences, by each of them, the last one first. People tell a story and ask at
// its end; the words of the story are no part of the answer.
func Parts(question string) []string {
	parts := []string{question}
	all := sentences(question)
	for i := len(all) - 1; i >= 0 && len(all) > 1 && len(parts) <= mostParts; i-- {
		if len(wordsOf(all[i])) > 1 {
			parts = append(parts, strings.TrimSpace(all[i]))
		}
	}
	return parts
}
