package bot

import (
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Heard is a message of a chat platform with everything that decides whether it
// is answered.
type Heard struct {
	Self   bool          // the bot's own
	Age    time.Duration // since it was written
	Edited bool          // the event is about an edit
	Before bool          // of an edit: the bot was named before it

	Machine bool // a bot, workflow or webhook wrote it
	Allowed bool // that one may ask

	Direct  bool // a conversation with the bot alone
	Mention bool // it names the bot, or replies to it
	Other   bool // it is addressed to somebody else
	Thread  bool // inside a thread, not its first message
	Started bool // the thread began with a question to the bot, or the bot began it
	Mode    Mode
	Account string // key of who wrote it
	Facts   core.ThreadFacts
	Text    string // without the mention
	Files   bool
	Now     time.Time
}

// Verdict is what becomes of a message.
type Verdict int

const (
	Ignore      Verdict = iota
	AnswerIt            // it is a question to the bot
	Hush                // be quiet in the thread from now on
	SayHowToAsk         // the message has no words
)

// oldestEdit is how old a message may be for an edit to make it a question.
const oldestEdit = time.Hour

// Decide tells what becomes of a message, and why, in a word for the log.
func Decide(h Heard) (Verdict, string) {
	switch {
	case h.Self:
		return Ignore, "own"
	case h.Edited && (h.Before || !h.Mention || h.Age > oldestEdit):
		return Ignore, "edit"
	case h.Mode == ModeOff:
		return Ignore, "off"
	case h.Machine && !h.Allowed:
		return Ignore, "bot"
	case h.Machine && Loops(h.Facts):
		return Ignore, "loop"
	}
	if IsStop(h.Text) && !h.Machine {
		return hushes(h)
	}
	if h.Direct || h.Mention {
		if strings.TrimSpace(h.Text) == "" && !h.Files && !h.Thread {
			return SayHowToAsk, "empty"
		}
		return AnswerIt, "called"
	}
	if h.Machine {
		return Ignore, "uncalled"
	}
	return uncalled(h)
}

// hushes decides about "stop": it counts where the bot is in the talk.
func hushes(h Heard) (Verdict, string) {
	if h.Mention || h.Direct || h.Thread && slices.Contains(h.Facts.People, h.Account) {
		return Hush, "stop"
	}
	return Ignore, "stop"
}

// uncalled decides about a message that does not name the bot.
func uncalled(h Heard) (Verdict, string) {
	switch {
	case h.Thread:
		if Follows(Follow{
			Mode: h.Mode, Started: h.Started, Account: h.Account, Thread: h.Facts, Text: h.Text, Mention: h.Other, Now: h.Now,
		}) {
			return AnswerIt, "follow-up"
		}
		return Ignore, "thread"
	case h.Other:
		return Ignore, "for somebody else"
	case h.Mode == ModeAll && strings.TrimSpace(h.Text) != "":
		return AnswerIt, "all"
	case h.Mode == ModeQuestions && IsQuestion(h.Text):
		return AnswerIt, "question"
	case h.Mode == ModeQuestions:
		return Ignore, "no question"
	}
	return Ignore, "no mention"
}

// FitSaid keeps the first message of a thread and as many of the last ones as the
// room in bytes allows.
func FitSaid(said []core.Said, room int) []core.Said {
	if len(said) == 0 {
		return nil
	}
	size := func(s core.Said) int { return len(s.Author) + len(s.Text) + 8 }
	room -= size(said[0])
	from := len(said)
	for from > 1 && room >= size(said[from-1]) {
		from--
		room -= size(said[from])
	}
	if from <= 1 {
		return said
	}
	out := []core.Said{said[0], {Text: "(some messages are left out here)"}}
	return append(out, said[from:]...)
}
