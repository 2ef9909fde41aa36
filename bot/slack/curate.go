package slack

import (
	"context"
	"fmt"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// mostMarked is how many documents of one list get buttons for curators.
const mostMarked = 10

// curatedList is the list of an answer's sources with buttons for a curator.
func curatedList(text, id string, citations []core.Citation, who person) payload {
	p := payload{text: text, blocks: []slack.Block{section(text)}}
	for _, c := range citations {
		if c.DocumentID == "" || len(p.blocks) > mostMarked {
			continue
		}
		button := func(mark bot.Mark, label string) slack.BlockElement {
			return slack.NewButtonBlockElement(actMark+string(mark), bot.MarkValue(id, c.Number, mark), plainText(fmt.Sprintf("[%d] %s", c.Number, label)))
		}
		p.blocks = append(p.blocks, slack.NewActionBlock("", button(bot.MarkUp, "👍"), button(bot.MarkDown, "👎"), button(bot.MarkHide, who.say("Hide"))))
	}
	return p
}

// marked keeps what a curator says of a document.
func (a *app) marked(ctx context.Context, p press) {
	id, number, mark, ok := bot.ParseMark(p.value)
	if !ok || a.opts.Curation == nil {
		return
	}
	got, _, ok := a.posted(ctx, p)
	if !ok {
		return
	}
	t, ok := a.turn(ctx, p, got)
	if !ok {
		return
	}
	v, err := a.opts.Front.Viewer(ctx, p.who.Account)
	title := ""
	if err == nil {
		title, err = a.opts.Curation.Mark(ctx, p.who.Account, v, t, number, mark)
	}
	if err != nil {
		a.tell(ctx, p.req, notice(a.sorry(err)))
		return
	}
	a.opts.Counter.Add("slack_marks_total", string(mark))
	name := escapeMarkdown(firstOf(title, p.who.say("source %d", number)))
	switch mark {
	case bot.MarkHide:
		undo := slack.NewButtonBlockElement(actMark+string(bot.MarkShow), bot.MarkValue(id, number, bot.MarkShow), plainText(p.who.say("Undo")))
		a.tell(ctx, p.req, notice(p.who.say("%s is no longer found or shown to anybody.", name), slack.NewActionBlock("", undo)))
	case bot.MarkShow:
		a.tell(ctx, p.req, notice(p.who.say("%s can be found again.", name)))
	default:
		a.tell(ctx, p.req, notice(p.who.say("Thank you, noted.")))
	}
}
