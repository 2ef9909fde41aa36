package slacktest

import (
	"maps"
	"slices"
	"strings"
)

// App is one Slack app with its first installation.
type App struct {
	ID, Name      string
	Team          string // where it is installed
	BotUser       string // the bot's user id; the user is added if missing
	BotID         string
	BotToken      string
	AppToken      string // for Socket Mode, with the scope connections:write
	SigningSecret string
	Scopes        []string // of the bot token; nil is all scopes this server knows
	Events        []string // subscriptions, as in a manifest; nil is all
	Agent         bool     // agent_view; otherwise assistant_view
	Commands      []string // the slash commands and callback ids that are not the first app's

	// Where the app is reached when it is not in Socket Mode. With EventsURL
	// set, all three go over HTTP; the others default to it.
	EventsURL, ActionsURL, CommandsURL string
}

type appState struct {
	App
	installs []*install
	queue    []*delivery
	wake     chan struct{}
	running  bool
	held     []*heldDelivery
}

// install is an app in one workspace.
type install struct {
	app              *appState
	team, bot, botID string
	token            *token
}

type tokenKind int

const (
	botToken tokenKind = iota
	appToken
	configToken
)

type token struct {
	value   string
	kind    tokenKind
	install *install
	app     *appState
	scopes  []string
	dead    string // the error that its use gives, empty while it works
}

// AllScopes is every bot scope that a method of this server asks for.
func AllScopes() []string {
	found := map[string]bool{"app_mentions:read": true, "commands": true, "reactions:read": true, "chat:write.customize": true}
	for _, m := range methods() {
		for _, scope := range strings.FieldsFunc(m.scope, func(r rune) bool { return r == ',' }) {
			found[scope] = true
		}
	}
	for _, k := range []ChannelKind{Public, Private, DirectMessage, GroupMessage} {
		found[k.scope()+":read"], found[k.scope()+":history"] = true, true
	}
	delete(found, "connections:write")
	return slices.Sorted(maps.Keys(found))
}

// AddApp adds an app and installs it in its workspace.
func (s *Server) AddApp(a App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addApp(a)
}

func (s *Server) addApp(a App) {
	if _, ok := s.apps[a.ID]; ok || a.ID == "" {
		s.problem("AddApp: the id %q is empty or taken", a.ID)
		return
	}
	a.Team = or(a.Team, Team)
	if a.Scopes == nil {
		a.Scopes = AllScopes()
	}
	state := &appState{App: a, wake: make(chan struct{}, 1)}
	s.apps[a.ID] = state
	if s.main == nil {
		s.main = state
	}
	s.installApp(state, a.Team, a.BotUser, a.BotID, a.BotToken)
	if a.AppToken != "" {
		s.tokens[a.AppToken] = &token{value: a.AppToken, kind: appToken, app: state, scopes: []string{"connections:write"}}
	}
	s.touch()
}

// Install installs an app in another workspace; events from there carry its
// team, and botToken is the token for it.
func (s *Server) Install(app, team, botUser, botID, botToken string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, ok := s.apps[app]
	if !ok {
		s.problem("Install: no app %s", app)
		return
	}
	s.installApp(state, team, botUser, botID, botToken)
	s.touch()
}

func (s *Server) installApp(a *appState, team, user, bot, value string) {
	if _, ok := s.users[user]; !ok {
		s.addUser(User{ID: user, Team: team, Name: strings.ToLower(a.Name), RealName: a.Name, Bot: true, App: true, BotID: bot})
	}
	in := &install{app: a, team: team, bot: user, botID: bot}
	in.token = &token{value: value, kind: botToken, install: in, app: a, scopes: slices.Clone(a.Scopes)}
	s.tokens[value] = in.token
	a.installs = append(a.installs, in)
}

func (s *Server) seed() {
	s.workspaces[Team] = &Workspace{ID: Team, Name: "Acme", Domain: "acme", EmailDomain: "example.com"}
	s.addApp(App{ID: AppID, Name: "Footnote", Team: Team, BotUser: BotUser, BotID: BotID, BotToken: BotToken,
		AppToken: AppToken, SigningSecret: SigningSecret, Agent: true})
	s.tokens[ConfigToken] = &token{value: ConfigToken, kind: configToken}
}

// ChangeApp changes an app's subscriptions, addresses or kind. Tokens and
// scopes have their own methods.
func (s *Server) ChangeApp(id string, change func(*App)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.apps[id]
	if !ok {
		s.problem("ChangeApp: no app %s", id)
		return
	}
	change(&a.App)
}

// SetScopes replaces the scopes of a token.
func (s *Server) SetScopes(value string, scopes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[value]; ok {
		t.scopes = slices.Clone(scopes)
		return
	}
	s.problem("SetScopes: no such token")
}

// DropScopes takes scopes from a token.
func (s *Server) DropScopes(value string, scopes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[value]; ok {
		t.scopes = slices.DeleteFunc(slices.Clone(t.scopes), func(x string) bool { return slices.Contains(scopes, x) })
		return
	}
	s.problem("DropScopes: no such token")
}

// KillToken makes every later use of a token fail with the error, such as
// token_revoked, account_inactive, token_expired or invalid_auth.
func (s *Server) KillToken(value, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[value]; ok {
		t.dead = code
		return
	}
	s.problem("KillToken: no such token")
}

func (t *token) can(scope string) bool { return slices.Contains(t.scopes, scope) }

// in finds the installation of an app that belongs to a channel: by its own
// workspace first, then by the connected ones.
func (a *appState) in(c *Channel) *install {
	for _, team := range c.teams() {
		for _, i := range a.installs {
			if i.team == team && c.has(i.bot) {
				return i
			}
		}
	}
	return nil
}

// owner is the app that a command or callback id belongs to: the one that lists
// it, else the first.
func (s *Server) owner(command string) *appState {
	for _, id := range sortedKeys(s.apps) {
		if slices.Contains(s.apps[id].Commands, command) {
			return s.apps[id]
		}
	}
	return s.main
}

// bot is the user of the first app's bot in a workspace, or in its first one.
func (s *Server) bot(team string) string {
	if s.main == nil {
		s.problem("there is no app")
		return ""
	}
	for _, in := range s.main.installs {
		if in.team == team {
			return in.bot
		}
	}
	return s.main.installs[0].bot
}
