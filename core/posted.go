package core

import (
	"encoding/json"
	"time"
)

// LastingKey begins the keys of events that are remembered for good and not only
// for a day.
const LastingKey = "ever:"

// Posted is where a turn's answer stands on a chat platform, kept so that its
// buttons work after a restart and a crash in mid-answer can be mended.
type Posted struct {
	ID       string // opaque; what buttons carry
	TurnID   string
	Platform string
	Place    string   // id
	Thread   string   // id
	Account  string   // key of who asked
	Refs     []string // the platform's ids of the messages, oldest first
	Private  bool     // only the asker sees it
	Open     bool     // still being written
	Extra    json.RawMessage
	Updated  time.Time
}

// Vote is what one person thinks of an answer; a later one replaces it.
type Vote struct {
	TurnID  string
	Account string // key
	Up      bool
	Reason  string // of a vote against; may be empty
	At      time.Time
}

// HelpRequest is a question that somebody wants a person to answer.
type HelpRequest struct {
	ID       string
	TurnID   string
	Place    string
	Account  string // who asked
	Opened   time.Time
	Resolved time.Time // zero while it is open
	By       string    // key of who resolved it
	Extra    json.RawMessage
}

// ThreadFacts is what is known of a thread, for deciding whether a message in it
// is meant for the bot.
type ThreadFacts struct {
	People   []string  // keys of the accounts that asked in it
	Turns    int       // all questions
	BotTurns int       // those that bots asked, counted from the last one of a person
	Last     time.Time // when the newest was asked
	Stopped  bool      // somebody told the bot to be quiet
}

// PastQuestion is a question that somebody asked before.
type PastQuestion struct {
	TurnID, Place, Thread, Question string
	Private                         bool // only the asker saw the answer
	At                              time.Time
}
