package discordtest

import (
	"fmt"
	"slices"
	"time"
)

// Types of interactions and of the answers to them.
const (
	commandInteraction   = 2
	componentInteraction = 3
	completeInteraction  = 4
	modalInteraction     = 5

	answerMessage   = 4
	answerLater     = 5
	answerNothing   = 6
	answerUpdate    = 7
	answerChoices   = 8
	answerWithModal = 9

	tokenLife = 15 * time.Minute
)

// interaction is one use of a command, button or modal.
type interaction struct {
	id, token, user, channel, guild string
	kind                            int
	at                              time.Time
	command                         *command
	menu                            bool // from a context menu
	name                            string
	target                          *message // the message of a component or of its modal
	acked                           bool
	ackedAfter                      time.Duration
	response                        int
	original                        *message
	choices                         []Choice
}

func (i *interaction) commandName() string { return i.name }

// modal is a form that a person has open.
type modal struct {
	data object
	from *interaction
}

// Choice is one proposal of an autocompletion.
type Choice struct {
	Name  string
	Value any // string or float64
}

// Interaction is how an interaction stands.
type Interaction struct {
	ID, User, Channel string
	Kind              string // command, menu, component, autocomplete, modal
	Name              string // the command with its subcommands, or the custom_id
	Response          int    // type of the answer; 0 for none yet
	AckedAfter        time.Duration
	Failed            bool // no answer in time: "The application did not respond"
	Choices           []Choice
	Message           string // id of the original answer
}

func (s *Server) lookInteraction(i *interaction) Interaction {
	kinds := map[int]string{commandInteraction: "command", componentInteraction: "component", completeInteraction: "autocomplete", modalInteraction: "modal"}
	out := Interaction{ID: i.id, User: i.user, Channel: i.channel, Kind: kinds[i.kind], Name: i.name, Response: i.response,
		AckedAfter: i.ackedAfter, Choices: slices.Clone(i.choices), Failed: !i.acked && s.clock.Now().Sub(i.at) > s.options.answer}
	if i.menu {
		out.Kind = "menu"
	}
	if i.original != nil {
		out.Message = i.original.id
	}
	return out
}

// Interaction tells how an interaction stands that a sender returned the id of.
func (s *Server) Interaction(id string) (Interaction, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.interactions[id]
	if i == nil {
		return Interaction{}, false
	}
	return s.lookInteraction(i), true
}

// Interactions lists all of them, the oldest first.
func (s *Server) Interactions() []Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Interaction
	for _, i := range s.asked {
		out = append(out, s.lookInteraction(i))
	}
	return out
}

// begin makes an interaction and sends it to the application.
func (s *Server) begin(i *interaction, data object) string {
	i.id = s.nextID()
	i.token = fmt.Sprintf("aW50ZXJhY3Rpb246%s", i.id)
	i.at = s.clock.Now()
	c := s.channels[i.channel]
	i.guild = c.Guild
	s.interactions[i.id] = i
	s.asked = append(s.asked, i)
	body := s.interactionJSON(i, c, data)
	s.dispatch(event{name: "INTERACTION_CREATE", guild: s.guilds[c.Guild], body: func(*session) object { return body }})
	return i.id
}

func (s *Server) interactionJSON(i *interaction, c *Channel, data object) object {
	channel := s.channelJSON(c)
	channel["permissions"] = s.may(i.user, c).text()
	out := object{"id": i.id, "application_id": AppID, "type": i.kind, "token": i.token, "version": 1, "channel_id": c.ID,
		"channel": channel, "data": data, "locale": s.localeOf(i.user), "app_permissions": s.may(BotUser, c).text(),
		"entitlements": []object{}, "attachment_size_limit": maxFileSize}
	if g := s.guilds[c.Guild]; g != nil {
		locale := or(g.info.Locale, "en-US")
		member := s.memberJSON(g.members[i.user], true)
		member["permissions"] = s.may(i.user, c).text()
		out["guild_id"], out["guild_locale"], out["member"], out["context"] = c.Guild, locale, member, 0
		out["guild"] = object{"id": c.Guild, "locale": locale, "features": []string{}}
		out["authorizing_integration_owners"] = object{"0": c.Guild}
	} else {
		out["user"], out["context"], out["authorizing_integration_owners"] = s.userJSON(i.user), 1, object{"0": "0"}
	}
	if i.target != nil {
		out["message"] = s.messageJSON(i.target)
	}
	return out
}

func (s *Server) localeOf(user string) string { return or(s.users[user].Locale, "en-US") }
