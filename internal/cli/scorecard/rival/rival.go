// Package rival keeps other search engines as their makers set them up, to be
// measured beside the embedded index in one run.
package rival

import (
	"context"
	"strings"
	"unicode"

	"github.com/footnote-bot/footnote/core"
)

// Engine is a search engine over documents of any number of passages, in a folder of
// its own. It belongs to one goroutine.
type Engine interface {
	Put(ctx context.Context, docs []core.IndexedDocument) error
	// Search gives the best documents that hold a word of the text and that one of
	// the principals may read.
	Search(ctx context.Context, text string, principals []core.Principal, limit int) ([]string, error)
	Close() error
}

// textOf is what stands in a document.
func textOf(d core.IndexedDocument) string {
	var b strings.Builder
	for i, p := range d.Passages {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// words are the runs of letters and digits.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
