package discordtest

import (
	"fmt"
	"net/http"
	"strings"
)

// refusal is an error that Discord's API answers with.
type refusal struct {
	status  int
	code    int
	message string
	tree    object // "errors" of an invalid form
	limit   *limited
}

func (r *refusal) Error() string { return fmt.Sprintf("%d: %s", r.code, r.message) }

func (r *refusal) body() object {
	out := object{"code": r.code, "message": r.message}
	if r.tree != nil {
		out["errors"] = r.tree
	}
	return out
}

func fail(status, code int, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

func unknown(code int, what string) *refusal {
	return fail(http.StatusNotFound, code, "Unknown "+what)
}

func unknownChannel() *refusal     { return unknown(10003, "Channel") }
func unknownMessage() *refusal     { return unknown(10008, "Message") }
func unknownInteraction() *refusal { return unknown(10062, "interaction") }

func missingAccess() *refusal { return fail(http.StatusForbidden, 50001, "Missing Access") }
func missingPermissions() *refusal {
	return fail(http.StatusForbidden, 50013, "Missing Permissions")
}

func unauthorized() *refusal { return fail(http.StatusUnauthorized, 0, "401: Unauthorized") }

func emptyMessage() *refusal {
	return fail(http.StatusBadRequest, 50006, "Cannot send an empty message")
}

// mistakes collects what is wrong with a form, in the nested shape in which
// Discord reports it.
type mistakes struct{ tree object }

// add reports a mistake at a path such as "embeds.0.title".
func (m *mistakes) add(path, code, format string, args ...any) {
	if m.tree == nil {
		m.tree = object{}
	}
	at := m.tree
	for step := range strings.SplitSeq(path, ".") {
		next, ok := at[step].(object)
		if !ok {
			next = object{}
			at[step] = next
		}
		at = next
	}
	list, _ := at["_errors"].([]object)
	at["_errors"] = append(list, object{"code": code, "message": fmt.Sprintf(format, args...)})
}

// text reports a text with too few or too many characters; Discord counts code
// points.
func (m *mistakes) text(path, value string, least, most int) {
	n := len([]rune(value))
	switch {
	case n == 0 && least > 0:
		m.add(path, "BASE_TYPE_REQUIRED", "This field is required")
	case n < least:
		m.add(path, "BASE_TYPE_MIN_LENGTH", "Must be %d or more in length.", least)
	case n > most:
		m.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	}
}

// count reports a list with too few or too many items.
func (m *mistakes) count(path string, n, least, most int) {
	if n < least || n > most {
		m.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	}
}

// err is nil if nothing was wrong.
func (m *mistakes) err() error {
	if m.tree == nil {
		return nil
	}
	return &refusal{status: http.StatusBadRequest, code: 50035, message: "Invalid Form Body", tree: m.tree}
}
