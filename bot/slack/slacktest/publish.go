package slacktest

import (
	"slices"
	"strings"
)

// publish puts a message into its channel and tells the apps.
func (s *Server) publish(ch *Channel, m *message) {
	s.messages[ch.ID] = append(s.messages[ch.ID], m)
	if m.in != nil {
		s.clearStatus(ch.ID, m)
	}
	s.messageEvent(ch, m)
	s.touch()
}

// messageEvent emits the message event of a new message, and app_mention where
// it names an app's bot.
func (s *Server) messageEvent(ch *Channel, m *message) {
	base := s.full(m)
	base["channel"], base["channel_type"], base["event_ts"] = ch.ID, ch.Kind.eventType(), m.ts
	if ch.ExtShared || m.team != ch.Team {
		base["user_team"], base["source_team"] = m.team, m.team
	}
	if m.broadcast && m.thread != "" {
		base["subtype"] = "thread_broadcast"
		if root := s.find(ch.ID, m.thread); root != nil {
			base["root"] = root.object(s)
		}
	}
	s.eachIn(ch, func(in *install) {
		if m.in != nil && m.in.app == in.app && s.options.quiet {
			return
		}
		mention := func() { s.mentionEvent(ch, m, in, base, m.text) }
		if s.options.twin {
			s.emit(in, "message."+historyName(ch.Kind), base, ch)
			mention()
			return
		}
		mention()
		s.emit(in, "message."+historyName(ch.Kind), base, ch)
	})
}

// mentionEvent emits app_mention if the text names the bot. In direct messages
// Slack sends none.
func (s *Server) mentionEvent(ch *Channel, m *message, in *install, base object, text string) {
	plain := m.subtype == "" || m.subtype == "file_share" || m.subtype == "bot_message"
	if ch.Kind == DirectMessage || m.user == in.bot || !plain || !names(text, in.bot) {
		return
	}
	o := object{"type": "app_mention"}
	for _, key := range []string{"user", "text", "ts", "thread_ts", "channel", "event_ts", "team", "blocks", "files", "bot_id",
		"user_team", "source_team", "client_msg_id", "edited", "attachments"} {
		if base[key] != nil {
			o[key] = base[key]
		}
	}
	s.emit(in, "app_mention", o, ch)
}

func names(text, user string) bool {
	return strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@"+user+"|")
}

// historyName is the part of a subscription's name after "message.".
func historyName(k ChannelKind) string {
	return [...]string{"channels", "groups", "im", "mpim"}[k]
}

// changedEvent tells the apps that a message has been edited.
func (s *Server) changedEvent(ch *Channel, m *message, before object) {
	s.eachIn(ch, func(in *install) {
		if m.in != nil && m.in.app == in.app && s.options.quiet {
			return
		}
		s.emit(in, "message."+historyName(ch.Kind), object{"type": "message", "subtype": "message_changed", "channel": ch.ID,
			"channel_type": ch.Kind.eventType(), "hidden": true, "ts": s.nextTS(), "event_ts": or(m.edited, m.ts),
			"message": s.full(m), "previous_message": before}, ch)
	})
}

// remove deletes a message. A root with replies stays as a tombstone.
func (s *Server) remove(ch *Channel, m *message) {
	before := s.full(m)
	m.keep()
	if len(s.replies(ch.ID, m.ts)) > 0 {
		m.subtype, m.text, m.blocks, m.attachments, m.files = "tombstone", "This message was deleted.", nil, nil, nil
		m.user, m.stream, m.in = "USLACKBOT", nil, nil
		s.changedEvent(ch, m, before)
		s.touch()
		return
	}
	m.deleted = true
	s.eachIn(ch, func(in *install) {
		if m.in != nil && m.in.app == in.app && s.options.quiet {
			return
		}
		ts := s.nextTS()
		s.emit(in, "message."+historyName(ch.Kind), object{"type": "message", "subtype": "message_deleted", "channel": ch.ID,
			"channel_type": ch.Kind.eventType(), "hidden": true, "ts": ts, "event_ts": ts, "deleted_ts": m.ts,
			"previous_message": before}, ch)
	})
	s.touch()
}

// eachIn calls f for every installation whose bot is in the channel, once for
// each app.
func (s *Server) eachIn(ch *Channel, f func(*install)) {
	for _, id := range sortedKeys(s.apps) {
		if in := s.apps[id].in(ch); in != nil {
			f(in)
		}
	}
}

// subscribed tells whether the app gets this event: by its subscriptions, and by
// the scope that the subscription needs.
func (in *install) subscribed(event string) bool {
	if in.token.dead != "" && event != "app_uninstalled" && event != "tokens_revoked" {
		return false
	}
	if scope := eventScope(event); scope != "" && !slices.ContainsFunc(strings.Split(scope, ","), in.token.can) {
		return false
	}
	return in.app.Events == nil || slices.Contains(in.app.Events, event)
}

// eventScope is what a subscription needs, as alternatives, empty for nothing.
func eventScope(event string) string {
	switch event {
	case "app_mention":
		return "app_mentions:read"
	case "reaction_added", "reaction_removed":
		return "reactions:read"
	case "member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared":
		return "channels:read,groups:read"
	case "channel_rename", "channel_archive", "channel_unarchive":
		return "channels:read"
	case "assistant_thread_started", "assistant_thread_context_changed":
		return "assistant:write"
	case "user_change":
		return "users:read"
	case "subteam_updated":
		return "usergroups:read"
	case "file_shared":
		return "files:read"
	}
	if kind, ok := strings.CutPrefix(event, "message."); ok {
		return kind + ":history"
	}
	return ""
}
