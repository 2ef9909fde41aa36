package slack

import (
	"github.com/footnote-bot/footnote/core"
)

// visibility says who sees a reply. The zero value is nobody: every request has
// to choose.
type visibility int

const (
	_         visibility = iota
	everyone             // who can read the place
	askerOnly            // an ephemeral message
)

// request is a question on its way from an event to the desk.
type request struct {
	id       string // what the answer's buttons carry, where it was noted before; else "" and made then
	from     string // what brought it, for the log
	channel  string
	root     string // timestamp of the thread's first message; "" outside threads
	ts       string // of the message that asks; "" for commands and buttons
	who      person
	show     visibility
	response string // address for ephemeral replies, if Slack gave one
	replace  bool   // the reply takes the place of what the address belongs to

	raw   string // the question as Slack writes it
	text  string // as it is asked; made of raw where empty
	files []file
	said  []core.Said // what stands before it, where that is not the thread

	direct  bool // a conversation with the bot alone
	restate bool // the place does not show the question: the reply begins with it
	full    bool // no canned answer
	parent  string
	history []core.Turn
	agent   string
}

// called tells that somebody turned to the bot, and that it did not join a talk
// because of the channel's mode.
func (r request) called() bool {
	return r.from != "all" && r.from != "question" && r.from != "follow-up"
}

// private tells that only the asker sees the reply.
func (r request) private() bool { return r.show == askerOnly }
