package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Post is one text that the bot sent: a message, an edit, an answer to an
// interaction or a follow-up, with whom it would notify.
type Post struct {
	How     string // send, edit, response or followup
	Channel string
	Message string // its id
	To      string // the only reader, for an ephemeral one
	Content string
	// Allowed is allowed_mentions as it was sent; nil when it was not, and then
	// Discord takes every mention in the text.
	Allowed  json.RawMessage
	Users    []string // who would be notified, by id
	Roles    []string
	Everyone bool // @everyone or @here
}

// Notifies tells whether anybody would be notified.
func (p Post) Notifies() bool { return p.Everyone || len(p.Users) > 0 || len(p.Roles) > 0 }

// Posts returns everything that the bot sent, in order, edits too.
func (s *Server) Posts() []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.posts)
}

// Notified returns the posts that would notify somebody: mentions in the text
// that allowed_mentions lets through, and the author of a message that is
// replied to. It reads strictly: code blocks and backslashes protect nothing,
// edits count like sends, and a mention counts whether or not that person can
// see the channel.
func (s *Server) Notified() []Post {
	return slices.DeleteFunc(s.Posts(), func(p Post) bool { return !p.Notifies() })
}

// allowedMentions is allowed_mentions of a request.
type allowedMentions struct {
	Parse       []string `json:"parse"`
	Users       []string `json:"users"`
	Roles       []string `json:"roles"`
	RepliedUser bool     `json:"replied_user"`
}

// parseAllowed reads allowed_mentions; nil means that all are allowed.
func parseAllowed(f form) *allowedMentions {
	raw := f.fields["allowed_mentions"]
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var a allowedMentions
	f.read("allowed_mentions", &a)
	for i, kind := range a.Parse {
		if !slices.Contains([]string{"users", "roles", "everyone"}, kind) {
			f.add("allowed_mentions.parse."+string(rune('0'+i%10)), "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		}
	}
	for name, ids := range map[string][]string{"users": a.Users, "roles": a.Roles} {
		f.count("allowed_mentions."+name, len(ids), 0, 100)
		if len(ids) > 0 && slices.Contains(a.Parse, name) {
			f.add("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse:[%q] and %s: [ids...] are mutually exclusive.", name, name)
		}
	}
	return &a
}

func (a *allowedMentions) user(id string) bool {
	return a == nil || slices.Contains(a.Parse, "users") || slices.Contains(a.Users, id)
}

func (a *allowedMentions) role(id string) bool {
	return a == nil || slices.Contains(a.Parse, "roles") || slices.Contains(a.Roles, id)
}

func (a *allowedMentions) everyone() bool { return a == nil || slices.Contains(a.Parse, "everyone") }
func (a *allowedMentions) replied() bool  { return a == nil || a.RepliedUser }

// mentioned are the mentions of a message that count.
type mentioned struct {
	users, roles []string
	everyone     bool
}

var (
	userMention = regexp.MustCompile(`<@!?(\d+)>`)
	roleMention = regexp.MustCompile(`<@&(\d+)>`)
)

// mentions finds whom a text notifies in a channel when this user writes it.
func (s *Server) mentions(text, author string, c *Channel, a *allowedMentions) mentioned {
	var out mentioned
	for _, m := range userMention.FindAllStringSubmatch(text, -1) {
		if s.users[m[1]] != nil && a.user(m[1]) && !slices.Contains(out.users, m[1]) {
			out.users = append(out.users, m[1])
		}
	}
	g := s.guilds[c.Guild]
	if g == nil {
		return out
	}
	all := s.may(author, c).Has(MentionEveryone)
	for _, m := range roleMention.FindAllStringSubmatch(text, -1) {
		r := g.role(m[1])
		if r != nil && (all || r.Mentionable) && a.role(r.ID) && !slices.Contains(out.roles, r.ID) {
			out.roles = append(out.roles, r.ID)
		}
	}
	out.everyone = all && a.everyone() && (strings.Contains(text, "@everyone") || strings.Contains(text, "@here"))
	return out
}
