// Package prompts holds what Footnote tells a model, as files to be read and
// reviewed, with one typed function for each; and the few fixed sentences that
// it says to people itself. The text form of tool calls, which is a matter of
// the wire, is in core/model.
package prompts

import (
	"embed"
	"strings"
	"text/template"
	"time"
)

//go:embed text/*.md
var files embed.FS

var texts = template.Must(template.ParseFS(files, "text/*.md"))

// Tag encloses reminders. Text from documents that holds it is defused before
// the model sees it.
const Tag = "footnote-reminder"

// System is the system prompt. The guides are one section for each tool that is
// offered, in the order in which they appear.
func System(now time.Time, guides []string) string {
	return render("system.md", struct {
		Date, Citations, Tag string
		Guides               []string
	}{now.Format("Monday, 2 January 2006"), plain("citations.md"), Tag, guides})
}

// SearchGuide is the system prompt's section about internal_search.
func SearchGuide() string { return plain("search_guide.md") }

// SearchTool describes internal_search in its tool definition.
func SearchTool() string { return plain("search_tool.md") }

// SearchQueries describes the queries argument of internal_search.
func SearchQueries() string { return plain("search_queries.md") }

// Instructions wraps what the owner of an agent wrote for it.
func Instructions(text string) string { return render("instructions.md", text) }

// LastCycle says that no tools are left.
func LastCycle() string { return plain("last_cycle.md") }

// CiteNow repeats how to cite.
func CiteNow() string { return plain("cite_now.md") }

// Reminder joins the parts and encloses them; "" if there are none.
func Reminder(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "<" + Tag + ">\n" + strings.Join(parts, "\n\n") + "\n</" + Tag + ">"
}

func plain(name string) string { return render(name, nil) }

// render cannot fail on the embedded files with the data above; the golden
// tests run every function.
func render(name string, data any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, data); err != nil {
		panic("prompts: " + name + ": " + err.Error())
	}
	return strings.TrimSpace(b.String())
}
