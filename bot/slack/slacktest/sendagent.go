package slacktest

import "slices"

// OpenHome opens a tab of the first app: "home", "messages" or "about".
func (s *Server) OpenHome(user, tab string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.installFor("OpenHome", s.main, s.users[user])
	if in == nil {
		return
	}
	ch := s.direct(in.team, user, in.bot)
	o := object{"type": "app_home_opened", "user": user, "channel": ch.ID, "tab": tab, "event_ts": s.nextTS()}
	if v := s.homes[in.app.ID+" "+user]; v != nil && tab == "home" {
		o["view"] = v.object()
	}
	s.emit(in, "app_home_opened", o, nil)
}

// OpenPane opens a new thread with the first app beside what the user looks at,
// which viewing names (a channel id, or empty). It gives back channel and ts of
// the thread. An app of the agent kind is told by app_home_opened with the tab
// messages, others by assistant_thread_started.
func (s *Server) OpenPane(user, viewing string) (channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.installFor("OpenPane", s.main, s.users[user])
	if in == nil {
		return "", ""
	}
	ch := s.direct(in.team, user, in.bot)
	if in.app.Agent {
		s.emit(in, "app_home_opened", object{"type": "app_home_opened", "user": user, "channel": ch.ID, "tab": "messages",
			"context": lookingAt(in.team, viewing), "event_ts": s.nextTS()}, nil)
		return ch.ID, ""
	}
	m := &message{channel: ch.ID, ts: s.nextTS(), user: in.bot, team: in.team, in: in, subtype: "assistant_app_thread", text: "New Assistant Thread"}
	m.thread = m.ts
	s.messages[ch.ID] = append(s.messages[ch.ID], m)
	s.emit(in, "assistant_thread_started", s.paneEvent("assistant_thread_started", in, user, ch.ID, m.ts, viewing), nil)
	return ch.ID, m.ts
}

// LookAt changes what the user looks at while the pane is open.
func (s *Server) LookAt(user, channel, thread, viewing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.installFor("LookAt", s.main, s.users[user])
	if in == nil {
		return
	}
	if in.app.Agent {
		s.emit(in, "app_context_changed", object{"type": "app_context_changed", "user": user, "channel": channel,
			"context": lookingAt(in.team, viewing), "event_ts": s.nextTS()}, nil)
		return
	}
	const kind = "assistant_thread_context_changed"
	s.emit(in, kind, s.paneEvent(kind, in, user, channel, thread, viewing), nil)
}

func lookingAt(team, channel string) object {
	if channel == "" {
		return object{}
	}
	return object{"entities": []object{{"type": "slack#/types/channel_id", "value": channel, "team_id": team}}}
}

func (s *Server) paneEvent(kind string, in *install, user, channel, ts, viewing string) object {
	context := object{}
	if viewing != "" {
		context = object{"channel_id": viewing, "team_id": in.team, "enterprise_id": nil}
	}
	return object{"type": kind, "event_ts": s.nextTS(),
		"assistant_thread": object{"user_id": user, "context": context, "channel_id": channel, "thread_ts": ts}}
}

// PressStop is Slack's own stop button in a thread with an agent: it halts the
// streams there and tells the app.
func (s *Server) PressStop(user, channel, thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.room("PressStop", channel)
	if ch == nil {
		return
	}
	stopped := []string{}
	for _, m := range s.messages[channel] {
		if m.thread == thread && m.stream != nil && s.streamState(m) == streamOpen {
			m.stream.state = streamHalted
			stopped = append(stopped, m.ts)
		}
	}
	s.eachIn(ch, func(in *install) {
		if t := s.threads[threadKey{in.app.ID, channel, thread}]; t != nil {
			t.status, t.loading = "", nil
			if t.session != "" {
				t.session = "active"
			}
		}
		s.emit(in, "agent_session_stopped", object{"type": "agent_session_stopped", "channel": channel, "thread_ts": thread,
			"user": user, "streaming_message_ts": slices.Clone(stopped), "event_ts": s.nextTS()}, ch)
	})
	s.touch()
}

// RenameSession is a person's new title for an agent session.
func (s *Server) RenameSession(user, channel, thread, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.room("RenameSession", channel)
	if ch == nil {
		return
	}
	s.eachIn(ch, func(in *install) {
		t := s.thread(in.app.ID, channel, thread)
		o := object{"type": "agent_session_title_changed", "channel": channel, "thread_ts": thread, "user": user,
			"team_id": in.team, "title": title, "event_ts": s.nextTS()}
		if t.agent != "" {
			o["previous_title"] = t.agent
		}
		t.agent = title
		s.emit(in, "agent_session_title_changed", o, ch)
	})
}
