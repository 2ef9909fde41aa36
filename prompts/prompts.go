// Package prompts holds what Footnote tells a model, as files to be read and
// reviewed, with one typed function for each; and the few fixed sentences that
// it says to people itself. The text form of tool calls, which is a matter of
// the wire, is in core/model.
package prompts

import (
	"embed"
	"strconv"
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

// System is the system prompt. The day is that of the given time's zone, the
// language the one to answer in ("" means that of the question), the guides one
// section for each tool that is offered, in the order in which they appear.
func System(now time.Time, language string, guides []string) string {
	return render("system.md", struct {
		Date, Language, Citations, Tag string
		Guides                         []string
	}{Day(now), AnswerIn(language), plain("citations.md"), Tag, guides})
}

// Day writes the calendar day in the time's own zone.
func Day(now time.Time) string { return now.Format("Monday, 2 January 2006") }

// AnswerIn says which language to answer in.
func AnswerIn(language string) string {
	if language == "" {
		return "Answer in the language of the question."
	}
	return "Answer in " + languageName(language) + ", whatever the language of the question is."
}

// languageName spells out the common codes; everything else stays as written.
func languageName(language string) string {
	names := map[string]string{
		"ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
		"fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "it": "Italian",
		"ja": "Japanese", "ko": "Korean", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
		"pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
		"vi": "Vietnamese", "zh": "Chinese",
	}
	if name, ok := names[strings.ToLower(language)]; ok {
		return name
	}
	return language
}

// OpenTool describes open_document in its tool definition.
func OpenTool() string { return plain("open_tool.md") }

// OpenGuide is the system prompt's section about open_document.
func OpenGuide() string { return plain("open_guide.md") }

// OpenWhich describes the document argument of open_document.
func OpenWhich() string {
	return "The number that a result gave the document, or its id."
}

// ClockTool describes current_time in its tool definition.
func ClockTool() string { return "Tells the date, the time and the time zone where the asker is." }

// SummarySystem asks for a summary of the older part of a conversation.
func SummarySystem() string { return plain("summary.md") }

// SummaryInput is what is to be summarised: the summary so far, if there is one,
// and the exchanges that it does not cover.
func SummaryInput(before, exchanges string) string {
	return render("summary_input.md", struct{ Before, Exchanges string }{before, exchanges})
}

// Summary stands in the context for the turns that it covers.
func Summary(text string) string { return render("summary_shown.md", text) }

// Thread introduces messages of the platform's thread, one JSON object a line.
func Thread(lines string, leftOut int) string {
	return render("thread.md", struct {
		Lines   string
		LeftOut int
	}{lines, leftOut})
}

// Files introduces the files of a question, one JSON object a line.
func Files(lines string) string { return render("files.md", lines) }

// ImageMark stands for an image that came with the question. It says what the
// model can do about it.
func ImageMark(name string, visible bool) string {
	if visible {
		return "[image: " + name + "]"
	}
	return "[image: " + name + ", which you cannot see; say so if the question is about it]"
}

// DescribeImages ends a turn that made an image.
func DescribeImages() string {
	return "The image is shown to the asker already. Say in one short sentence what it shows, without links and attachments."
}

// OpenPages encourages opening what a web search found.
func OpenPages() string { return plain("open_pages.md") }

// LinkFiles asks to link the files that a tool made.
func LinkFiles(addresses []string) string {
	return "Link each of these files in your answer, with its address as it stands here:\n" + strings.Join(addresses, "\n")
}

// ImagesLeftOut says how many images are not in the context.
func ImagesLeftOut(n int) string {
	if n == 1 {
		return "1 image was left out because there are too many."
	}
	return strconv.Itoa(n) + " images were left out because there are too many."
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
