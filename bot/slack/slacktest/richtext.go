package slacktest

import (
	"regexp"
	"strings"
)

var tokenForm = regexp.MustCompile(`<([@#!]?)([^>|]+)(?:\|([^>]*))?>`)

// richBlocks are the blocks that Slack gives to what a person types: one
// rich_text block with text, mentions and links.
func richBlocks(id, text string) []any {
	var parts []any
	add := func(piece string) {
		if piece != "" {
			parts = append(parts, object{"type": "text", "text": unescape(piece)})
		}
	}
	at := 0
	for _, m := range tokenForm.FindAllStringSubmatchIndex(text, -1) {
		add(text[at:m[0]])
		at = m[1]
		name := text[m[4]:m[5]]
		switch text[m[2]:m[3]] {
		case "@":
			parts = append(parts, object{"type": "user", "user_id": name})
		case "#":
			parts = append(parts, object{"type": "channel", "channel_id": name})
		case "!":
			parts = append(parts, broadcastPart(name))
		default:
			link := object{"type": "link", "url": unescape(name)}
			if m[6] >= 0 {
				link["text"] = unescape(text[m[6]:m[7]])
			}
			parts = append(parts, link)
		}
	}
	add(text[at:])
	return []any{object{"type": "rich_text", "block_id": id,
		"elements": []any{object{"type": "rich_text_section", "elements": parts}}}}
}

func broadcastPart(name string) object {
	if group, ok := strings.CutPrefix(name, "subteam^"); ok {
		return object{"type": "usergroup", "usergroup_id": group}
	}
	return object{"type": "broadcast", "range": name}
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}

func richTextText(b object) string {
	return joined(b["elements"], "\n", func(v any) string {
		o, _ := v.(object)
		switch o["type"] {
		case "rich_text_list":
			return joined(o["elements"], "\n", func(item any) string { return "- " + plainText(item) })
		case "rich_text_quote":
			return "> " + plainText(o["elements"])
		case "rich_text_preformatted":
			return "```\n" + plainText(o["elements"]) + "\n```"
		}
		return plainText(o["elements"])
	})
}

// richPiece is the text of a text object or of a piece of rich text.
func richPiece(o object) string {
	text := func(key string) string { s, _ := o[key].(string); return s }
	switch o["type"] {
	case "user":
		return "<@" + text("user_id") + ">"
	case "usergroup":
		return "<!subteam^" + text("usergroup_id") + ">"
	case "broadcast":
		return "<!" + text("range") + ">"
	case "channel":
		return "<#" + text("channel_id") + ">"
	case "emoji":
		return ":" + text("name") + ":"
	case "link":
		if text("text") != "" {
			return "<" + text("url") + "|" + text("text") + ">"
		}
		return "<" + text("url") + ">"
	}
	for _, key := range []string{"text", "elements", "title", "details", "output"} {
		if o[key] != nil {
			return plainText(o[key])
		}
	}
	return ""
}
