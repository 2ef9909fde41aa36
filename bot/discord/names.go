package discord

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
)

// token is what Discord puts in angle brackets: users, roles, channels, emoji,
// times and commands.
var token = regexp.MustCompile(`<(@&|@!?|#|a?:|t:|/)([^<>\s][^<>\n]{0,120})>`)

// mostNames is how many ids of one question are looked up; the others are called
// somebody.
const mostNames = 40

// mentioned tells whether the text names the user.
func mentioned(text, user string) bool {
	return user != "" && (strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@!"+user+">"))
}

func withoutMentions(text, user string) string {
	return strings.NewReplacer("<@"+user+">", "", "<@!"+user+">", "").Replace(text)
}

// mentionsOther tells whether the text is addressed to somebody else: it starts
// with the name of a person or a role that is not the user.
func mentionsOther(text, user string) bool {
	text = strings.TrimSpace(text)
	at := token.FindStringSubmatchIndex(text)
	if at == nil || at[0] != 0 {
		return false
	}
	sign, id := text[at[2]:at[3]], text[at[4]:at[5]]
	return sign == "@&" || (sign == "@" || sign == "@!") && id != user
}

// readable turns what a message says into what a model reads: names for ids. The
// name of the bot itself is left out.
func (a *app) readable(ctx context.Context, guild, text string, known []user) string {
	own := a.own().User
	left := mostNames
	text = token.ReplaceAllStringFunc(text, func(t string) string {
		part := token.FindStringSubmatch(t)
		sign, id := part[1], part[2]
		if (sign == "@" || sign == "@!") && id == own {
			return ""
		}
		if sign == "@&" && a.isOwnRole(ctx, guild, id) {
			return ""
		}
		if left--; left < 0 && strings.HasPrefix(sign, "@") {
			return "@somebody"
		}
		return a.oneName(ctx, guild, sign, id, known)
	})
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// references are the channels and people that a text names, under the names that
// readable gives them.
func (a *app) references(ctx context.Context, guild, text string, known []user) []bot.Reference {
	var out []bot.Reference
	for _, t := range token.FindAllStringSubmatch(text, mostNames) {
		switch sign, id := t[1], t[2]; sign {
		case "@", "@!":
			if name := a.userName(ctx, guild, id, known); name != "" && id != a.own().User {
				out = append(out, bot.Reference{Person: true, ID: id, Name: name})
			}
		case "#":
			if name := a.channelName(ctx, guild, id); name != "" {
				out = append(out, bot.Reference{ID: id, Name: name})
			}
		}
	}
	return out
}

var spaces = regexp.MustCompile(`[ \t]{2,}`)

func (a *app) oneName(ctx context.Context, guild, sign, id string, known []user) string {
	switch sign {
	case "@", "@!":
		return "@" + firstOf(a.userName(ctx, guild, id, known), "somebody")
	case "@&":
		return "@" + firstOf(a.roleName(ctx, guild, id), "a-role")
	case "#":
		return "#" + firstOf(a.channelName(ctx, guild, id), "a-channel")
	case ":", "a:":
		name, _, _ := strings.Cut(id, ":")
		return ":" + name + ":"
	case "/":
		name, _, _ := strings.Cut(id, ":")
		return "/" + name
	}
	at, _, _ := strings.Cut(id, ":") // a time
	if n, err := strconv.ParseInt(at, 10, 64); err == nil && n > 0 && n < 1<<36 {
		return time.Unix(n, 0).UTC().Format("2006-01-02 15:04 UTC")
	}
	return ""
}

func (a *app) userName(ctx context.Context, guild, id string, known []user) string {
	for _, u := range known {
		if u.ID == id {
			return u.display()
		}
	}
	if guild == "" || !digits(id) {
		return ""
	}
	m, err := a.facts.member(ctx, guild, id)
	if err != nil || !m.in {
		return ""
	}
	return m.display()
}

func (a *app) roleName(ctx context.Context, guild, id string) string {
	g, err := a.facts.guild(ctx, guild)
	if err != nil || guild == "" {
		return ""
	}
	for _, r := range g.Roles {
		if r.ID == id {
			return strings.TrimPrefix(r.Name, "@")
		}
	}
	return ""
}

// channelName is the name of a channel that everybody sees; that of another one
// is nobody else's business.
func (a *app) channelName(ctx context.Context, guild, id string) string {
	if guild == "" || !digits(id) {
		return ""
	}
	s, err := a.facts.spot(ctx, guild, id)
	if err != nil || !inChannel(s.guild, holder{}, s.parent).has(mayView) || s.channel.Kind == channelPrivateThread {
		return ""
	}
	return s.channel.Name
}

func digits(id string) bool {
	return id != "" && len(id) <= 20 && strings.Trim(id, "0123456789") == ""
}
