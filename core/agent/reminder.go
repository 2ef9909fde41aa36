package agent

import "github.com/footnote-bot/footnote/prompts"

// reminderState is what the choice of the reminder depends on.
type reminderState struct {
	imageMade bool     // a tool made an image in this turn
	pages     bool     // the previous cycle's web search returned documents
	canOpen   bool     // there is a tool that opens pages
	author    string   // the owner's own reminder
	language  string   // to answer in, where that is fixed
	last      bool     // no tools are left
	cited     bool     // a tool whose results are cited was called in this turn
	files     []string // addresses of files that a tool made
	unseen    int      // images left out because there are too many
}

// reminders chooses the parts of the reminder, in order; none means that there
// is no reminder message. An image just made and pages just found push aside
// everything else.
func reminders(s reminderState) []string {
	var parts []string
	switch {
	case s.imageMade:
		parts = append(parts, prompts.DescribeImages())
	case s.pages && s.canOpen && !s.last:
		parts = append(parts, prompts.OpenPages())
	default:
		parts = ordinary(s)
	}
	if s.unseen > 0 {
		parts = append(parts, prompts.ImagesLeftOut(s.unseen))
	}
	return parts
}

func ordinary(s reminderState) []string {
	var parts []string
	if s.author != "" {
		parts = append(parts, s.author)
	}
	if s.last {
		parts = append(parts, prompts.LastCycle())
	}
	if s.cited {
		parts = append(parts, prompts.CiteNow())
	}
	if len(s.files) > 0 {
		parts = append(parts, prompts.LinkFiles(s.files))
	}
	if s.language != "" && len(parts) > 0 {
		// The parts before are in English, which pulls the answer that way.
		parts = append(parts, prompts.AnswerIn(s.language))
	}
	return parts
}
