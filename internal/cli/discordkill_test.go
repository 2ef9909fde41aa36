package cli

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// discordFolder is a folder with documents, a scripted model and a Discord server,
// for processes.
func discordFolder(t *testing.T, u *user, srv *discordtest.Server, model string) {
	t.Helper()
	u.write(map[string]string{
		"docs/leave.md": "# Leave\n\nEvery employee has 28 days of annual leave.\n",
		"footnote.yaml": fmt.Sprintf(`members: {domains: [acme.test]}
model: {base_url: %q, name: scripted, concurrency: 512}
sources:
  - {name: wiki, connector: files, access: public, config: {dir: docs}}
discord:
  - {name: club, token: %s, api_url: %q, gateway_url: %q, home: true, guilds: ['%s']}
`, model, discordtest.Token, srv.APIURL(), srv.GatewayURL(), discordtest.Guild),
	})
	u.must("sync")
}

const leaveQuestion = "How many days of annual leave does an employee have?"

// wayToBeKilled is a question in Discord and where its answer is seen.
type wayToBeKilled struct {
	name string
	ask  func(srv *discordtest.Server, channel, ann string)
	sees func(srv *discordtest.Server, channel, ann string) []discordtest.Message
}

// waysToBeKilledInDiscord are questions of every kind: what the asker or the
// channel sees of one says when it may be killed and what became of it.
func waysToBeKilledInDiscord() []wayToBeKilled {
	inChannel := func(srv *discordtest.Server, channel, _ string) []discordtest.Message { return srv.FromBot(channel) }
	alone := func(srv *discordtest.Server, _, ann string) []discordtest.Message { return srv.Ephemerals(ann) }
	return []wayToBeKilled{
		{"a mention", func(srv *discordtest.Server, channel, ann string) { srv.Mention(channel, ann, leaveQuestion) }, inChannel},
		{"a direct message", func(srv *discordtest.Server, _, ann string) { srv.DM(ann, leaveQuestion) },
			func(srv *discordtest.Server, _, ann string) []discordtest.Message {
				return srv.FromBot(srv.OpenDM(ann))
			}},
		{"a command for the asker alone", func(srv *discordtest.Server, channel, ann string) {
			srv.Slash(channel, ann, "ask", discordtest.Options{"question": leaveQuestion})
		}, alone},
		{"a command for everybody", func(srv *discordtest.Server, channel, ann string) {
			srv.Slash(channel, ann, "ask", discordtest.Options{"question": leaveQuestion, "show": true})
		}, inChannel},
	}
}

// TestKilledWhileItAnswersInDiscord kills footnote serve -9 before the first word
// of an answer and in the middle of it. The next start puts a notice in the place
// of the draft, or of Discord's "is thinking", and answers the next question.
func TestKilledWhileItAnswersInDiscord(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills sixteen processes")
	}
	for _, row := range waysToBeKilledInDiscord() {
		for _, shown := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, a draft is shown: %v", row.name, shown), func(t *testing.T) {
				t.Parallel()
				u := newUser(t)
				srv := discordtest.New(t, discordtest.AnswerWithin(patience))
				channel, ann := srv.AddChannel(discordtest.Channel{Name: "general"}), srv.Join("ann")
				var silent atomic.Bool
				silent.Store(!shown)
				model := modeltest.Start(modeltest.Script{Think: func(c modeltest.Chat) modeltest.Reply {
					if silent.Load() {
						return modeltest.Reply{Chunks: []string{"never said"}, HangAfter: modeltest.N(0)}
					}
					return slow(c)
				}})
				t.Cleanup(model.Close)
				discordFolder(t, u, srv, model.URL)
				first := serveProcess(t, u.dir)
				ready(t, srv)
				asked := time.Now()
				row.ask(srv, channel, ann)
				sees := func(words string) bool {
					for _, m := range row.sees(srv, channel, ann) {
						if !m.Deleted && strings.Contains(m.Content, words) {
							return true
						}
					}
					return false
				}
				if shown {
					srv.Eventually("a draft", func() bool { return sees("The handbook tells") })
				}
				openInDiscord(t, u, first, asked, shown)
				first.kill()
				silent.Store(false)
				next := serveProcess(t, u.dir)
				srv.Eventually("the notice", func() bool { return sees("I was interrupted") })
				for _, m := range row.sees(srv, channel, ann) {
					if !m.Deleted && (m.Thinking || !strings.Contains(m.Content, "I was interrupted")) {
						t.Errorf("a message is left as it was: thinking %v, %q\n%s", m.Thinking, m.Content, next.logged())
					}
				}
				ready(t, srv)
				srv.Mention(channel, ann, "And quickly: how many days of annual leave?")
				srv.Eventually("the next answer", func() bool {
					for _, m := range srv.FromBot(channel) {
						if strings.Contains(m.Content, "28 days") {
							return true
						}
					}
					return false
				})
			})
		}
	}
}

// openInDiscord waits until the ledger knows of an answer that is being written, and
// of its message if there is one.
func openInDiscord(t *testing.T, u *user, p *process, since time.Time, shown bool) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(u.dir, "data", "footnote.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var n int
		if db.QueryRow("SELECT count(*) FROM posted WHERE open AND platform = 'discord' AND updated >= ? AND (json_array_length(refs) > 0 OR ?)", since.UnixMicro(), !shown).Scan(&n) == nil && n > 0 {
			return
		}
	}
	t.Fatalf("the ledger was not told of the answer\n%s", p.logged())
}

// TestKilledAtAnyMomentInDiscord kills footnote serve at moments that nobody chose,
// once the question stands in the ledger. Nothing looks as if it were still being
// written then.
func TestKilledAtAnyMomentInDiscord(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills sixteen processes")
	}
	for n, way := range waysToBeKilledInDiscord() {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			killedInDiscordAtMoments(t, rand.New(rand.NewPCG(1, uint64(n))), way, 2)
		})
	}
}

func killedInDiscordAtMoments(t *testing.T, random *rand.Rand, way wayToBeKilled, rounds int) {
	u := newUser(t)
	srv := discordtest.New(t, discordtest.AnswerWithin(patience))
	model := modeltest.Start(modeltest.Script{Think: slow})
	t.Cleanup(model.Close)
	discordFolder(t, u, srv, model.URL)
	for round := range rounds {
		channel, user := srv.AddChannel(discordtest.Channel{Name: fmt.Sprintf("kill-%d", round)}), srv.Join(fmt.Sprintf("kim%d", round))
		first := serveProcess(t, u.dir)
		ready(t, srv)
		asked := time.Now()
		way.ask(srv, channel, user)
		openInDiscord(t, u, first, asked, false)
		moment := time.Duration(random.IntN(200)) * time.Millisecond
		time.Sleep(moment)
		first.kill()
		next := serveProcess(t, u.dir)
		srv.Eventually(fmt.Sprintf("the notice for %s, killed after %s", way.name, moment), func() bool {
			list := way.sees(srv, channel, user)
			for _, m := range list {
				if !m.Deleted && (m.Thinking || !strings.Contains(m.Content, "interrupted")) {
					return false
				}
			}
			return len(list) > 0
		})
		next.kill()
	}
}
