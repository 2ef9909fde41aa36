package slacktest

import "slices"

// JoinChannel puts a user, or a bot, into a channel; inviter may be empty.
func (s *Server) JoinChannel(channel, user, inviter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.room("JoinChannel", channel); ch != nil && s.users[user] != nil && !ch.has(user) {
		s.join(ch, user, inviter)
	}
}

// LeaveChannel takes a user out of a channel.
func (s *Server) LeaveChannel(channel, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.room("LeaveChannel", channel); ch != nil && ch.has(user) {
		s.leave(ch, user)
	}
}

func (s *Server) room(what, channel string) *Channel {
	ch := s.channels[channel]
	if ch == nil {
		s.problem("%s: no channel %q", what, channel)
	}
	return ch
}

func (s *Server) join(ch *Channel, user, inviter string) {
	ch.Members = append(ch.Members, user)
	s.memberEvent("member_joined_channel", ch, user, inviter)
	s.publish(ch, &message{channel: ch.ID, ts: s.nextTS(), user: user, team: s.users[user].Team, subtype: "channel_join",
		text: "<@" + user + "> has joined the channel"})
}

func (s *Server) leave(ch *Channel, user string) {
	ch.Members = slices.DeleteFunc(slices.Clone(ch.Members), func(m string) bool { return m == user })
	s.memberEvent("member_left_channel", ch, user, "")
	s.eachApp(ch.Team, func(in *install) {
		if in.bot == user {
			s.memberEventTo(in, "member_left_channel", ch, user, "")
		}
	})
	s.touch()
}

func (s *Server) memberEvent(kind string, ch *Channel, user, inviter string) {
	s.eachIn(ch, func(in *install) { s.memberEventTo(in, kind, ch, user, inviter) })
}

func (s *Server) memberEventTo(in *install, kind string, ch *Channel, user, inviter string) {
	letter := map[ChannelKind]string{Public: "C", Private: "G"}[ch.Kind]
	o := object{"type": kind, "user": user, "channel": ch.ID, "channel_type": letter, "team": s.users[user].Team, "event_ts": s.nextTS()}
	if inviter != "" {
		o["inviter"] = inviter
	}
	s.emit(in, kind, o, ch)
}

func (s *Server) eachApp(team string, f func(*install)) {
	for _, id := range sortedKeys(s.apps) {
		for _, in := range s.apps[id].installs {
			if in.team == team {
				f(in)
			}
		}
	}
}

// ShareChannel connects a channel with a workspace of another organisation.
func (s *Server) ShareChannel(channel, team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.room("ShareChannel", channel)
	if ch == nil {
		return
	}
	ch.ExtShared, ch.PendingShared = true, false
	if !slices.Contains(ch.ConnectedTeams, team) {
		ch.ConnectedTeams = append(ch.ConnectedTeams, team)
	}
	s.channelEvent("channel_shared", ch, object{"connected_team_id": team})
}

// UnshareChannel takes a workspace out of a channel again, with its people.
func (s *Server) UnshareChannel(channel, team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.room("UnshareChannel", channel)
	if ch == nil {
		return
	}
	ch.ConnectedTeams = slices.DeleteFunc(slices.Clone(ch.ConnectedTeams), func(t string) bool { return t == team })
	ch.Members = slices.DeleteFunc(slices.Clone(ch.Members), func(m string) bool { return s.users[m] != nil && s.users[m].Team == team })
	ch.ExtShared = len(ch.ConnectedTeams) > 0
	s.channelEvent("channel_unshared", ch, object{"previously_connected_team_id": team, "is_ext_shared": ch.ExtShared})
}

// InvitePending opens or withdraws an invitation to another organisation. Slack
// sends no event for it.
func (s *Server) InvitePending(channel string, open bool) {
	s.ChangeChannel(channel, func(c *Channel) { c.PendingShared = open })
}

// ArchiveChannel archives a channel.
func (s *Server) ArchiveChannel(channel, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.room("ArchiveChannel", channel); ch != nil {
		ch.Archived = true
		s.channelEvent("channel_archive", ch, object{"user": user})
	}
}

// RenameChannel renames a channel.
func (s *Server) RenameChannel(channel, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.room("RenameChannel", channel); ch != nil {
		ch.Name = name
		s.channelEvent("channel_rename", ch, object{"channel": object{"id": ch.ID, "name": name, "created": created}})
	}
}

func (s *Server) channelEvent(kind string, ch *Channel, extra object) {
	s.eachIn(ch, func(in *install) {
		o := object{"type": kind, "channel": ch.ID, "event_ts": s.nextTS()}
		for k, v := range extra {
			o[k] = v
		}
		s.emit(in, kind, o, ch)
	})
	s.touch()
}

// Uninstall removes an app from a workspace: its token dies with
// account_inactive, and it is told by tokens_revoked and app_uninstalled.
func (s *Server) Uninstall(app, team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eachApp(team, func(in *install) {
		if in.app.ID != app {
			return
		}
		in.token.dead = "account_inactive"
		s.emit(in, "tokens_revoked", object{"type": "tokens_revoked", "tokens": object{"oauth": []string{}, "bot": []string{in.bot}}, "event_ts": s.nextTS()}, nil)
		s.emit(in, "app_uninstalled", object{"type": "app_uninstalled", "event_ts": s.nextTS()}, nil)
	})
}
