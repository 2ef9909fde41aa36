package slacktest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Message is a message as it stands in a channel, or an ephemeral one.
type Message struct {
	Channel, TS, Thread string // Thread is empty for what is no reply and has none
	User                string
	App                 string // id of the app that posted it
	Subtype             string
	Text                string   // the text field, for notifications
	Shown               string   // what a person reads: blocks as text, streamed text
	Versions            []string // what could be read before, oldest first
	Edits               int
	Deleted             bool
	To                  string // who sees it, for an ephemeral one
	Broadcast           bool
	Stream              string // in_progress, completed, errored, stopped, or empty
	Buttons             []Button
	Reactions           map[string][]string // user ids by emoji name
	Files               []MessageFile
	Blocks              json.RawMessage
	Metadata            json.RawMessage
	Unfurls             bool // links in it would get preview cards
	LinkNames           bool // bare @here and the like in it notify, by link_names or parse
	At                  time.Time
}

// Button is a button, or an option of a select.
type Button struct{ Label, ActionID, Value string }

// MessageFile is a file of a message.
type MessageFile struct {
	ID, Name, Title string
	Data            []byte
}

func (s *Server) look(m *message) Message {
	out := Message{Channel: m.channel, TS: m.ts, Thread: m.thread, User: m.user, Subtype: m.subtype, Text: m.text,
		Versions: slices.Clone(m.versions), Edits: m.edits, Deleted: m.deleted, To: m.to, Broadcast: m.broadcast,
		Unfurls: m.unfurl, LinkNames: m.links, At: timeOf(m.ts), Reactions: map[string][]string{}}
	if m.in != nil {
		out.App = m.in.app.ID
	}
	if m.stream != nil {
		out.Stream = s.streamState(m).String()
	}
	out.Shown = m.shown()
	if blocks := m.allBlocks(); len(blocks) > 0 {
		out.Blocks = rawOf(blocks)
		for _, c := range controls(blocks) {
			id, _ := c.element["action_id"].(string)
			out.Buttons = append(out.Buttons, Button{c.label, id, c.value})
		}
	}
	if m.metadata != nil {
		out.Metadata = rawOf(m.metadata)
	}
	for _, r := range m.reactions {
		out.Reactions[r.name] = slices.Clone(r.users)
	}
	for _, f := range m.files {
		out.Files = append(out.Files, MessageFile{f.id, f.name, f.title, slices.Clone(f.data)})
	}
	return out
}

// Messages returns what was posted in a channel, in order, deleted ones too.
func (s *Server) Messages(channel string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, m := range s.messages[channel] {
		out = append(out, s.look(m))
	}
	return out
}

// InThread returns the messages of a thread, the root first, deleted ones too.
func (s *Server) InThread(channel, root string) []Message {
	return slices.DeleteFunc(s.Messages(channel), func(m Message) bool { return m.TS != root && m.Thread != root })
}

// FromApps returns what apps posted in a channel and did not delete.
func (s *Server) FromApps(channel string) []Message {
	return slices.DeleteFunc(s.Messages(channel), func(m Message) bool { return m.App == "" || m.Deleted || m.Subtype == "assistant_app_thread" })
}

// MessageAt returns one message, also an ephemeral or deleted one.
func (s *Server) MessageAt(channel, ts string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range [][]*message{s.messages[channel], s.ephemerals} {
		for _, m := range list {
			if m.channel == channel && m.ts == ts {
				return s.look(m), true
			}
		}
	}
	return Message{}, false
}

// Ephemerals returns what only this user was shown, in order, deleted ones too.
func (s *Server) Ephemerals(user string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, m := range s.ephemerals {
		if m.to == user {
			out = append(out, s.look(m))
		}
	}
	return out
}

var notifying = regexp.MustCompile(`<(?:@[UW][A-Z0-9_]+|!(?:channel|here|everyone)|!subteam\^S?[A-Z0-9_]+)(?:\|[^>]*)?>`)

var bareNames = regexp.MustCompile(`@[a-z0-9][a-z0-9._-]*`)

// Notifies lists the tokens in text and blocks that would notify somebody, in
// the present version and in those before.
func (m Message) Notifies() []string {
	var out []string
	for _, text := range append(slices.Clone(m.Versions), m.Text, m.Shown) {
		found := notifying.FindAllString(text, -1)
		if m.LinkNames {
			found = append(found, bareNames.FindAllString(text, -1)...)
		}
		for _, token := range found {
			if !slices.Contains(out, token) {
				out = append(out, token)
			}
		}
	}
	return out
}

// EverShown tells whether a text could be read in the message at any time.
func (m Message) EverShown(text string) bool {
	return slices.ContainsFunc(append(slices.Clone(m.Versions), m.Text, m.Shown), func(v string) bool { return strings.Contains(v, text) })
}
