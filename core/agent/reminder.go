package agent

import "github.com/footnote-bot/footnote/prompts"

// reminderState is what the choice of the reminder depends on.
type reminderState struct {
	author string // the owner's own reminder
	last   bool   // no tools are left
	cited  bool   // a tool whose results are cited was called in this turn
}

// reminders chooses the parts of the reminder, in order; none means that there
// is no reminder message.
func reminders(s reminderState) []string {
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
	return parts
}
