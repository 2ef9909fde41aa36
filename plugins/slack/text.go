package slack

import (
	"regexp"
	"strings"

	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// names are what the ids in a text stand for; each returns "" for one that is not
// known.
type names struct {
	user, group, channel func(id string) string
}

// markdown writes a text of Slack as Markdown. Nothing in it can look like the
// heading of a message: a line of one person must not pass for another's.
func markdown(text string, of names) string {
	var b strings.Builder
	for n, part := range strings.Split(text, "```") {
		if n%2 == 1 {
			b.WriteString("\n```\n" + strings.Trim(letters(replace(part, of, true)), "\n") + "\n```\n")
			continue
		}
		for m, piece := range strings.Split(part, "`") {
			switch {
			case m > 0 && m%2 == 1:
				b.WriteString("`" + letters(replace(piece, of, true)))
			case m > 0:
				b.WriteString("`" + replace(piece, of, false))
			default:
				b.WriteString(replace(piece, of, false))
			}
		}
	}
	return harmless(strings.TrimSpace(b.String()))
}

// plainText is the text in one line, without addresses.
func plainText(text string, of names) string {
	text = strings.NewReplacer("`", "", "*", "").Replace(letters(replace(text, of, true)))
	return strings.Join(strings.Fields(text), " ")
}

// letters undoes what Slack escapes: these three and nothing else.
func letters(text string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}

var (
	token = regexp.MustCompile(`<([^<>\n]+)>`)
	// marks makes a heading of a line, or of the one before it.
	marks = regexp.MustCompile(`^[ \t>]*(#+|=+[ \t]*$|-+[ \t]*$)`)
)

// harmless keeps lines from being headings, which Slack does not have. In fences
// nothing is one.
func harmless(text string) string {
	lines, fence := strings.Split(text, "\n"), false
	for n, line := range lines {
		if line == "```" {
			fence = !fence
			continue
		}
		if at := marks.FindStringSubmatchIndex(line); at != nil && !fence {
			lines[n] = line[:at[2]] + `\` + line[at[2]:]
		}
	}
	if fence {
		lines = append(lines, "```")
	}
	return strings.Join(lines, "\n")
}

// replace puts names in the place of ids, and links in the place of Slack's.
func replace(text string, of names, plain bool) string {
	return token.ReplaceAllStringFunc(text, func(whole string) string {
		inner := whole[1 : len(whole)-1]
		target, label, _ := strings.Cut(inner, "|")
		switch target[0] {
		case '@':
			return "@" + history.First(of.user(target[1:]), label, "somebody")
		case '#':
			return "#" + history.First(of.channel(target[1:]), label, "a channel")
		case '!':
			return special(target[1:], label, of)
		}
		return link(target, label, plain)
	})
}

// special is a mention of many, or a date.
func special(what, label string, of names) string {
	kind, rest, _ := strings.Cut(what, "^")
	if kind == "subteam" {
		return "@" + strings.TrimPrefix(history.First(of.group(rest), label, "a group"), "@")
	}
	if label != "" {
		return label
	}
	return "@" + kind // here, channel, everyone
}

func link(target, label string, plain bool) string {
	lower := strings.ToLower(target)
	web := strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
	switch {
	case plain && label != "":
		return label
	case !web:
		return history.First(label, strings.TrimPrefix(target, "mailto:"))
	case label == "" || label == target:
		return target
	}
	label = strings.NewReplacer("[", `\[`, "]", `\]`).Replace(label)
	return "[" + label + "](<" + target + ">)"
}

var mention = regexp.MustCompile(`<@([A-Z0-9]+)`)

// mentioned are the ids of the people in a text.
func mentioned(text string) []string {
	var out []string
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}
