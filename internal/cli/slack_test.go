package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

// officeIn makes a folder with documents for members and for one person, and a
// workspace that reads them.
func officeIn(t testing.TB, u *user, home bool, opts ...slacktest.Option) *slacktest.Server {
	t.Helper()
	u.write(map[string]string{
		"docs/leave.md":       "# Leave\n\nEvery employee has 28 days of annual leave.\n",
		"docs/hr/salaries.md": "# Salaries\n\nThe salary band of engineers is sixty thousand walrus coins.\n",
	})
	srv := slacktest.New(t, opts...)
	srv.AddUser(slacktest.User{ID: "U1", Name: "ann", Email: "ann@acme.test"})
	srv.AddUser(slacktest.User{ID: "U2", Name: "boss", Email: "boss@acme.test"})
	srv.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Members: []string{"U1", "U2", slacktest.BotUser}})
	u.write(map[string]string{"footnote.yaml": fmt.Sprintf(`members: {domains: [acme.test]}
sources:
  - {name: wiki, connector: files, access: workspace, config: {dir: docs, access: {"hr/**": ["user:boss@acme.test"]}}}
slack:
  - {name: team, bot_token: %s, app_token: %s, api_url: %q, home: %v}
`, slacktest.BotToken, slacktest.AppToken, srv.URL(), home)})
	u.must("sync")
	return srv
}

func answered(srv *slacktest.Server, channel, words string) func() bool {
	return func() bool {
		for _, m := range srv.FromApps(channel) {
			if !m.Deleted && strings.Contains(m.Shown, words) {
				return true
			}
		}
		return false
	}
}

func TestServeAnswersInSlack(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv := officeIn(t, u, true)
	u.serving()
	srv.Mention("C1", "U1", "How many days of annual leave does an employee have?")
	srv.Eventually("the answer in the channel", answered(srv, "C1", "28 days"))
	srv.Mention("C1", "U2", "What is the salary band of engineers?")
	srv.Eventually("an answer that knows nothing", answered(srv, "C1", "found nothing"))
	for _, m := range srv.FromApps("C1") {
		if m.EverShown("walrus") || m.EverShown("salaries") {
			t.Errorf("the channel saw a document of one person: %s", m.Shown)
		}
	}
	dm, _ := srv.DM("U2", "What is the salary band of engineers?")
	srv.Eventually("the answer to the boss alone", answered(srv, dm, "walrus"))
	dm, _ = srv.DM("U1", "What is the salary band of engineers?")
	srv.Eventually("nothing for anybody else", answered(srv, dm, "found nothing"))
	trail := u.must("audit", "--json")
	for _, want := range []string{`"place":"slack:T1/C1"`, `"actor":"boss@acme.test"`, `"class":"public_channel"`, `"class":"dm"`} {
		if !strings.Contains(trail, want) {
			t.Errorf("the audit lacks %s:\n%s", want, trail)
		}
	}
	if places := u.must("access", "place", "slack:T1/C1"); !strings.Contains(places, "public_channel") || !strings.Contains(places, "workspace") {
		t.Errorf("access place: %s", places)
	}
}

func TestMembersOfAWorkspaceThatIsNotHome(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv := officeIn(t, u, false)
	u.serving()
	dm, _ := srv.DM("U1", "How many days of annual leave does an employee have?")
	srv.Eventually("nothing: what is for members is not for guests of the install", answered(srv, dm, "found nothing"))
	code := strings.TrimSpace(u.must("identity", "link", "ann@acme.test"))
	srv.Slash("C1", "U1", "/footnote", "link "+code)
	srv.Eventually("a word that it is linked", func() bool {
		for _, m := range srv.Ephemerals("U1") {
			if strings.Contains(m.Shown, "ann@acme.test") {
				return true
			}
		}
		return false
	})
	dm, _ = srv.DM("U1", "How many days of annual leave does an employee have?")
	srv.Eventually("the answer for the person", answered(srv, dm, "28 days"))
}

func TestSlackDoctor(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv := officeIn(t, u, true)
	out := u.must("doctor")
	if !strings.Contains(out, "slack team: bot token") || !strings.Contains(out, "slack team: socket: connected") {
		t.Errorf("doctor: %s", out)
	}
	srv.KillToken(slacktest.BotToken, "token_revoked")
	if o := u.run("doctor"); o.code != exitFailure || !strings.Contains(o.out, "Install the app again") {
		t.Errorf("with a dead token: code %d, %s", o.code, o.out)
	}
}

// A second connection would get events of the first, and would be warned of.
func TestSlackDoctorBesideServeOpensNoConnection(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv := officeIn(t, u, true)
	s := u.serving()
	if err := srv.WaitSocket(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	const open = "apps.connections.open"
	before := len(srv.Calls(open))
	out := u.must("doctor")
	for _, want := range []string{"slack team: bot token: belongs to", "slack team: clock: ", "slack team: socket: connected\n"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, out)
		}
	}
	if n := len(srv.Calls(open)); n != before {
		t.Errorf("%d more connections were asked for", n-before)
	}
	s.stop()
	if strings.Contains(s.errs.String(), "other connections") {
		t.Errorf("the bot warns of its own doctor: %s", s.errs)
	}
}

func TestInitSlack(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv := slacktest.New(t)
	out := u.must("init", "slack", "--bot-token", slacktest.BotToken, "--app-token", slacktest.AppToken, "--api-url", srv.URL())
	if !strings.Contains(out, "footnote.yaml") {
		t.Errorf("init slack: %s", out)
	}
	info, err := os.Stat(filepath.Join(u.dir, "footnote.yaml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("footnote.yaml: %v, %v", info, err)
	}
	if out := u.must("doctor"); !strings.Contains(out, "slack team: bot token") {
		t.Errorf("doctor afterwards: %s", out)
	}
	if o := u.run("init", "slack", "--bot-token", slacktest.BotToken, "--app-token", slacktest.AppToken, "--api-url", srv.URL()); o.code == exitOK || !strings.Contains(o.err, "already") {
		t.Errorf("a second time: code %d, %s", o.code, o.err)
	}
	if o := u.run("init", "slack", "--name", "other", "--bot-token", slacktest.AppToken, "--app-token", slacktest.AppToken, "--api-url", srv.URL()); o.code == exitOK || !strings.Contains(o.err, "app_token") {
		t.Errorf("tokens mixed up: code %d, %s", o.code, o.err)
	}
}
