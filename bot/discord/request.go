package discord

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
	from    string // what brought it, for the log
	guild   string // "" in direct messages
	channel string // where the reply goes; may be a thread
	root    string // what a conversation began with: thread, message or session; "" for none
	asked   string // id of the message that asks; "" for commands and buttons
	who     person
	show    visibility
	reply   *reply // of an interaction; nil for messages

	raw   string // the question as Discord writes it
	names []user // that the message itself tells
	text  string // as it is asked; made of raw where empty
	files []attachment
	said  []core.Said // what stands before it; nil is looked up
	chain []message   // that it replies to, oldest first

	restate     bool // the place does not show the question: the reply begins with it
	full        bool // no canned answer
	thread      bool // the reply may start a thread
	alone       bool // the place answers askers alone, and the question was a message
	parent      string
	history     []core.Turn
	agent       string
	collections []string
}

// private tells that only the asker sees the reply.
func (r request) private() bool { return r.show == askerOnly }

// sameTalk tells whether two requests are part of one conversation. Sessions of
// direct messages have the same name for everybody, so the channel counts there.
func (r request) sameTalk(other request) bool {
	return r.guild == other.guild && r.root == other.root && (!r.direct() || r.channel == other.channel)
}

// direct tells that it is a conversation with the bot alone.
func (r request) direct() bool { return r.guild == "" }
