package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// pagesDir is the variable that names a folder for the pages of
// TestPagesOfAConversation; docs/images are pictures of them.
const pagesDir = "FOOTNOTE_PAGES"

const travelAnswer = "Book trips to customers in the travel tool[1]:\n\n" +
	"1. Open **Travel → New trip** and enter the customer number[1].\n" +
	"2. Trips above **800 euro** need your team lead's approval first[2].\n" +
	"3. Keep receipts; `trip close` sends them to accounting within 14 days[2].\n\n" +
	"Trains come before flights below 600 km[2]."

// travels answers after a search, with footnotes.
func travels(c modeltest.Chat) modeltest.Reply {
	for _, m := range c.Messages {
		if m.Role == "tool" {
			return modeltest.Reply{Text: travelAnswer, Split: 12}
		}
	}
	return searchFor("book trip customer approval receipts")
}

// travelOffice is a small office with a channel, a helper and two documents.
func travelOffice(t *testing.T) (*user, *slacktest.Server) {
	t.Helper()
	u := newUser(t)
	u.write(map[string]string{
		"docs/travel/booking.md":  "# Booking trips\n\nTrips to customers are booked in the travel tool: open Travel, New trip, and enter the customer number.\n",
		"docs/travel/expenses.md": "# Travel expenses\n\nA trip above 800 euro needs approval by the team lead first. Receipts go to accounting within 14 days with trip close. Trains come before flights below 600 km.\n",
	})
	srv := slacktest.New(t)
	srv.Clock().Freeze() // a click may open a form for three seconds
	for id, name := range map[string]string{"U1": "Ann Berg", "U2": "Bo Lind", "U3": "Hal Okoye"} {
		handle, _, _ := strings.Cut(strings.ToLower(name), " ")
		srv.AddUser(slacktest.User{ID: id, Name: handle, RealName: name, Email: handle + "@acme.test", Admin: id == "U1"})
	}
	srv.AddUserGroup(slacktest.UserGroup{ID: "S1", Handle: "support", Name: "Support", Users: []string{"U3"}})
	for id, name := range map[string]string{"C1": "travel", "C2": "sales"} {
		srv.AddChannel(slacktest.Channel{ID: id, Name: name, Creator: "U1", Members: []string{"U1", "U2", "U3", slacktest.BotUser}})
	}
	model := modeltest.Start(modeltest.Script{Think: travels})
	t.Cleanup(model.Close)
	u.write(map[string]string{"footnote.yaml": fmt.Sprintf(`members: {domains: [acme.test]}
model: {base_url: %q, name: scripted}
sources:
  - {name: wiki, connector: files, access: workspace, config: {dir: docs, url_base: "https://wiki.acme.test/"}}
slack:
  - {name: team, bot_token: %s, app_token: %s, api_url: %q, home: true}
`, model.URL, slacktest.BotToken, slacktest.AppToken, srv.URL())})
	u.must("sync")
	return u, srv
}

// TestPagesOfAConversation has a conversation with footnote serve and draws what
// people see. With FOOTNOTE_PAGES=DIR the pages are kept there.
func TestPagesOfAConversation(t *testing.T) {
	t.Parallel()
	u, srv := travelOffice(t)
	u.serving()
	shown := func(user, text string) func() bool {
		return func() bool {
			for _, m := range srv.Ephemerals(user) {
				if strings.Contains(m.Shown, text) {
					return true
				}
			}
			return false
		}
	}
	srv.Slash("C1", "U1", "/footnote", "config helpers @support")
	srv.Eventually("the setting", shown("U1", "Done: helpers"))
	root := srv.Mention("C1", "U2", "How do I book a trip to a customer?")
	srv.Eventually("the answer", func() bool {
		m, _ := srv.MessageAt("C1", root)
		return inThread(srv, "C1", root, "Sources") && len(m.Reactions["eyes"]) == 0
	})
	pages := map[string]string{"channel": srv.Page(slacktest.Look{Channel: "C1", Thread: root})}
	answer := srv.InThread("C1", root)[1]
	srv.Click("U2", "C1", answer.TS, "Bad answer")
	srv.Eventually("a form", func() bool { _, open := srv.Modal("U2"); return open })
	pages["feedback"] = srv.Page(slacktest.Look{Channel: "C1", Thread: root, Viewer: "U2"})
	srv.CloseModal("U2")
	srv.Click("U2", "C1", answer.TS, "I need a human")
	srv.Eventually("the call for help", answered(srv, srv.DMChannel("U3"), "would like a person"))
	pages["help"] = srv.Page(slacktest.Look{Channel: srv.DMChannel("U3"), Viewer: "U3"})
	srv.Slash("C2", "U3", "/ask", "How do I book a trip to a customer?")
	srv.Eventually("the private answer", shown("U3", "Share here"))
	pages["private"] = srv.Page(slacktest.Look{Channel: "C2", Viewer: "U3"})
	for name, want := range map[string][]string{
		"channel":  {"How do I book a trip", "<ol>", `href="https://wiki.acme.test/`, "Booking trips", "👍", "I need a human"},
		"feedback": {"What was wrong or missing?", "primary"},
		"help":     {"would like a person", "Resolved", "Open the thread"},
		"private":  {"Only visible to you", "Share here", "Regenerate"},
	} {
		for _, text := range want {
			if !strings.Contains(pages[name], text) {
				t.Errorf("the page %s lacks %q:\n%s", name, text, pages[name])
			}
		}
		if strings.Contains(pages[name], "&lt;@") || strings.Contains(pages[name], "&lt;http") {
			t.Errorf("the page %s shows raw markup", name)
		}
	}
	if dir := os.Getenv(pagesDir); dir != "" {
		for name, page := range pages {
			if err := os.WriteFile(filepath.Join(dir, "slack-"+name+".html"), []byte(page), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}
