package discordtest

// Intent is a set of gateway intents, the same numbers as discordgo.Intent….
type Intent int

// The intents that something is dispatched under.
const (
	Guilds                 Intent = 1 << 0
	GuildMembers           Intent = 1 << 1
	GuildPresences         Intent = 1 << 8
	GuildMessages          Intent = 1 << 9
	GuildMessageReactions  Intent = 1 << 10
	DirectMessages         Intent = 1 << 12
	DirectMessageReactions Intent = 1 << 13
	MessageContent         Intent = 1 << 15

	privilegedIntents = GuildMembers | GuildPresences | MessageContent
	knownIntents      = 1<<17 - 1 | 1<<20 | 1<<21 | 1<<24 | 1<<25
)

// SetPrivileged switches privileged intents of the application on and off, as
// the developer portal does. Connections that already asked for one that goes
// off are closed with 4014.
func (s *Server) SetPrivileged(i Intent) {
	defer s.lock()()
	s.privileged = i & privilegedIntents
	for _, t := range s.sessions {
		if t.intents&privilegedIntents&^s.privileged != 0 {
			s.end(t, closeDisallowed)
		}
	}
}

// SetToken replaces the bot's token, as "Reset Token" in the developer portal
// does: the old one fails with 401, and connections are closed with 4004.
func (s *Server) SetToken(token string) {
	defer s.lock()()
	s.token = token
	for _, t := range s.sessions {
		s.end(t, closeBadToken)
	}
}
