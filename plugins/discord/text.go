package discord

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// names are what the ids in a text stand for; each returns "" for one that is not
// known.
type names struct {
	user, role, channel func(id string) string
}

var (
	// tag is a mention, a custom emoji, a time or a command.
	tag = regexp.MustCompile(`<(@!?|@&|#)(\d+)>|<a?:(\w+):\d+>|<t:(\d{1,12})(?::[a-zA-Z])?>|</([^:<>\n]+):\d+>`)
	// marks makes a heading of a line, or of the one before it.
	marks = regexp.MustCompile(`^[ \t>]*(#+|-#|=+[ \t]*$|-+[ \t]*$)`)
)

// markdown writes a text of Discord, which is Markdown already, with names in the
// place of ids. No line of it is a heading: what one person wrote must not look
// like the heading of another's message.
func markdown(text string, of names) string {
	text = tag.ReplaceAllStringFunc(text, func(whole string) string {
		m := tag.FindStringSubmatch(whole)
		switch {
		case m[1] == "#":
			return "#" + history.First(of.channel(m[2]), "a channel")
		case m[1] == "@&":
			return "@" + history.First(of.role(m[2]), "a role")
		case m[2] != "":
			return "@" + history.First(of.user(m[2]), "somebody")
		case m[3] != "":
			return ":" + m[3] + ":"
		case m[4] != "":
			seconds, err := strconv.ParseInt(m[4], 10, 64)
			if err != nil {
				return whole
			}
			return time.Unix(seconds, 0).UTC().Format("2 January 2006 15:04")
		}
		return "/" + m[5]
	})
	return harmless(strings.TrimSpace(text))
}

func harmless(text string) string {
	lines, fence := strings.Split(text, "\n"), false
	for n, line := range lines {
		if strings.Count(line, "```")%2 == 1 {
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

// plainText is the text in one line.
func plainText(text string, of names) string {
	return strings.Join(strings.Fields(strings.NewReplacer("`", "", "*", "", `\`, "").Replace(markdown(text, of))), " ")
}

// link opens a message in Discord.
func link(guild, channel, message string) string {
	return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", guild, channel, message)
}
