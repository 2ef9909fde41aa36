package discord

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// mostRows is how many rows of buttons a message takes.
const mostRows = 5

// curatedRows are buttons for a curator, a row for each document.
func curatedRows(id string, citations []core.Citation) []discordgo.MessageComponent {
	var out []discordgo.MessageComponent
	for _, c := range citations {
		if c.DocumentID == "" || len(out) == mostRows {
			continue
		}
		label := fmt.Sprintf("[%d] ", c.Number)
		out = append(out, row(
			button(actMark, bot.MarkValue(id, c.Number, bot.MarkUp), label+"👍"),
			button(actMark, bot.MarkValue(id, c.Number, bot.MarkDown), label+"👎"),
			button(actMark, bot.MarkValue(id, c.Number, bot.MarkHide), label+"Hide"))...)
	}
	return out
}

// curator tells whether the buttons are for who pressed.
func (a *app) curator(account core.Account, v core.Viewer) bool {
	return a.opts.Curation != nil && a.opts.Curation.Curator(account, v)
}

// marked keeps what a curator says of a document.
func (a *app) marked(ctx context.Context, p press) {
	id, number, mark, ok := bot.ParseMark(p.value)
	if !ok || a.opts.Curation == nil {
		a.say(ctx, p, noAdmin)
		return
	}
	p.value = id
	got, s, ok := a.stands(ctx, p)
	if !ok {
		return
	}
	t, ok := a.turn(ctx, p, got)
	if !ok {
		return
	}
	who := a.asIn(ctx, p, s.Guild)
	v, err := a.opts.Front.Viewer(ctx, who.Account)
	title := ""
	if err == nil {
		title, err = a.opts.Curation.Mark(ctx, who.Account, v, t, number, mark)
	}
	if err != nil {
		a.say(ctx, p, a.sorry(err))
		return
	}
	a.opts.Counter.Add("discord_marks_total", string(mark))
	name := escapeMarkdown(firstOf(title, fmt.Sprintf("source %d", number)))
	switch mark {
	case bot.MarkHide:
		a.whisper(ctx, p.request, notice(name+" is no longer found or shown to anybody.", row(button(actMark, bot.MarkValue(id, number, bot.MarkShow), "Undo"))...))
	case bot.MarkShow:
		a.say(ctx, p, name+" can be found again.")
	default:
		a.say(ctx, p, "Thank you, noted.")
	}
}
