package find

import (
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// byAuthor puts documents of the authors before the others, and tells whether there
// are any. Only where the readers may see who wrote a document does that count, so
// that the order tells nothing.
func byAuthor(results []core.Result, authors []string, named func(core.Document) bool) ([]core.Result, bool) {
	if len(authors) == 0 || named == nil {
		return results, false
	}
	var first, rest []core.Result
	for _, r := range results {
		if named(r.Document) && slices.ContainsFunc(r.Document.Authors, func(a string) bool { return anyName(authors, a) }) {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	return append(first, rest...), len(first) > 0
}

// anyName tells whether one of the names asked for is the author's, or part of it.
func anyName(names []string, author string) bool {
	author = strings.ToLower(author)
	return slices.ContainsFunc(names, func(n string) bool { return occurs(strings.ToLower(n), author) })
}
