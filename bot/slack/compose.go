package slack

import (
	"fmt"
	"strings"
	"time"

	"github.com/slack-go/slack"

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

// piece is one message of an answer.
type piece struct {
	md     string
	extras []slack.Block // sources and buttons, below the last piece
	tail   string        // what the extras say, as mrkdwn, where no block is shown
}

// buttons says which buttons an answer gets.
type buttons struct {
	id    string // what they carry
	who   person // whose language they speak
	votes bool
	help  bool
	share bool
	again bool
	whole bool // the list of sources is as long as fits: no button can bring it later
	list  bool // there are curators, who work from the list of sources
}

// listed is how many sources stand below the answer.
func (b buttons) listed() int {
	if b.whole {
		return mostShown
	}
	return mostListed
}

// mostMessages is how many messages an answer may take before it becomes a file.
const mostMessages = 3

// compose makes the messages of an ending whose text is md.
func compose(md string, e ending, notes []string, b buttons) []piece {
	var out []piece
	for _, part := range split(md) {
		out = append(out, piece{md: part})
	}
	if len(out) == 0 {
		out = []piece{{md: md}}
	}
	last := &out[len(out)-1]
	list := sourceLines(e.answer.Citations, b.who)
	last.tail = sourceText(list, b.listed(), b.who)
	for _, n := range notes {
		last.tail += "\n" + escape(n)
	}
	last.extras = extras(e, list, notes, b)
	return out
}

// body is the text of an ending, as Markdown, below the question where the place
// does not show it.
func body(e ending, restated string, who person) string {
	if restated != "" {
		return "> " + strings.ReplaceAll(escapeMarkdown(firstRunes(restated, 500)), "\n", "\n> ") + "\n\n" + body(e, "", who)
	}
	switch text := strings.TrimSpace(e.answer.Text); {
	case e.failed != nil:
		return e.failed.Message + "\n\n" + who.say("Request id:") + " `" + strings.ReplaceAll(e.failed.RequestID, "`", "") + "`"
	case text == "" && e.answer.Stopped:
		return who.say("Stopped before there was an answer.")
	case text == "":
		return who.say("I have no answer to this.")
	case e.answer.Stopped:
		return text + "\n\n_" + who.say("Stopped here.") + "_"
	default:
		return text
	}
}

func extras(e ending, list []string, notes []string, b buttons) []slack.Block {
	var out []slack.Block
	if len(list) > 0 {
		out = append(out, section(sourceText(list, b.listed(), b.who)))
	}
	for _, n := range notes {
		out = append(out, slack.NewContextBlock("", mrkdwn(escape(firstRunes(n, 1500)))))
	}
	if e.failed == nil && !e.canned && b.votes {
		out = append(out, slack.NewContextActionsBlock("", slack.NewFeedbackButtonsBlockElement(actVote,
			slack.NewFeedbackButton(plainText(b.who.say("Good answer")), b.id+":up"),
			slack.NewFeedbackButton(plainText(b.who.say("Bad answer")), b.id+":down"))))
	}
	if row := buttonRow(e, len(list), b); len(row) > 0 {
		out = append(out, slack.NewActionBlock("", row...))
	}
	return out
}

func buttonRow(e ending, sources int, b buttons) []slack.BlockElement {
	var row []slack.BlockElement
	add := func(action, label string) {
		row = append(row, slack.NewButtonBlockElement(action, b.id, plainText(b.who.say(label))))
	}
	switch {
	case e.canned:
		add(actFull, "Full answer")
	case e.failed != nil && e.failed.Retryable:
		add(actAgain, "Ask again")
	case e.failed == nil && b.again:
		add(actAgain, "Regenerate")
	}
	if e.failed == nil && b.share {
		add(actShare, "Share here")
	}
	if b.help {
		add(actHelp, "I need a human")
	}
	if sources > b.listed() && !b.whole {
		row = append(row, slack.NewButtonBlockElement(actSources, b.id, plainText(b.who.say("All %d sources", sources))))
	} else if b.list && sources > 0 && !b.whole {
		add(actSources, "Sources")
	}
	return row
}

// forms are the ways in which a message can be sent, the best first. Where Slack
// refuses one, the next may do.
func forms(p piece) []payload {
	text := render.Render(render.Mrkdwn, p.md)
	whole := strings.TrimSpace(text + "\n\n" + p.tail)
	brief := briefly(text)
	out := []payload{{text: brief, blocks: append([]slack.Block{slack.NewMarkdownBlock("", render.Render(render.MarkdownBlock, p.md))}, p.extras...)}}
	var sections []slack.Block
	for _, s := range render.Split(text, render.Limit{N: sectionRoom, Count: render.UTF16}) {
		sections = append(sections, section(s))
	}
	if len(sections)+len(p.extras) <= 50 {
		out = append(out, payload{text: brief, blocks: append(sections, p.extras...)})
	}
	return append(out, payload{text: whole})
}

// briefRoom is how much text may stand beside blocks: chat.update takes no more
// than 4,000, and only notifications show it.
const briefRoom = 3_900

// briefly is the start of a text that stands beside blocks.
func briefly(text string) string {
	if units(text) <= briefRoom {
		return text
	}
	return render.Split(text, render.Limit{N: briefRoom - 2, Count: render.UTF16})[0] + " …"
}

func section(text string) slack.Block {
	return slack.NewSectionBlock(mrkdwn(text), nil, nil)
}

// mrkdwn is a text object that Slack takes as it is: it makes no links or
// mentions of its own.
func mrkdwn(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, text, false, true)
}

func plainText(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
}

// mostListed is how many sources stand below an answer; the others are behind a
// button.
const mostListed = 5

// mostShown is how many sources are shown where somebody wants all of them.
const mostShown = 50

// sourceLines are the sources as far as the citations may show them.
func sourceLines(citations []core.Citation, who person) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range citations {
		line := sourceLine(c, who)
		if line == "" || seen[line] {
			continue
		}
		seen[line] = true
		out = append(out, line)
	}
	return out
}

func sourceLine(c core.Citation, who person) string {
	if c.Title == "" && c.URL == "" {
		return ""
	}
	name := render.Label(render.Mrkdwn, c.Title)
	if name == "" {
		name = who.say("source %d", c.Number)
	}
	line := fmt.Sprintf("[%d] %s", c.Number, link(c.URL, name))
	if c.Page > 0 {
		line += who.say(", page %d", c.Page)
	}
	switch phrase, n := bot.Age(c.Updated, time.Now()); {
	case strings.Contains(phrase, "%d"):
		line += ", " + who.say(phrase, n)
	case phrase != "":
		line += ", " + who.say(phrase)
	}
	return line
}

// sourceText is the list as mrkdwn, at most so many and no longer than fits.
func sourceText(lines []string, most int, who person) string {
	if len(lines) == 0 {
		return ""
	}
	out := who.say("*Sources*")
	for i, l := range lines {
		if i == most || units(out)+units(l) > 2_400 {
			return out + "\n" + who.say("… and %d more", len(lines)-i)
		}
		out += "\n" + l
	}
	return out
}
