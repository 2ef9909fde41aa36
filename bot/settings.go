package bot

import (
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Mode says which messages of a channel are answered.
type Mode string

const (
	ModeOff       Mode = "off"       // none, not even mentions
	ModeMention   Mode = "mention"   // those that mention the bot
	ModeQuestions Mode = "questions" // also those that look like questions
	ModeAll       Mode = "all"       // every message that starts a thread
)

// Settings are what the owner set for a place. The zero value answers mentions
// with the default agent.
type Settings struct {
	Mode        Mode // "" means mention
	Agent       string
	Collections []string // see core.Place.Within
	Private     bool     // answers go to the asker alone
	External    bool     // see core.Place.External
	Helpers     string   // the user group that is called when somebody wants a human
	OnlySourced bool     // see KeepsBack
	Allow       []string // who may ask there, see Listed: nil = all, empty = nobody
	Canned      []Canned
}

// Answers is the mode with its default.
func (s Settings) Answers() Mode {
	if s.Mode == "" {
		return ModeMention
	}
	return s.Mode
}

// KeepsBack tells whether an answer is not for the place: one that cites nothing,
// where the owner wants only answers with a source.
func (s Settings) KeepsBack(a core.Answer) bool { return s.OnlySourced && len(a.Citations) == 0 }

// Canned is an answer that the owner wrote for a kind of question.
type Canned struct {
	Name    string
	Any     []string  // words or phrases; one of them has to occur
	All     []string  // words that all have to occur
	Answer  string    // Markdown
	Expires time.Time // zero means never
	// Listed is set where the owner named the place for it. Without that it is for
	// full members: it is not given where anybody else can read it.
	Listed bool
}
