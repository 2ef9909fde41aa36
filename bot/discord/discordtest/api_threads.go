package discordtest

import (
	"encoding/json"
	"net/http"
	"slices"
)

func archiveAfter(m *mistakes, minutes int) {
	if !slices.Contains([]int{60, 1440, 4320, 10080}, minutes) {
		m.add("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of {60, 1440, 4320, 10080}.")
	}
}

// threadFields reads what every new thread has.
func threadFields(f form) Channel {
	t := Channel{Name: f.text("name"), ArchiveAfter: 1440, Owner: BotUser, Invitable: true}
	f.mistakes.text("name", t.Name, 1, 100)
	if n := f.number("auto_archive_duration"); n != 0 {
		t.ArchiveAfter = n
		archiveAfter(f.mistakes, n)
	}
	f.read("invitable", &t.Invitable)
	f.read("applied_tags", &t.Tags)
	return t
}

func wrongKind() *refusal {
	return fail(http.StatusBadRequest, 50024, "Cannot execute action on this channel type")
}

// apiThreadFrom starts a thread at a message; both have the same id.
func (s *Server) apiThreadFrom(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	t := threadFields(f)
	switch {
	case ch.Kind != Text && ch.Kind != Announcement:
		return nil, wrongKind()
	case !p.Has(CreatePublicThreads), !p.Has(ReadMessageHistory):
		return nil, missingPermissions()
	case m.thread != "":
		return nil, fail(http.StatusBadRequest, 160004, "A thread has already been created for this message")
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return s.threadJSON(s.threadAt(m, ch, t)), nil
}

// threadAt starts a thread at a message.
func (s *Server) threadAt(m *message, ch *Channel, t Channel) *Channel {
	t.Kind, t.Parent, t.Guild = PublicThread, ch.ID, ch.Guild
	if ch.Kind == Announcement {
		t.Kind = AnnouncementThread
	}
	m.thread, m.flags = m.id, m.flags|flagHasThread
	th := s.channels[s.addChannel(t, m.id)]
	s.dispatchMessage("MESSAGE_UPDATE", m)
	s.post(&message{channel: th.ID, author: t.Owner, kind: threadStarter, ref: m.id, refChannel: ch.ID})
	return th
}

// apiThread starts a thread without a message, or a post in a forum.
func (s *Server) apiThread(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	t := threadFields(f)
	t.Parent, t.Guild = ch.ID, ch.Guild
	if ch.Kind == Forum {
		return s.forumPost(c, ch, p, f, t)
	}
	t.Kind = PrivateThread
	f.read("type", &t.Kind)
	need := CreatePrivateThreads
	if t.Kind != PrivateThread {
		need = CreatePublicThreads
	}
	switch {
	case ch.Kind != Text && ch.Kind != Announcement, !t.Kind.IsThread():
		return nil, wrongKind()
	case !p.Has(need):
		return nil, missingPermissions()
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	id := s.addChannel(t, "")
	if t.Kind != PrivateThread {
		s.post(&message{channel: ch.ID, author: BotUser, kind: threadCreated, content: t.Name, ref: id, refChannel: id})
	}
	return s.threadJSON(s.channels[id]), nil
}

func (s *Server) forumPost(c *call, ch *Channel, p Permission, f form, t Channel) (any, error) {
	var raw json.RawMessage
	f.read("message", &raw)
	inner, err := parseForm(raw)
	if err != nil {
		return nil, err
	}
	d, err := readDraft(inner, c.files, false)
	if err != nil {
		return nil, err
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	if !p.Has(SendMessages) {
		return nil, missingPermissions()
	}
	if err := mayCarry(p, d); err != nil {
		return nil, err
	}
	if d.content == "" && len(d.embeds) == 0 && len(d.components) == 0 && len(d.files) == 0 {
		return nil, emptyMessage()
	}
	t.Kind = PublicThread
	id := s.addChannel(t, "")
	m := &message{id: id, channel: id, author: BotUser}
	s.fill(m, d)
	s.post(m)
	s.record("send", m, d)
	out := s.threadJSON(s.channels[id])
	out["message"] = s.rest(m)
	return out, nil
}

func (s *Server) apiArchived(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	private := c.URL.Path[len(c.URL.Path)-len("private"):] == "private"
	if !p.Has(ReadMessageHistory) || private && !p.Has(ManageThreads) {
		return nil, missingPermissions()
	}
	threads := []object{}
	for _, id := range s.order {
		if t := s.channels[id]; t.Parent == ch.ID && t.Archived && (t.Kind == PrivateThread) == private {
			threads = append(threads, s.threadJSON(t))
		}
	}
	return object{"threads": threads, "members": []object{}, "has_more": false}, nil
}

// threadFor is the thread in a path, if the bot sees it.
func (s *Server) threadFor(c *call) (*Channel, Permission, error) {
	ch, p, err := s.channelFor(c)
	if err == nil && !ch.Kind.IsThread() {
		err = wrongKind()
	}
	return ch, p, err
}

// apiThreadMembers needs the privileged intent, as the gateway does.
func (s *Server) apiThreadMembers(c *call) (any, error) {
	t, _, err := s.threadFor(c)
	if err != nil {
		return nil, err
	}
	if s.privileged&GuildMembers == 0 {
		return nil, missingAccess()
	}
	out := []object{}
	for _, id := range t.Members {
		out = append(out, s.threadMember(c, t, id))
	}
	return out, nil
}

func (s *Server) threadMember(c *call, t *Channel, user string) object {
	out := s.threadMemberJSON(t, user)
	if m := s.guilds[t.Guild].members[user]; m != nil && c.URL.Query().Get("with_member") == "true" {
		out["member"] = s.memberJSON(m, true)
	}
	return out
}

func (c *call) threadUser() string {
	if id := c.PathValue("user"); id != "@me" {
		return id
	}
	return BotUser
}

func (s *Server) apiThreadMember(c *call) (any, error) {
	t, _, err := s.threadFor(c)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(t.Members, c.threadUser()) {
		return nil, unknown(10007, "Member")
	}
	return s.threadMember(c, t, c.threadUser()), nil
}

func (s *Server) apiJoinThread(c *call) (any, error) {
	t, p, err := s.threadFor(c)
	if err != nil {
		return nil, err
	}
	user := c.threadUser()
	switch {
	case t.Archived:
		return nil, archived()
	case user == BotUser:
	case !p.Has(SendMessages), t.Kind == PrivateThread && !t.Invitable && !p.Has(ManageThreads) && t.Owner != BotUser:
		return nil, missingPermissions()
	case !s.may(user, s.channels[t.Parent]).Has(ViewChannel):
		return nil, missingAccess()
	}
	s.joinThread(t, user)
	return nil, nil
}

func (s *Server) apiLeaveThread(c *call) (any, error) {
	t, p, err := s.threadFor(c)
	if err != nil {
		return nil, err
	}
	user := c.threadUser()
	if user != BotUser && !p.Has(ManageThreads) && (t.Kind != PrivateThread || t.Owner != BotUser) {
		return nil, missingPermissions()
	}
	if slices.Contains(t.Members, user) {
		s.leaveThread(t, user)
	}
	return nil, nil
}
