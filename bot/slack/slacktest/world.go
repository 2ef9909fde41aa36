package slacktest

import (
	"slices"
	"strings"
)

// Workspace is one Slack team.
type Workspace struct {
	ID, Name, Domain string
	EmailDomain      string
	Enterprise       string // the organisation's id, for Enterprise Grid
}

// User is one account of a workspace.
type User struct {
	ID, Team    string // Team is T1 when empty
	Name        string // the handle; the id in lower case when empty
	RealName    string // Name when empty
	DisplayName string
	Title       string
	Email       string
	TZ, Locale  string // Europe/Berlin and en-US when empty
	Enterprise  string

	Bot, App           bool // a bot user; App is set for the app's own too
	Admin, Owner       bool
	Guest              bool // is_restricted: a guest of several channels
	SingleChannelGuest bool // is_ultra_restricted
	Deleted            bool
	Stranger           bool   // of another organisation, known from a shared channel
	Unconfirmed        bool   // the e-mail is not confirmed
	BotID              string // of a bot
}

// ChannelKind is what a conversation is.
type ChannelKind int

// The kinds of conversations.
const (
	Public ChannelKind = iota
	Private
	DirectMessage
	GroupMessage
)

// eventType is channel_type in message events.
func (k ChannelKind) eventType() string {
	return [...]string{"channel", "group", "im", "mpim"}[k]
}

// listType is what conversations.list calls the kind.
func (k ChannelKind) listType() string {
	return [...]string{"public_channel", "private_channel", "im", "mpim"}[k]
}

// scope is the middle of the kind's scopes, as in channels:history.
func (k ChannelKind) scope() string {
	return [...]string{"channels", "groups", "im", "mpim"}[k]
}

// Channel is one conversation.
type Channel struct {
	ID, Team       string // Team is T1 when empty
	Name           string
	Kind           ChannelKind
	Topic, Purpose string
	Creator        string
	Archived       bool
	ExtShared      bool
	PendingShared  bool // an invitation to another organisation is open
	OrgShared      bool
	ConnectedTeams []string // other workspaces that are in the channel
	Members        []string // user ids
}

// UserGroup is a group that can be mentioned, as @support.
type UserGroup struct {
	ID, Team, Handle, Name string
	Users                  []string
	Disabled               bool
}

// AddWorkspace adds a workspace.
func (s *Server) AddWorkspace(w Workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.workspaces[w.ID]; ok || w.ID == "" {
		s.problem("AddWorkspace: the id %q is empty or taken", w.ID)
		return
	}
	s.workspaces[w.ID] = &w
	s.touch()
}

// AddUser adds a user and gives back the id.
func (s *Server) AddUser(u User) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addUser(u)
}

func (s *Server) addUser(u User) string {
	u.Team = or(u.Team, Team)
	if _, ok := s.workspaces[u.Team]; !ok && !u.Stranger {
		s.problem("AddUser %s: no workspace %s", u.ID, u.Team)
	}
	if _, ok := s.users[u.ID]; ok || u.ID == "" {
		s.problem("AddUser: the id %q is empty or taken", u.ID)
		return u.ID
	}
	u.Name = or(u.Name, strings.ToLower(u.ID))
	u.RealName = or(u.RealName, u.Name)
	u.TZ, u.Locale = or(u.TZ, "Europe/Berlin"), or(u.Locale, "en-US")
	s.users[u.ID] = &u
	s.touch()
	return u.ID
}

// ChangeUser changes a user, as an administrator does it: deactivates, makes a
// guest, gives another e-mail.
func (s *Server) ChangeUser(id string, change func(*User)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.users[id]
	if !ok {
		s.problem("ChangeUser: no user %s", id)
		return
	}
	change(u)
	s.emitAll("user_change", u.Team, object{"type": "user_change", "user": s.userObject(u, true), "event_ts": s.nextTS()})
	s.touch()
}

// AddChannel adds a conversation and gives back its id.
func (s *Server) AddChannel(c Channel) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addChannel(c)
}

func (s *Server) addChannel(c Channel) string {
	c.Team = or(c.Team, Team)
	if _, ok := s.channels[c.ID]; ok || c.ID == "" {
		s.problem("AddChannel: the id %q is empty or taken", c.ID)
		return c.ID
	}
	for _, m := range c.Members {
		if _, ok := s.users[m]; !ok {
			s.problem("AddChannel %s: no user %s", c.ID, m)
		}
	}
	if c.Kind == Public || c.Kind == Private {
		c.Name = or(c.Name, strings.ToLower(c.ID))
	}
	c.Members = slices.Clone(c.Members)
	s.channels[c.ID] = &c
	s.order = append(s.order, c.ID)
	s.touch()
	return c.ID
}

// ChangeChannel changes a channel's facts without an event, as when Slack has
// not told the app yet or never does (a channel made private).
func (s *Server) ChangeChannel(id string, change func(*Channel)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.channels[id]
	if !ok {
		s.problem("ChangeChannel: no channel %s", id)
		return
	}
	change(c)
	s.touch()
}

// AddUserGroup adds a user group.
func (s *Server) AddUserGroup(g UserGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.Team = or(g.Team, Team)
	g.Name = or(g.Name, g.Handle)
	s.groups = append(s.groups, &g)
	s.touch()
}

// ChangeUserGroup changes a user group and tells the apps by subteam_updated.
func (s *Server) ChangeUserGroup(id string, change func(*UserGroup)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.groups {
		if g.ID == id {
			change(g)
			s.emitAll("subteam_updated", g.Team, object{"type": "subteam_updated", "subteam": g.object(true), "event_ts": s.nextTS()})
			s.touch()
			return
		}
	}
	s.problem("ChangeUserGroup: no group %s", id)
}

func (c *Channel) has(user string) bool { return slices.Contains(c.Members, user) }

// teams are the workspaces whose people can be in the channel.
func (c *Channel) teams() []string { return append([]string{c.Team}, c.ConnectedTeams...) }

// direct opens, if it has to, the conversation of exactly these people.
func (s *Server) direct(team string, people ...string) *Channel {
	kind := DirectMessage
	if len(people) > 2 {
		kind = GroupMessage
	}
	slices.Sort(people)
	for _, id := range s.order {
		c := s.channels[id]
		members := slices.Clone(c.Members)
		slices.Sort(members)
		if c.Kind == kind && slices.Equal(members, people) {
			return c
		}
	}
	prefix := "D"
	if kind == GroupMessage {
		prefix = "G"
	}
	id := s.addChannel(Channel{ID: s.nextID(prefix), Team: team, Kind: kind, Members: people})
	return s.channels[id]
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
