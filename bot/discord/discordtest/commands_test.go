package discordtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

// askCommands are the commands of the tests: a question, settings with
// subcommands, and a context menu.
func askCommands() []*discordgo.ApplicationCommand {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	manage := int64(discordgo.PermissionManageGuild)
	return []*discordgo.ApplicationCommand{
		{Name: "ask", Description: "Ask", Contexts: &contexts, DescriptionLocalizations: &map[discordgo.Locale]string{discordgo.German: "Fragen"},
			Options: []*discordgo.ApplicationCommandOption{
				{Name: "question", Description: "What?", Type: discordgo.ApplicationCommandOptionString, Required: true, Autocomplete: true},
				{Name: "show", Description: "To all?", Type: discordgo.ApplicationCommandOptionBoolean},
				{Name: "file", Description: "A file", Type: discordgo.ApplicationCommandOptionAttachment},
				{Name: "whom", Description: "A person", Type: discordgo.ApplicationCommandOptionUser},
			}},
		{Name: "footnote", Description: "Settings", DefaultMemberPermissions: &manage, Options: []*discordgo.ApplicationCommandOption{
			{Name: "config", Description: "Configure", Type: discordgo.ApplicationCommandOptionSubCommand, Options: []*discordgo.ApplicationCommandOption{
				{Name: "mode", Description: "Mode", Type: discordgo.ApplicationCommandOptionString, Required: true,
					Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "All", Value: "all"}}},
			}},
		}},
		{Name: "Ask about this", Type: discordgo.MessageApplicationCommand},
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	s := newSession(t, srv, usual)
	first, err := s.ApplicationCommandBulkOverwrite(discordtest.AppID, "", askCommands())
	if err != nil || len(first) != 3 {
		t.Fatalf("%d commands, %v", len(first), err)
	}
	again, err := s.ApplicationCommandBulkOverwrite(discordtest.AppID, "", askCommands()[:2])
	if err != nil || len(again) != 2 || again[0].ID != first[0].ID || again[0].Version == first[0].Version {
		t.Errorf("an equal command keeps its id and gets a new version: %+v %v", again, err)
	}
	got, err := s.ApplicationCommands(discordtest.AppID, "")
	if err != nil || len(got) != 2 || (*got[0].DescriptionLocalizations)[discordgo.German] != "Fragen" || *got[1].DefaultMemberPermissions != discordgo.PermissionManageGuild {
		t.Errorf("%+v %v", got, err)
	}
	extra, err := s.ApplicationCommandCreate(discordtest.AppID, discordtest.Guild, askCommands()[0])
	if err != nil || extra.GuildID != discordtest.Guild {
		t.Errorf("%+v %v", extra, err)
	}
	if err := s.ApplicationCommandDelete(discordtest.AppID, discordtest.Guild, extra.ID); err != nil || len(srv.Commands(discordtest.Guild)) != 0 {
		t.Errorf("deleted: %v, left %v", err, srv.Commands(discordtest.Guild))
	}
	_, err = s.ApplicationCommandBulkOverwrite("99", "", askCommands())
	refused(t, err, 403, 20012)
}

func TestRefusedCommands(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	s := newSession(t, srv, usual)
	str := discordgo.ApplicationCommandOptionString
	option := func(o ...*discordgo.ApplicationCommandOption) discordgo.ApplicationCommand {
		return discordgo.ApplicationCommand{Name: "x", Description: "x", Options: o}
	}
	var many []*discordgo.ApplicationCommandOption
	for i := range 26 {
		many = append(many, &discordgo.ApplicationCommandOption{Name: fmt.Sprint("o", i), Description: "x", Type: str})
	}
	for _, row := range []struct {
		name string
		cmd  discordgo.ApplicationCommand
		path string
	}{
		{"capitals", discordgo.ApplicationCommand{Name: "Ask", Description: "x"}, `{"0":{"name":`},
		{"space", discordgo.ApplicationCommand{Name: "a b", Description: "x"}, `"name"`},
		{"33 characters", discordgo.ApplicationCommand{Name: strings.Repeat("a", 33), Description: "x"}, `"name"`},
		{"no description", discordgo.ApplicationCommand{Name: "a"}, `"description"`},
		{"description of 101", discordgo.ApplicationCommand{Name: "a", Description: strings.Repeat("é", 101)}, `"description"`},
		{"menu with description", discordgo.ApplicationCommand{Name: "a", Description: "x", Type: discordgo.MessageApplicationCommand}, "CONTEXT_MENU"},
		{"unknown locale", discordgo.ApplicationCommand{Name: "a", Description: "x", NameLocalizations: &map[discordgo.Locale]string{"tlh": "a"}}, `"tlh"`},
		{"26 options", option(many...), `"options"`},
		{"required after optional", option(&discordgo.ApplicationCommandOption{Name: "a", Description: "x", Type: str},
			&discordgo.ApplicationCommandOption{Name: "b", Description: "x", Type: str, Required: true}), "REQUIRED_INVALID"},
		{"option twice", option(&discordgo.ApplicationCommandOption{Name: "a", Description: "x", Type: str},
			&discordgo.ApplicationCommandOption{Name: "a", Description: "x", Type: str}), "ALREADY_EXISTS"},
		{"choices and autocomplete", option(&discordgo.ApplicationCommandOption{Name: "a", Description: "x", Type: str, Autocomplete: true,
			Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "a", Value: "a"}}}), "AUTOCOMPLETE_CHOICES"},
		{"subcommand beside an option", option(&discordgo.ApplicationCommandOption{Name: "a", Description: "x", Type: str},
			&discordgo.ApplicationCommandOption{Name: "b", Description: "x", Type: discordgo.ApplicationCommandOptionSubCommand}), "mutually exclusive"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := s.ApplicationCommandBulkOverwrite(discordtest.AppID, "", []*discordgo.ApplicationCommand{&row.cmd})
			if rest := refused(t, err, 400, 50035); !strings.Contains(string(rest.ResponseBody), row.path) {
				t.Errorf("body %s, want %s in it", rest.ResponseBody, row.path)
			}
		})
	}
	_, err := s.ApplicationCommandBulkOverwrite(discordtest.AppID, "", append(askCommands(), askCommands()[0]))
	if rest := refused(t, err, 400, 50035); !strings.Contains(string(rest.ResponseBody), "DUPLICATE_NAME") {
		t.Errorf("body %s", rest.ResponseBody)
	}
	if len(srv.Commands("")) != 0 {
		t.Error("a refused set was taken")
	}
}
