package discordtest

import "slices"

// AddToThread puts a user into a thread.
func (s *Server) AddToThread(thread, user string) {
	defer s.lock()()
	c := s.channels[thread]
	if c == nil || !c.Kind.IsThread() || s.users[user] == nil {
		s.problem("AddToThread: there is no thread %q or no user %q", thread, user)
		return
	}
	s.joinThread(c, user)
}

// RemoveFromThread takes a user out of a thread.
func (s *Server) RemoveFromThread(thread, user string) {
	defer s.lock()()
	c := s.channels[thread]
	if c == nil || !slices.Contains(c.Members, user) {
		s.problem("RemoveFromThread: %q is not in thread %q", user, thread)
		return
	}
	s.leaveThread(c, user)
}

func (s *Server) joinThread(c *Channel, user string) {
	if slices.Contains(c.Members, user) {
		return
	}
	saw := s.may(BotUser, c).Has(ViewChannel)
	c.Members = append(slices.Clone(c.Members), user)
	if user == BotUser {
		if !saw || c.Kind == PrivateThread {
			s.dispatchIn(s.guilds[c.Guild], "THREAD_CREATE", Guilds, s.threadJSON(c))
		}
		body := s.threadMemberJSON(c, user)
		body["guild_id"] = c.Guild
		s.dispatchIn(s.guilds[c.Guild], "THREAD_MEMBER_UPDATE", Guilds, body)
	}
	added := s.threadMemberJSON(c, user)
	if m := s.guilds[c.Guild].members[user]; m != nil {
		added["member"] = s.memberJSON(m, true)
	}
	if s.may(BotUser, c).Has(ViewChannel) {
		s.membersUpdate(c, user, object{"added_members": []object{added}})
	}
}

func (s *Server) leaveThread(c *Channel, user string) {
	saw := s.may(BotUser, c).Has(ViewChannel)
	c.Members = slices.DeleteFunc(slices.Clone(c.Members), func(id string) bool { return id == user })
	if saw {
		s.membersUpdate(c, user, object{"removed_member_ids": []string{user}})
	}
}

// membersUpdate tells of who came and went: of the bot itself always, of others
// with the intent GuildMembers.
func (s *Server) membersUpdate(c *Channel, user string, body object) {
	intent := GuildMembers
	if user == BotUser {
		intent = Guilds
	}
	body["id"], body["guild_id"], body["member_count"] = c.ID, c.Guild, len(c.Members)
	s.dispatchIn(s.guilds[c.Guild], "THREAD_MEMBERS_UPDATE", intent, body)
}

// activeThreads lists the threads that the bot sees and that are not archived,
// and its own memberships in them.
func (s *Server) activeThreads(which func(*Channel) bool) (threads, members []object) {
	threads, members = []object{}, []object{}
	for _, id := range s.order {
		c := s.channels[id]
		if !c.Kind.IsThread() || c.Archived || !which(c) || !s.may(BotUser, c).Has(ViewChannel) {
			continue
		}
		threads = append(threads, s.threadJSON(c))
		if slices.Contains(c.Members, BotUser) {
			members = append(members, s.threadMemberJSON(c, BotUser))
		}
	}
	return threads, members
}
