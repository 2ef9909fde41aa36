package cli

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// slow answers the first question in pieces and then falls silent; later ones it
// answers at once.
func slow(c modeltest.Chat) modeltest.Reply {
	searched, asked := false, ""
	for _, m := range c.Messages {
		searched = searched || m.Role == "tool"
		if m.Role == "user" && !searched {
			asked = m.Content
		}
	}
	switch {
	case !searched:
		return searchFor("annual leave days")
	case strings.Contains(asked, "quickly"):
		return modeltest.Reply{Text: "It is 28 days [1]."}
	}
	return modeltest.Reply{Chunks: []string{"The handbook tells", " how many days there are, and", " also when to take them."}, HangAfter: modeltest.N(3)}
}

// slackFolder is a folder with documents, a scripted model and a workspace, for
// processes: nothing comes from the environment of the test.
func slackFolder(srv *slacktest.Server, model string) string {
	return fmt.Sprintf(`members: {domains: [acme.test]}
model: {base_url: %q, name: scripted, concurrency: 512}
sources:
  - {name: wiki, connector: files, access: workspace, config: {dir: docs}}
slack:
  - {name: team, bot_token: %s, app_token: %s, api_url: %q, home: true}
`, model, slacktest.BotToken, slacktest.AppToken, srv.URL())
}

// killed is one way in which a question is asked before the program is killed.
type killed struct {
	name  string
	opts  []slacktest.Option
	ask   func(*slacktest.Server) (channel, root string)
	until func(srv *slacktest.Server, channel, root string) bool // the moment of the kill
	shown bool                                                   // there is a message by then
}

func inThread(srv *slacktest.Server, channel, root, text string) bool {
	for _, m := range srv.InThread(channel, root) {
		if m.App != "" && !m.Deleted && strings.Contains(m.Shown, text) {
			return true
		}
	}
	return false
}

func waysToBeKilled() []killed {
	mention := func(srv *slacktest.Server) (string, string) {
		return "C1", srv.Mention("C1", "U1", "How many days of annual leave does an employee have?")
	}
	direct := func(srv *slacktest.Server) (string, string) {
		return srv.DM("U1", "How many days of annual leave does an employee have?")
	}
	writing := func(srv *slacktest.Server, channel, root string) bool {
		return inThread(srv, channel, root, "The handbook tells")
	}
	return []killed{
		{name: "native stream in a channel", ask: mention, until: writing, shown: true},
		{name: "draft that is edited", opts: []slacktest.Option{slacktest.NoStreamsIn(slacktest.Public)}, ask: mention, until: writing, shown: true},
		{name: "direct message", ask: direct, until: writing, shown: true},
		{name: "before the first word", ask: mention, until: func(srv *slacktest.Server, channel, root string) bool {
			m, _ := srv.MessageAt(channel, root)
			return len(m.Reactions["eyes"]) > 0
		}},
	}
}

// TestKilledWhileItStreams kills footnote serve -9 in the middle of an answer.
// The next start says that it was interrupted, leaves nothing that looks as if it
// went on, and the thread works.
func TestKilledWhileItStreams(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills eight processes")
	}
	for _, row := range waysToBeKilled() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			srv := officeIn(t, u, true, row.opts...)
			model := modeltest.Start(modeltest.Script{Think: slow})
			t.Cleanup(model.Close)
			u.write(map[string]string{"footnote.yaml": slackFolder(srv, model.URL)})
			first := serveProcess(t, u.dir)
			channel, root := row.ask(srv)
			wait(t, srv, first, "the moment of the kill", func() bool { return row.until(srv, channel, root) })
			noted(t, u, first, channel, row.shown)
			first.kill()
			next := serveProcess(t, u.dir)
			wait(t, srv, next, "the notice", func() bool { return inThread(srv, channel, root, "I was interrupted") })
			wait(t, srv, next, "no sign of life any more", func() bool {
				m, _ := srv.MessageAt(channel, root)
				return len(m.Reactions["eyes"]) == 0 && srv.Thread(channel, root).Status == ""
			})
			for _, m := range srv.InThread(channel, root) {
				if m.App != "" && !m.Deleted && (m.Stream == "in_progress" || !strings.Contains(m.Shown, "I was interrupted")) {
					t.Errorf("a message is left as it was: stream %q, %q", m.Stream, m.Shown)
				}
			}
			srv.MentionIn(channel, root, "U1", "And quickly: how many days of annual leave?")
			wait(t, srv, next, "the thread to work", func() bool { return inThread(srv, channel, root, "28 days") })
		})
	}
}

// noted waits until the ledger knows of the answer, and of its message if there
// is one.
func noted(t *testing.T, u *user, p *process, channel string, shown bool) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(u.dir, "data", "footnote.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var n int
		if db.QueryRow("SELECT count(*) FROM posted WHERE open AND place LIKE '%/' || ? AND (json_array_length(refs) > 0 OR ?)", channel, !shown).Scan(&n) == nil && n > 0 {
			return
		}
	}
	t.Fatalf("the ledger was not told of the answer\n%s", p.logged())
}

func wait(t testing.TB, srv *slacktest.Server, p *process, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := srv.Wait(ctx, condition); err != nil {
		t.Fatalf("waited for %s: %v\n%s\n%s\n%s", what, err, srv.Dump(), srv.Trace(), p.logged())
	}
}

// TestKilledAtAnyMoment kills footnote serve at moments that nobody chose, once
// the question stands in the ledger and until about the first word is shown.
// Every such question ends in something that can be seen, and no message looks as
// if it were still being written.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills two dozen processes")
	}
	rounds := 3
	if os.Getenv(soakEnv) != "" {
		rounds = 5
	}
	for hand := range 4 {
		t.Run(fmt.Sprint("hand ", hand), func(t *testing.T) {
			t.Parallel()
			killedAtMoments(t, rand.New(rand.NewPCG(1, uint64(hand))), rounds)
		})
	}
}

func killedAtMoments(t *testing.T, random *rand.Rand, rounds int) {
	u := newUser(t)
	srv := officeIn(t, u, true, slacktest.RetryDelays(0, time.Second, time.Second))
	model := modeltest.Start(modeltest.Script{Think: slow})
	t.Cleanup(model.Close)
	u.write(map[string]string{"footnote.yaml": slackFolder(srv, model.URL)})
	var lost, left []string
	for round := range rounds {
		channel, user := fmt.Sprintf("CK%d", round), fmt.Sprintf("UK%d", round)
		srv.AddUser(slacktest.User{ID: user, Name: fmt.Sprintf("kim%d", round), Email: fmt.Sprintf("kim%d@acme.test", round)})
		srv.AddChannel(slacktest.Channel{ID: channel, Name: fmt.Sprintf("kill-%d", round), Members: []string{user, slacktest.BotUser}})
		first := serveProcess(t, u.dir)
		wait(t, srv, first, "a socket", func() bool { return len(srv.OpenSockets()) == 1 })
		root := srv.Mention(channel, user, "How many days of annual leave does an employee have?")
		noted(t, u, first, channel, false)
		moment := time.Duration(random.IntN(200)) * time.Millisecond
		time.Sleep(moment)
		first.kill()
		next := serveProcess(t, u.dir)
		what := ""
		if !soon(srv, patience, func() bool { what = seen(srv, channel, root); return what == "" }) {
			if what == "nothing" {
				lost = append(lost, moment.String())
			} else {
				left = append(left, moment.String()+": "+what)
			}
		}
		next.kill()
	}
	if len(lost)+len(left) > 0 {
		t.Errorf("questions of which nothing was seen, by the time of the kill: %v\nmessages that look unfinished: %v", lost, left)
	}
}

// seen says what is wrong with a thread after a kill; "" if it is in order.
func seen(srv *slacktest.Server, channel, root string) string {
	what := "nothing"
	for _, m := range srv.InThread(channel, root) {
		if m.App == "" || m.Deleted {
			continue
		}
		if m.Stream == "in_progress" || len(m.Buttons) == 1 && m.Buttons[0].Label == "Stop" {
			return "a draft is left"
		}
		what = ""
	}
	return what
}

func soon(srv *slacktest.Server, within time.Duration, condition func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return srv.Wait(ctx, condition) == nil
}
