package slack

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/footnote-bot/footnote/bot"
)

// plain is what a message says, for people and models: from its text, or from
// its blocks and attachments where it has none. Elements of kinds that are not
// known count with the text that is inside them.
func (e event) plain() string {
	if s := strings.TrimSpace(e.Text); s != "" {
		return s
	}
	var b strings.Builder
	for _, raw := range []json.RawMessage{e.Blocks, e.Attachments} {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			gather(&b, v)
		}
	}
	return strings.TrimSpace(b.String())
}

// gather writes the readable parts of a block, whatever its type, as Slack would
// have written them into a text.
func gather(b *strings.Builder, v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			gather(b, one)
		}
	case map[string]any:
		gatherElement(b, v)
	}
}

func gatherElement(b *strings.Builder, m map[string]any) {
	kind, _ := m["type"].(string)
	text, _ := m["text"].(string)
	switch kind {
	case "user":
		writeToken(b, "@", m["user_id"])
	case "channel":
		writeToken(b, "#", m["channel_id"])
	case "usergroup":
		writeToken(b, "!subteam^", m["usergroup_id"])
	case "link":
		address, _ := m["url"].(string)
		if text == "" || text == address {
			b.WriteString(address)
		} else {
			b.WriteString(text + " (" + address + ")")
		}
		return
	case "emoji":
		if name, ok := m["name"].(string); ok {
			b.WriteString(":" + name + ":")
		}
		return
	}
	if text != "" {
		b.WriteString(text)
		if kind != "text" {
			b.WriteByte('\n')
		}
	} else if inner, ok := m["text"].(map[string]any); ok {
		gatherElement(b, inner)
	}
	for _, key := range []string{"title", "pretext", "fallback"} {
		if s, ok := m[key].(string); ok && text == "" {
			b.WriteString(s + "\n")
			text = s
		}
	}
	for _, key := range []string{"elements", "fields", "blocks", "rows"} {
		gather(b, m[key])
	}
	if strings.HasPrefix(kind, "rich_text_") || kind == "section" {
		b.WriteByte('\n')
	}
}

func writeToken(b *strings.Builder, sign string, v any) {
	if s, ok := v.(string); ok {
		b.WriteString("<" + sign + s + ">")
	}
}

// token is what Slack puts in angle brackets.
var token = regexp.MustCompile(`<([^<>\n]+)>`)

// mentioned tells whether the text names the user.
func mentioned(text, user string) bool {
	for _, t := range token.FindAllStringSubmatch(text, -1) {
		name, _, _ := strings.Cut(t[1], "|")
		if user != "" && name == "@"+user {
			return true
		}
	}
	return false
}

// mentionsOther tells whether the text is addressed to somebody else: it starts
// with the name of a person or a group that is not the user.
func mentionsOther(text, user string) bool {
	text = strings.TrimSpace(text)
	at := token.FindStringSubmatchIndex(text)
	if at == nil || at[0] != 0 {
		return false
	}
	name, _, _ := strings.Cut(text[at[2]:at[3]], "|")
	return (strings.HasPrefix(name, "@") || strings.HasPrefix(name, "!")) && name != "@"+user
}

// namer finds the names of what texts name by id; "" if it does not know one.
type namer interface {
	userName(id string) string
	channelName(id string) string
	groupName(id string) string
}

// readable turns what a message says into what a model reads: names for ids,
// plain links, no escapes. Mentions of the bot itself are left out.
func readable(text, self string, names namer) string {
	text = token.ReplaceAllStringFunc(text, func(t string) string {
		name, label, _ := strings.Cut(t[1:len(t)-1], "|")
		return oneToken(name, label, self, names)
	})
	return strings.TrimSpace(spaces.ReplaceAllString(unescape.Replace(text), " "))
}

// references are the channels and people that a text names, under the names that
// readable gives them.
func references(text, self string, known names) []bot.Reference {
	var out []bot.Reference
	for _, t := range token.FindAllStringSubmatch(text, -1) {
		name, label, _ := strings.Cut(t[1], "|")
		switch {
		case name == "@"+self:
		case strings.HasPrefix(name, "@"):
			if is := firstOf(known.users[name[1:]], strings.TrimPrefix(label, "@")); is != "" {
				out = append(out, bot.Reference{Person: true, ID: name[1:], Name: is, Also: known.emails[name[1:]]})
			}
		case strings.HasPrefix(name, "#"):
			if is := firstOf(known.channels[name[1:]], strings.TrimPrefix(label, "#")); is != "" {
				out = append(out, bot.Reference{ID: name[1:], Name: is})
			}
		}
	}
	return out
}

// unescape undoes the three escapes that Slack makes, and no others.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

var spaces = regexp.MustCompile(`[ \t]{2,}`)

func oneToken(name, label, self string, names namer) string {
	switch {
	case name == "@"+self:
		return ""
	case strings.HasPrefix(name, "@"):
		return "@" + firstOf(names.userName(name[1:]), strings.TrimPrefix(label, "@"), "somebody")
	case strings.HasPrefix(name, "#"):
		return "#" + firstOf(names.channelName(name[1:]), strings.TrimPrefix(label, "#"), "a-channel")
	case strings.HasPrefix(name, "!subteam^"):
		return "@" + firstOf(names.groupName(strings.TrimPrefix(name, "!subteam^")), strings.TrimPrefix(label, "@"), "a-group")
	case strings.HasPrefix(name, "!date^"):
		return label
	case strings.HasPrefix(name, "!"):
		return "@" + firstOf(label, name[1:])
	case strings.HasPrefix(name, "mailto:"):
		return firstOf(label, strings.TrimPrefix(name, "mailto:"))
	case label == "" || label == name:
		return name
	}
	return label + " (" + name + ")"
}

func firstOf(options ...string) string {
	for _, s := range options {
		if s != "" {
			return s
		}
	}
	return ""
}
