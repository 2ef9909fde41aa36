package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

// clubIn makes a folder with a public and an internal document, and a Discord
// server that reads them.
func clubIn(t *testing.T, u *user, options string) (srv *discordtest.Server, channel string) {
	t.Helper()
	srv = discordtest.New(t, discordtest.AnswerWithin(patience)) // a busy machine is not what is tested
	channel = srv.AddChannel(discordtest.Channel{Name: "general", Kind: discordtest.Text})
	u.write(map[string]string{
		"docs/opening.md":   "# Opening hours\n\nThe workshop is open from nine to five on weekdays.\n",
		"docs/team/wifi.md": "# Wifi\n\nThe password of the wifi is walrus-battery-staple.\n",
		"docs/team/.keep":   "",
		"footnote.yaml": fmt.Sprintf(`members: {domains: [acme.test]}
sources:
  - {name: wiki, connector: files, access: public, config: {dir: docs, access: {"team/**": [workspace]}}}
discord:
  - {name: club, token: %s, api_url: %q, gateway_url: %q, %s}
`, discordtest.Token, srv.APIURL(), srv.GatewayURL(), options),
	})
	u.must("sync")
	return srv, channel
}

// ready waits for the gateway: what is said before is not seen.
func ready(t *testing.T, srv *discordtest.Server) {
	t.Helper()
	if err := srv.WaitReady(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	srv.Eventually("the commands", func() bool { return len(srv.Commands("")) > 0 })
}

func saidIn(srv *discordtest.Server, channel, words string) func() bool {
	return func() bool {
		for _, m := range srv.FromBot(channel) {
			if strings.Contains(m.Content, words) {
				return true
			}
		}
		return false
	}
}

func toldTo(srv *discordtest.Server, user, words string) func() bool {
	return func() bool {
		for _, m := range srv.Ephemerals(user) {
			if strings.Contains(m.Content, words) {
				return true
			}
		}
		return false
	}
}

func TestServeAnswersInDiscord(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv, channel := clubIn(t, u, "home: true, guilds: ['"+discordtest.Guild+"']")
	ann := srv.Join("ann")
	u.serving()
	ready(t, srv)
	srv.Mention(channel, ann, "When is the workshop open?")
	srv.Eventually("the answer in the channel", saidIn(srv, channel, "nine to five"))
	srv.Slash(channel, ann, "ask", discordtest.Options{"question": "What is the password of the wifi?"})
	srv.Eventually("nothing for an account that is nobody", toldTo(srv, ann, "found nothing"))
	code := strings.TrimSpace(u.must("identity", "link", "ann@acme.test"))
	srv.Slash(channel, ann, "footnote link", discordtest.Options{"code": code})
	srv.Eventually("a word that it is linked", toldTo(srv, ann, "ann@acme.test"))
	srv.Slash(channel, ann, "ask", discordtest.Options{"question": "What is the password of the wifi?"})
	srv.Eventually("the answer for the person", toldTo(srv, ann, "walrus"))
	srv.Mention(channel, ann, "What is the password of the wifi?")
	srv.Eventually("nothing for the channel", saidIn(srv, channel, "found nothing"))
	for _, m := range srv.FromBot(channel) {
		if m.EverShown("walrus") {
			t.Errorf("the channel saw what is for members: %s", m.Content)
		}
	}
	if list := srv.Notified(); len(list) > 0 {
		t.Errorf("somebody would have been pinged: %+v", list)
	}
}

func TestDiscordServerIsBoundByACode(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv, channel := clubIn(t, u, "home: false")
	u.serving()
	ready(t, srv)
	srv.Slash(channel, discordtest.Owner, "footnote setup", discordtest.Options{})
	srv.Eventually("a code for the owner alone", toldTo(srv, discordtest.Owner, "footnote discord bind"))
	var code string
	for _, m := range srv.Ephemerals(discordtest.Owner) {
		if _, rest, ok := strings.Cut(m.Content, "footnote discord bind "); ok {
			code = strings.Trim(strings.Fields(rest)[0], "`.")
		}
	}
	if out := u.run("discord", "bind", "WRONG"); out.code != exitNotFound {
		t.Errorf("a wrong code: %+v", out)
	}
	u.must("discord", "bind", code)
	if list := u.must("discord", "list"); !strings.Contains(list, discordtest.Guild) {
		t.Errorf("discord list: %s", list)
	}
	srv.Mention(channel, discordtest.Owner, "When is the workshop open?")
	srv.Eventually("the answer in the channel", saidIn(srv, channel, "nine to five"))
	u.must("discord", "unbind", discordtest.Guild)
}

func TestInitDiscord(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	srv := discordtest.New(t)
	out := u.run("init", "discord", "--token", discordtest.Token, "--api-url", srv.APIURL(), "--gateway-url", srv.GatewayURL())
	if out.code != 0 || !strings.Contains(out.err, "309237763136") {
		t.Fatalf("init discord: %+v", out)
	}
	if info, err := os.Stat(filepath.Join(u.dir, "footnote.yaml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("footnote.yaml: %v, %v", info, err)
	}
	if o := u.run("doctor"); !strings.Contains(o.out, "discord guild: token") {
		t.Errorf("doctor: %+v", o)
	}
	if o := u.run("init", "discord", "--name", "other", "--token", "wrong", "--api-url", srv.APIURL()); o.code == exitOK || !strings.Contains(o.err, "token") {
		t.Errorf("a wrong token: %+v", o)
	}
}
