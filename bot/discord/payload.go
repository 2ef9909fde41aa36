package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/render"
)

// payload is everything that is shown on Discord: what is posted, edited or
// answered is one. It always says that nothing may be mentioned and that links
// show no preview.
type payload struct {
	Content    string                            `json:"content"`
	Components []discordgo.MessageComponent      `json:"components"`
	Flags      discordgo.MessageFlags            `json:"flags"`
	Mentions   *discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Reference  *reference                        `json:"message_reference,omitempty"`
	Nonce      string                            `json:"nonce,omitempty"`
	Enforce    bool                              `json:"enforce_nonce,omitempty"` // the same nonce is the same message

	files []*discordgo.File
	still func(context.Context) error // asked before it is sent, after any wait; nil for no doubt
}

// reference makes a message a reply. Where the other one is gone it is posted all
// the same.
type reference struct {
	Message string `json:"message_id"`
	Channel string `json:"channel_id"`
	Strict  bool   `json:"fail_if_not_exists"`
}

// sealed is the payload as it may be sent, whatever it was made of.
func (p payload) sealed() payload {
	p.Mentions = &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
	p.Flags |= discordgo.MessageFlagsSuppressEmbeds
	if p.Components == nil {
		p.Components = []discordgo.MessageComponent{} // an edit takes the old ones away
	}
	p.Content = cut(p.Content, render.DiscordContent.N)
	return p
}

// cut shortens a text to so many code points. It is the last resort: texts are
// split before.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return strings.TrimSpace(s[:lastRune(s[:i])]) + "…"
		}
	}
	return s
}

// lastRune is where the last character of a text begins.
func lastRune(s string) int {
	last := 0
	for i := range s {
		last = i
	}
	return last
}

// notice is a message of ours, from Markdown.
func notice(md string, rows ...discordgo.MessageComponent) payload {
	text := render.Render(render.Discord, md)
	if !render.DiscordContent.Fits(text) {
		text = render.Split(text, render.Limit{N: render.DiscordContent.N - 2, Count: render.Runes})[0]
	}
	return payload{Content: text, Components: rows}
}

// row is a line of buttons; nothing where there are none.
func row(buttons ...discordgo.MessageComponent) []discordgo.MessageComponent {
	var out []discordgo.MessageComponent
	for len(buttons) > 0 {
		n := min(len(buttons), 5)
		out = append(out, discordgo.ActionsRow{Components: buttons[:n]})
		buttons = buttons[n:]
	}
	return out
}

// button does what the action says with what the id names.
func button(action, id, label string) discordgo.MessageComponent {
	return discordgo.Button{Label: label, Style: discordgo.SecondaryButton, CustomID: customID(action, id)}
}

func customID(action, id string) string { return action + ":" + id }

// escapeMarkdown makes a text of people safe inside Markdown of ours.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]~|#<>", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quoted is a text of people as a quotation.
func quoted(s string, most int) string {
	return "> " + strings.ReplaceAll(escapeMarkdown(cut(strings.TrimSpace(s), most)), "\n", "\n> ")
}

func firstOf(options ...string) string {
	for _, s := range options {
		if s != "" {
			return s
		}
	}
	return ""
}
