package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Message is a message as it stands.
type Message struct {
	ID, Channel, Author string
	Content             string
	Shown               string   // what a person reads: content, embeds, text components
	Versions            []string // what could be read before, oldest first
	Edits               int
	Deleted             bool
	To                  string // its only reader, if it is ephemeral
	Thinking            bool   // a deferred answer without text yet
	ReplyTo             string
	Thread              string // the thread that was started from it
	Interaction         string // id of the interaction that it answers
	SuppressEmbeds      bool
	Mentions            []string // users
	Buttons             []Button
	Selects             []Menu
	Reactions           map[string][]string // user ids by emoji
	Files               []MessageFile
	Embeds, Components  json.RawMessage
	At                  time.Time
}

// Button is a button of a message.
type Button struct {
	Label, CustomID, URL string
	Style                int
	Disabled             bool
}

// Menu is a select of a message.
type Menu struct {
	CustomID, Placeholder string
	Labels, Values        []string
}

// MessageFile is a file of a message.
type MessageFile struct {
	ID, Name, Type, URL string
	Data                []byte
}

func (s *Server) look(m *message) Message {
	out := Message{ID: m.id, Channel: m.channel, Author: m.author, Content: m.content, Shown: m.shown(), Versions: slices.Clone(m.versions),
		Edits: m.edits, Deleted: m.deleted, To: m.to, Thinking: m.flags&flagLoading != 0, Thread: m.thread, SuppressEmbeds: m.flags&flagSuppress != 0,
		Mentions: slices.Clone(m.mentions.users), Reactions: map[string][]string{}, At: timeOf(m.id)}
	if m.kind == replyMessage {
		out.ReplyTo = m.ref
	}
	if m.by != nil {
		out.Interaction = m.by.id
	}
	out.Embeds, _ = json.Marshal(objectsOrEmpty(m.embeds)) // they came as JSON
	out.Components, _ = json.Marshal(objectsOrEmpty(m.components))
	controls(m.components, func(x object) { out.control(x) })
	for _, r := range m.reactions {
		out.Reactions[r.emoji] = slices.Clone(r.users)
	}
	for _, f := range m.files {
		out.Files = append(out.Files, MessageFile{f.id, f.name, f.kind, s.address(f, "cdn.discordapp.com"), slices.Clone(f.data)})
	}
	return out
}

func (m *Message) control(x object) {
	if whole(x, "type") == buttonType {
		m.Buttons = append(m.Buttons, Button{words(x, "label"), words(x, "custom_id"), words(x, "url"), whole(x, "style"), x["disabled"] == true})
		return
	}
	menu := Menu{CustomID: words(x, "custom_id"), Placeholder: words(x, "placeholder")}
	for _, o := range list(x, "options") {
		menu.Labels, menu.Values = append(menu.Labels, words(o, "label")), append(menu.Values, words(o, "value"))
	}
	m.Selects = append(m.Selects, menu)
}

// Messages returns what was posted in a channel or thread, in order, deleted
// and ephemeral ones too.
func (s *Server) Messages(channel string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, m := range s.messages[channel] {
		out = append(out, s.look(m))
	}
	return out
}

// FromBot returns what the bot posted in a channel or thread for everyone there,
// without what it deleted.
func (s *Server) FromBot(channel string) []Message {
	return slices.DeleteFunc(s.Messages(channel), func(m Message) bool { return m.Author != BotUser || m.Deleted || m.To != "" })
}

// Ephemerals returns what only this user was shown, in order, deleted ones too.
func (s *Server) Ephemerals(user string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, id := range s.order {
		for _, m := range s.messages[id] {
			if m.to == user {
				out = append(out, s.look(m))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Message) int {
		if before(a.ID, b.ID) {
			return -1
		}
		return 1
	})
	return out
}

// MessageByID returns one message, also an ephemeral or deleted one.
func (s *Server) MessageByID(id string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.byMessage[id]
	if m == nil {
		return Message{}, false
	}
	return s.look(m), true
}

// Channel returns a channel or thread.
func (s *Server) Channel(id string) (Channel, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[id]
	if c == nil {
		return Channel{}, false
	}
	out := *c
	out.Overwrites, out.Members, out.Tags = slices.Clone(c.Overwrites), slices.Clone(c.Members), slices.Clone(c.Tags)
	return out, true
}

// Threads lists the threads under a channel in the order of their creation.
func (s *Server) Threads(parent string) []Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Channel
	for _, id := range s.order {
		if c := s.channels[id]; c.Kind.IsThread() && c.Parent == parent {
			out = append(out, *c)
		}
	}
	return out
}

// Typing is how often the bot said that it types in a channel.
func (s *Server) Typing(channel string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typing[channel]
}

// Modal is the form that a user has open: title, custom_id, and the labels of
// its fields by their custom_id.
func (s *Server) Modal(user string) (title, customID string, fields map[string]string, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.modals[user]
	if m == nil {
		return "", "", nil, false
	}
	fields = map[string]string{}
	for _, row := range list(m.data, "components") {
		for _, f := range list(row, "components") {
			fields[words(f, "custom_id")] = words(f, "label")
		}
	}
	return words(m.data, "title"), words(m.data, "custom_id"), fields, true
}

// Commands lists the names of the registered commands of a guild, of the global
// ones for "".
func (s *Server) Commands(guild string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, c := range s.commands[guild] {
		out = append(out, c.name())
	}
	return out
}

var notifying = regexp.MustCompile(`<@[!&]?\d+>|@everyone|@here`)

// Notifies lists what in content and text components would notify somebody if
// all mentions were allowed, in the present version and those before.
func (m Message) Notifies() []string {
	var out []string
	for _, text := range append(slices.Clone(m.Versions), m.Shown) {
		for _, token := range notifying.FindAllString(text, -1) {
			if !slices.Contains(out, token) {
				out = append(out, token)
			}
		}
	}
	return out
}

// EverShown tells whether a text could be read in the message at any time.
func (m Message) EverShown(text string) bool {
	return slices.ContainsFunc(append(slices.Clone(m.Versions), m.Shown), func(v string) bool { return strings.Contains(v, text) })
}
