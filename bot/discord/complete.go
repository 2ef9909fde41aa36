package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// completed offers what can be chosen while somebody types. It names agents and
// collections that they may know, and never documents.
func (a *app) completed(ctx context.Context, i interaction) {
	ctx, cancel := context.WithTimeout(ctx, a.opts.timing.word*5/8)
	defer cancel()
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	for _, o := range i.Data.Options {
		if !o.Focused {
			continue
		}
		for _, name := range a.choices(ctx, i, o) {
			if len(choices) < 25 && len([]rune(name)) <= 100 {
				choices = append(choices, &discordgo.ApplicationCommandOptionChoice{Name: name, Value: name})
			}
		}
	}
	err := a.api.respond(ctx, i, discordgo.InteractionApplicationCommandAutocompleteResult, map[string]any{"choices": choices})
	if err != nil {
		a.log.Debug("a list of choices came too late", "error", err)
	}
}

func (a *app) choices(ctx context.Context, i interaction, o option) []string {
	if a.opts.Choices == nil || i.outside() {
		return nil
	}
	if ok, err := a.isBound(ctx, i.Guild); i.Guild != "" && (err != nil || !ok) {
		return nil
	}
	who := a.person(ctx, i.Guild, i.by(), false)
	v, err := a.opts.Front.Viewer(ctx, who.Account)
	if err != nil {
		return nil
	}
	place := a.place(ctx, i.Guild, i.Channel)
	if i.Guild != "" && get(i.Data.Options, optShow) != "true" {
		place = ephemeral(place)
	}
	var names []string
	switch o.Name {
	case optAgent:
		names, err = a.opts.Choices.Agents(ctx, place, v)
	case optCollection:
		names, err = a.opts.Choices.Collections(ctx, place, v)
	}
	if err != nil {
		a.log.Debug("choices cannot be told", "error", err)
		return nil
	}
	typed := strings.ToLower(o.text())
	var out []string
	for _, n := range names {
		if strings.Contains(strings.ToLower(n), typed) {
			out = append(out, n)
		}
	}
	return out
}
