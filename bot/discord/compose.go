package discord

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/render"
	"github.com/footnote-bot/footnote/core"
)

// ending is what an answer ends in.
type ending struct {
	answer core.Answer
	failed *core.Failed // set where there is no answer
	canned bool         // the owner wrote the answer
}

// buttons says which buttons an answer gets.
type buttons struct {
	id      string // what they carry
	votes   bool
	help    bool
	share   bool
	again   bool
	private bool
	list    bool // there are curators, who work from the list of sources
}

// pieceRoom leaves room in each message for what rendering adds.
var pieceRoom = render.Limit{N: 1900, Count: render.Runes}

// compose makes the messages of an ending: the text, then sources and notes, and
// the buttons below the last.
func compose(e ending, notes []string, restated string, b buttons) []payload {
	md := body(e)
	if restated != "" {
		md = quoted(restated, 300) + "\n\n" + md
	}
	var out []payload
	for _, part := range render.SplitMarkdown(render.Discord, md, pieceRoom) {
		for _, text := range render.Split(render.Render(render.Discord, part), render.DiscordContent) {
			out = append(out, payload{Content: text})
		}
	}
	if len(out) > mostMessages {
		out = bundle(out[0], md)
	}
	if len(out) == 0 {
		out = []payload{{Content: "…"}}
	}
	list := sourceLines(e.answer.Citations)
	out = withTail(out, tail(list, notes, mostListed))
	out[len(out)-1].Components = rows(e, len(list), b)
	return out
}

// bundle makes a file of an answer that would take too many messages: its beginning
// and the file with all of it.
func bundle(first payload, md string) []payload {
	const note = "\n-# The answer is long: all of it is in the file answer.md."
	first.Content = cut(first.Content, render.DiscordContent.N-len(note)) + note
	if strings.Count(first.Content, "```")%2 == 1 {
		first.Content = cut(strings.TrimSuffix(first.Content, note), render.DiscordContent.N-len(note)-4) + "\n```" + note
	}
	first.files = []*discordgo.File{{Name: "answer.md", ContentType: "text/markdown", Reader: strings.NewReader(md)}}
	return []payload{first}
}

// withTail puts what stands below an answer into the last message, or into one of
// its own where it does not fit.
func withTail(out []payload, text string) []payload {
	if text == "" {
		return out
	}
	last := &out[len(out)-1]
	if whole := last.Content + "\n\n" + text; render.DiscordContent.Fits(whole) {
		last.Content = whole
		return out
	}
	return append(out, payload{Content: text})
}

// body is the text of an ending, as Markdown.
func body(e ending) string {
	switch text := strings.TrimSpace(e.answer.Text); {
	case e.failed != nil:
		return e.failed.Message + "\n\nRequest id: `" + strings.ReplaceAll(e.failed.RequestID, "`", "") + "`"
	case text == "" && e.answer.Stopped:
		return "Stopped before there was an answer."
	case text == "":
		return "I have no answer to this."
	case e.answer.Stopped:
		return text + "\n\n_Stopped here._"
	default:
		return text
	}
}

// rows are the buttons of an ending.
func rows(e ending, sources int, b buttons) []discordgo.MessageComponent {
	var out []discordgo.MessageComponent
	add := func(action, label string) { out = append(out, button(action, b.id, label)) }
	if e.failed == nil && !e.canned && b.votes {
		out = append(out, thumb(actUp, b.id, "👍"), thumb(actDown, b.id, "👎"))
	}
	switch {
	case e.canned:
		add(actFull, "Full answer")
	case e.failed != nil && e.failed.Retryable:
		add(actAgain, "Ask again")
	case e.failed == nil && b.again:
		add(actAgain, "Regenerate")
	}
	if sources > mostListed {
		add(actSources, fmt.Sprintf("All %d sources", sources))
	} else if b.list && sources > 0 {
		add(actSources, "Sources")
	}
	if e.failed == nil && b.private { // on every answer, so that it tells nothing
		add(actPrivate, "Answer privately")
	}
	if e.failed == nil && b.share {
		add(actShare, "Share here")
	}
	if b.help {
		add(actHelp, "I need a human")
	}
	return row(out...)
}

func thumb(action, id, emoji string) discordgo.MessageComponent {
	return discordgo.Button{Style: discordgo.SecondaryButton, CustomID: customID(action, id), Emoji: &discordgo.ComponentEmoji{Name: emoji}}
}

// mostListed is how many sources stand below an answer; the others are behind a
// button.
const mostListed = 5

// sourceLines are the sources as far as the citations may show them.
func sourceLines(citations []core.Citation) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range citations {
		line := sourceLine(c)
		if line != "" && !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	return out
}

func sourceLine(c core.Citation) string {
	if c.Title == "" && c.URL == "" {
		return ""
	}
	name := firstOf(render.Label(render.Discord, c.Title), "source "+fmt.Sprint(c.Number))
	line := fmt.Sprintf("[%d] %s", c.Number, link(c.URL, name))
	if c.Page > 0 {
		line += fmt.Sprintf(", page %d", c.Page)
	}
	switch phrase, n := bot.Age(c.Updated, time.Now()); {
	case strings.Contains(phrase, "%d"):
		line += ", " + fmt.Sprintf(phrase, n)
	case phrase != "":
		line += ", " + phrase
	}
	return line
}

// mostTail is how long sources and notes may be, in code points.
const mostTail = 1800

// tail is what stands below an answer, at most so many sources.
func tail(lines, notes []string, most int) string {
	var out []string
	room := mostTail
	for i, l := range lines {
		if room -= render.DiscordContent.Len(l) + 1; i == most || room < 0 {
			out = append(out, fmt.Sprintf("… and %d more", len(lines)-i))
			break
		}
		out = append(out, l)
	}
	if len(out) > 0 {
		out = append([]string{"**Sources**"}, out...)
	}
	for _, n := range notes {
		n = "-# " + render.Render(render.Discord, escapeMarkdown(strings.Join(strings.Fields(cut(n, 300)), " ")))
		if room -= render.DiscordContent.Len(n) + 1; room < 0 {
			break
		}
		out = append(out, n)
	}
	return strings.Join(out, "\n")
}

// link is a link that we built; an address that is none becomes the label alone.
func link(address, label string) string {
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return label
	}
	if strings.ContainsFunc(address, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return label
	}
	return "[" + label + "](<" + addresses.Replace(address) + ">)"
}

var addresses = strings.NewReplacer("<", "%3C", ">", "%3E", "(", "%28", ")", "%29", "\\", "%5C")
