package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Types of messages.
const (
	plainMessage   = 0
	threadCreated  = 18
	replyMessage   = 19
	commandMessage = 20
	threadStarter  = 21
	menuMessage    = 23
)

// message is one message, also an ephemeral one.
type message struct {
	id, channel, guild, author string
	kind                       int
	content                    string
	embeds, components         []object
	files                      []*attachment
	flags                      int
	ref                        string // message that it answers, or that a thread was started from
	refChannel                 string
	mentions                   mentioned
	reactions                  []*reaction
	nonce                      any
	edited                     time.Time
	edits                      int
	versions                   []string
	deleted                    bool
	thread                     string // the thread that was started from it
	to                         string // its only reader, if it is ephemeral
	by                         *interaction
	hook                       string // name of the webhook that wrote it; author is its id
}

// attachment is a file of a message.
type attachment struct {
	id, channel, name, kind string
	data                    []byte
	ephemeral               bool
}

type reaction struct {
	emoji string
	users []string
}

// shown is what a person reads.
func (m *message) shown() string {
	var parts []string
	for _, p := range []string{m.content, embedText(m.embeds), displayText(m.components)} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "\n")
}

// messageJSON is the whole message.
func (s *Server) messageJSON(m *message) object {
	out := object{"id": m.id, "channel_id": m.channel, "author": s.userJSON(m.author), "type": m.kind, "content": m.content,
		"timestamp": stamp(timeOf(m.id)), "edited_timestamp": nil, "tts": false, "pinned": false, "flags": m.flags,
		"mention_everyone": m.mentions.everyone, "mention_roles": orEmpty(m.mentions.roles), "mentions": s.usersJSON(m.mentions.users),
		"embeds": objectsOrEmpty(m.embeds), "components": objectsOrEmpty(m.components), "attachments": s.filesJSON(m)}
	if m.hook != "" {
		out["webhook_id"] = m.author
		out["author"] = object{"id": m.author, "username": m.hook, "discriminator": "0000", "avatar": nil, "bot": true}
	}
	if !m.edited.IsZero() {
		out["edited_timestamp"] = stamp(m.edited)
	}
	if m.nonce != nil {
		out["nonce"] = m.nonce
	}
	if len(m.reactions) > 0 {
		out["reactions"] = reactionsJSON(m)
	}
	if m.thread != "" && s.channels[m.thread] != nil {
		out["thread"] = s.threadJSON(s.channels[m.thread])
	}
	if m.by != nil {
		out["webhook_id"], out["application_id"] = AppID, AppID
		out["interaction_metadata"] = object{"id": m.by.id, "type": m.by.kind, "user": s.userJSON(m.by.user), "authorizing_integration_owners": object{}}
		if m.by.kind == commandInteraction {
			out["interaction"] = object{"id": m.by.id, "type": m.by.kind, "name": m.by.commandName(), "user": s.userJSON(m.by.user)}
		}
	}
	s.addReference(out, m)
	return out
}

func (s *Server) addReference(out object, m *message) {
	if m.ref == "" {
		return
	}
	out["message_reference"] = object{"type": 0, "message_id": m.ref, "channel_id": m.refChannel, "guild_id": m.guild}
	if m.kind != replyMessage && m.kind != threadStarter {
		return
	}
	out["referenced_message"] = nil
	if r := s.byMessage[m.ref]; r != nil && !r.deleted {
		inner := s.messageJSON(r)
		delete(inner, "referenced_message")
		out["referenced_message"] = inner
	}
}

func (s *Server) usersJSON(ids []string) []object {
	out := []object{}
	for _, id := range ids {
		out = append(out, s.userJSON(id))
	}
	return out
}

func (s *Server) filesJSON(m *message) []object {
	out := []object{}
	for _, f := range m.files {
		out = append(out, s.fileJSON(f))
	}
	return out
}

func reactionsJSON(m *message) []object {
	out := []object{}
	for _, r := range m.reactions {
		out = append(out, object{"count": len(r.users), "me": slices.Contains(r.users, BotUser), "burst_colors": []string{},
			"emoji": object{"id": nil, "name": r.emoji}})
	}
	return out
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func objectsOrEmpty(list []object) []object {
	if list == nil {
		return []object{}
	}
	return list
}

// readable tells whether the application gets the content of a message without
// the intent MessageContent: its own, those that mention it, direct messages.
func (s *Server) readable(m *message) bool {
	c := s.channels[m.channel]
	return m.author == BotUser || c != nil && c.Kind == Direct || slices.Contains(m.mentions.users, BotUser)
}

// withheld takes out what the application may not read.
func (s *Server) withheld(m *message, intents Intent) object {
	out := s.messageJSON(m)
	if intents&MessageContent == 0 && !s.readable(m) {
		out["content"], out["embeds"], out["attachments"], out["components"] = "", []object{}, []object{}, []object{}
	}
	if inner, ok := out["referenced_message"].(object); ok {
		if r := s.byMessage[m.ref]; intents&MessageContent == 0 && !s.readable(r) {
			inner["content"], inner["embeds"], inner["attachments"], inner["components"] = "", []object{}, []object{}, []object{}
		}
	}
	return out
}

// rest is a message as the REST API gives it: what the application is allowed
// in the developer portal counts, not what a connection asked for.
func (s *Server) rest(m *message) object { return s.withheld(m, s.privileged) }

func copyObjects(list []object) []object {
	raw, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	var out []object
	_ = json.Unmarshal(raw, &out) // it was just marshalled
	return out
}
