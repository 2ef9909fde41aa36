package prompts

import (
	"fmt"
	"strings"
	"time"
)

// PlanSystem asks for a plan of a search. The day is that of the given time's
// zone.
func PlanSystem(now time.Time) string {
	return render("plan.md", struct{ Date string }{Day(now)})
}

// PlanInput is what a search is planned for. All parts but the question may be
// empty: what was said before, one JSON object a line; the names of sources that
// occur in it, and the searches that were thought of, as JSON lists. The question
// is a JSON text.
func PlanInput(earlier, names, queries, question string) string {
	return render("plan_input.md", struct{ Earlier, Names, Queries, Question string }{earlier, names, queries, question})
}

// SelectSystem asks which of the found sections matter.
func SelectSystem() string { return plain("select.md") }

// SelectInput is the question as a JSON text and the sections, one JSON object a
// line.
func SelectInput(question, sections string) string {
	return render("select_input.md", struct{ Question, Sections string }{question, sections})
}

// Covered is what the note of a search tells of its scope. Empty fields were not
// narrowed.
type Covered struct {
	Sources []string // as the asker named them
	From    string   // first day
	To      string   // last day
	Created bool     // the days are of creation, not of the last change
	Authors []string // whose documents come first
	Queries []string // that were added to the model's own
	Nothing bool     // nothing was found within it
}

// Narrowed tells whether any of the documents were left out.
func (c Covered) Narrowed() bool { return len(c.Sources) > 0 || c.From != "" || c.To != "" }

// Scope is the note of a search that was planned: what it covered, which queries
// were added, and how to go on. It is empty where there is nothing to tell.
func Scope(c Covered) string {
	var parts []string
	if len(c.Sources) > 0 {
		parts = append(parts, fmt.Sprintf("Because of the question only these sources were searched: %s.", strings.Join(c.Sources, ", ")))
	}
	if days := c.days(); days != "" {
		parts = append(parts, "Because of the question only documents "+days+" were searched.")
	}
	if len(c.Authors) > 0 {
		parts = append(parts, fmt.Sprintf("Documents by %s come first.", strings.Join(c.Authors, ", ")))
	}
	if len(c.Queries) > 0 {
		parts = append(parts, fmt.Sprintf("Searched for as well: %s.", strings.Join(c.Queries, "; ")))
	}
	switch {
	case c.Nothing && c.Narrowed():
		parts = append(parts, "Nothing was found there; call the tool again with other words and everything is searched.")
	case c.Narrowed():
		parts = append(parts, "Call the tool again with other words if this does not answer the question.")
	}
	return strings.Join(parts, " ")
}

func (c Covered) days() string {
	verb := "changed"
	if c.Created {
		verb = "created"
	}
	switch {
	case c.From != "" && c.To != "":
		return fmt.Sprintf("%s from %s to %s", verb, c.From, c.To)
	case c.From != "":
		return fmt.Sprintf("%s since %s", verb, c.From)
	case c.To != "":
		return fmt.Sprintf("%s until %s", verb, c.To)
	}
	return ""
}
