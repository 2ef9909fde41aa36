package bot

import (
	"context"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Mark is what a curator says of a document.
type Mark string

// The marks.
const (
	MarkUp   Mark = "up"
	MarkDown Mark = "down"
	MarkHide Mark = "hide" // from search, until it is shown again
	MarkShow Mark = "show" // takes back that it was hidden
)

// Curation keeps what curators say of the documents behind answers.
type Curation interface {
	// Curator tells whether the owner listed the person or the account.
	Curator(account core.Account, viewer core.Viewer) bool
	// Mark keeps what a curator says of the document behind a citation, and tells
	// its title. Errors are of kind denied for who is no curator, and not_found for
	// what is not cited there or what they may not read.
	Mark(ctx context.Context, account core.Account, viewer core.Viewer, turn core.Turn, number int, mark Mark) (title string, err error)
}

// MarkValue is what the button for a mark carries: the id of the answer, the
// citation's number and the mark.
func MarkValue(id string, number int, mark Mark) string {
	return id + ":" + strconv.Itoa(number) + ":" + string(mark)
}

// ParseMark reads what such a button carries; not ok if it is none.
func ParseMark(value string) (id string, number int, mark Mark, ok bool) {
	id, rest, _ := strings.Cut(value, ":")
	digits, what, _ := strings.Cut(rest, ":")
	number, err := strconv.Atoi(digits)
	mark = Mark(what)
	switch mark {
	case MarkUp, MarkDown, MarkHide, MarkShow:
		return id, number, mark, err == nil && id != "" && number > 0
	}
	return "", 0, "", false
}
