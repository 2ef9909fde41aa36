package slacktest

import (
	"encoding/json"
	"slices"
	"strings"
)

// message is one message of a channel, or an ephemeral one.
type message struct {
	channel, ts, thread string
	user, team          string
	in                  *install // who posted it; nil for people
	subtype             string
	text                string
	blocks              []any
	attachments         []any
	metadata            any
	username            string
	edited              string // ts of the last edit
	edits               int
	versions            []string // what could be read before, oldest first
	deleted             bool
	files               []*file
	reactions           []reaction
	broadcast           bool
	unfurl              bool   // links would get preview cards
	to                  string // who sees an ephemeral message
	stream              *stream
	links               bool // bare @here and @name in it become mentions
}

type reaction struct {
	name  string
	users []string
}

// shown is what a person reads: the blocks if there are any, else the text, and
// below it the attachments.
func (m *message) shown() string {
	text := m.text
	if len(m.blocks) > 0 {
		text = blocksText(m.blocks)
	}
	if m.stream != nil {
		text = strings.TrimSuffix(m.stream.shown()+"\n"+blocksText(m.blocks), "\n")
	}
	for _, value := range m.attachments {
		a, _ := value.(object)
		for _, key := range []string{"pretext", "title", "text", "fallback"} {
			if t, ok := a[key].(string); ok && t != "" {
				text += "\n│ " + t
			}
		}
		if list, ok := a["blocks"].([]any); ok {
			text += "\n│ " + blocksText(list)
		}
	}
	return strings.TrimPrefix(text, "\n")
}

// keep remembers the present text before a change.
func (m *message) keep() {
	if shown := m.shown(); shown != "" {
		m.versions = append(m.versions, shown)
	}
}

// object is the message as the Web API and the events give it.
func (m *message) object(s *Server) object {
	o := object{"type": "message", "ts": m.ts, "user": m.user, "text": m.text, "team": m.team}
	set := func(key string, value any, on bool) {
		if on {
			o[key] = value
		}
	}
	set("subtype", m.subtype, m.subtype != "")
	set("thread_ts", m.thread, m.thread != "")
	set("blocks", m.blocks, len(m.blocks) > 0)
	set("attachments", m.attachments, len(m.attachments) > 0)
	set("metadata", m.metadata, m.metadata != nil)
	set("username", m.username, m.username != "")
	set("edited", object{"user": m.user, "ts": m.edited}, m.edited != "")
	if m.in != nil {
		o["bot_id"], o["app_id"] = m.in.botID, m.in.app.ID
		o["bot_profile"] = object{"id": m.in.botID, "app_id": m.in.app.ID, "name": m.in.app.Name, "team_id": m.in.team, "deleted": false}
	} else if u := s.users[m.user]; u != nil && u.Bot {
		o["bot_id"] = u.BotID
	} else {
		o["client_msg_id"] = "msg-" + m.ts
	}
	if m.stream != nil {
		o["text"] = m.stream.text
		o["streaming_state"] = m.stream.state.String()
	}
	if len(m.files) > 0 {
		list := []object{}
		for _, f := range m.files {
			list = append(list, f.object(s))
		}
		o["files"], o["upload"] = list, false
	}
	if len(m.reactions) > 0 {
		list := []object{}
		for _, r := range m.reactions {
			list = append(list, object{"name": r.name, "users": r.users, "count": len(r.users)})
		}
		o["reactions"] = list
	}
	return o
}

// full is object with what a root tells of its thread.
func (s *Server) full(m *message) object {
	o := m.object(s)
	replies := s.replies(m.channel, m.ts)
	if m.thread != "" && m.thread != m.ts {
		if root := s.find(m.channel, m.thread); root != nil {
			o["parent_user_id"] = root.user
		}
		return o
	}
	if len(replies) == 0 {
		return o
	}
	var people []string
	for _, r := range replies {
		if !slices.Contains(people, r.user) {
			people = append(people, r.user)
		}
	}
	o["thread_ts"], o["reply_count"], o["reply_users"] = m.ts, len(replies), people
	o["reply_users_count"], o["latest_reply"] = len(people), replies[len(replies)-1].ts
	return o
}

// find looks up a message that has not been deleted.
func (s *Server) find(channel, ts string) *message {
	for _, m := range s.messages[channel] {
		if m.ts == ts && !m.deleted {
			return m
		}
	}
	return nil
}

func (s *Server) replies(channel, root string) []*message {
	var out []*message
	for _, m := range s.messages[channel] {
		if m.thread == root && m.ts != root && !m.deleted {
			out = append(out, m)
		}
	}
	return out
}

// convert turns decoded JSON into another type, and is a deep copy for the same.
func convert[To, From any](value From) To {
	var out To
	if raw, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(raw, &out)
	}
	return out
}
