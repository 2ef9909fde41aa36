package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// slackHistory is a Slack with a channel for all and a private one of Ann's.
func slackHistory(t *testing.T) map[string]any {
	srv := slacktest.New(t)
	srv.Clock().Freeze()
	srv.AddUser(slacktest.User{ID: "U1", Name: "ann", Email: "ann@example.com"})
	srv.AddUser(slacktest.User{ID: "U2", Name: "bob", Email: "bob@example.com"})
	srv.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Members: []string{"U1", "U2", slacktest.BotUser}})
	srv.AddChannel(slacktest.Channel{ID: "C2", Name: "plans", Kind: slacktest.Private, Members: []string{"U1", slacktest.BotUser}})
	for _, text := range []string{"Where is the coffee?", "Who has the key?", "When is lunch?"} {
		srv.Reply("C1", srv.Message("C1", "U1", text), "U2", "I do not know.")
	}
	srv.Message("C2", "U1", "The coffee machine is to be sold.")
	return map[string]any{"token": slacktest.BotToken, "private": []string{"plans"}, "per_minute": 300_000, "api_url": strings.TrimSuffix(srv.URL(), "/api/")}
}

// discordHistory is a Discord with a channel for all and one of Ann's role.
func discordHistory(t *testing.T) map[string]any {
	srv := discordtest.New(t, discordtest.WithPrivileged(discordtest.MessageContent))
	srv.Clock().Freeze()
	staff := srv.AddRole(discordtest.Role{Name: "staff"})
	ann, bob := srv.Join("ann", staff), srv.Join("bob")
	open, forum := srv.AddChannel(discordtest.Channel{Name: "general"}), srv.AddChannel(discordtest.Channel{Name: "help", Kind: discordtest.Forum})
	closed := srv.AddChannel(discordtest.Channel{Name: "plans", Overwrites: []discordtest.Overwrite{
		{ID: discordtest.Guild, Deny: discordtest.ViewChannel}, {ID: staff, Allow: discordtest.ViewChannel}, {ID: discordtest.BotRole, Allow: discordtest.ViewChannel},
	}})
	for _, title := range []string{"Where is the coffee?", "Who has the key?", "When is lunch?"} {
		srv.Say(srv.Post(forum, ann, title, "Tell me."), bob, "I do not know.")
	}
	srv.Say(open, ann, "Good morning")
	srv.Say(closed, ann, "The coffee machine is to be sold.")
	people := map[string]string{ann: "ann@example.com", bob: "bob@example.com"}
	return map[string]any{"token": discordtest.Token, "people": people, "rate": 5000, "api_url": strings.TrimSuffix(srv.APIURL(), "/api")}
}

// The connectors of chat history are held to the kit as programs that come with
// Footnote.
func TestPluginTestHoldsChatHistory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a dozen processes for each")
	}
	for name, world := range map[string]func(*testing.T) map[string]any{"slack": slackHistory, "discord": discordHistory} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := json.Marshal(world(t))
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "config.json")
			writeTestFile(t, file, string(config), 0o600)
			got := newUser(t).run("plugin", "test", name, "--config", file, "--only", "config.secrets,sync.first,sync.resume,list.equal,grants.agree", "--json")
			results := testResults(t, got.out)
			if got.code != exitOK {
				t.Fatalf("%+v", got)
			}
			for _, id := range []string{"config.secrets", "sync.first", "sync.resume", "list.equal", "grants.agree"} {
				if results[id].State != plugintest.Pass {
					t.Errorf("%s: %+v", id, results[id])
				}
			}
			for _, r := range results {
				if r.State == plugintest.Skip && r.Reason == "" {
					t.Errorf("%s is skipped without a reason", r.ID)
				}
			}
		})
	}
}
