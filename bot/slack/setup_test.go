package slack

import (
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

func TestTokensAreCheckedByTheirLooks(t *testing.T) {
	for token, want := range map[string]string{
		"xoxb-1": "", "xoxe.xoxb-1-abc": "token rotation", "xoxp-1": "a person's token", "xapp-1": "app_token", "hello": "xoxb-",
	} {
		err := checkBotToken(token)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("bot token %q: %v", token, err)
		}
	}
	for token, want := range map[string]string{"xapp-1": "", "xoxb-1": "bot_token", "x": "connections:write"} {
		err := checkAppToken(token)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("app token %q: %v", token, err)
		}
	}
}

func TestTokensAreCheckedWithSlack(t *testing.T) {
	srv := channelServer(t)
	w := Workspace{Name: "team", BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: srv.URL()}
	team, lacks, err := CheckTokens(t.Context(), w, Variant{})
	if err != nil || team == "" || lacks != nil {
		t.Errorf("team %q, lacks %v, error %v", team, lacks, err)
	}
	srv.DropScopes(slacktest.BotToken, "reactions:write")
	if _, lacks, err = CheckTokens(t.Context(), w, Variant{}); err != nil || len(lacks) != 1 || lacks[0].Feature != "sign of life by reaction" {
		t.Errorf("lacks %v, error %v", lacks, err)
	}
	srv.KillToken(slacktest.AppToken, "invalid_auth")
	if _, _, err = CheckTokens(t.Context(), w, Variant{}); core.KindOf(err) != core.KindAuth || !strings.Contains(err.Error(), "connections:write") {
		t.Errorf("a dead app token: %v", err)
	}
	srv.KillToken(slacktest.BotToken, "token_revoked")
	if _, _, err = CheckTokens(t.Context(), w, Variant{}); core.KindOf(err) != core.KindAuth || !strings.Contains(err.Error(), "install the app again") {
		t.Errorf("a dead bot token: %v", err)
	}
}

func TestDoctor(t *testing.T) {
	srv := channelServer(t)
	srv.AddChannel(slacktest.Channel{ID: "C3", Name: "shared", ExtShared: true, Members: []string{slacktest.BotUser}})
	o := Options{Workspaces: []Workspace{{Name: "team", BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: srv.URL()}}}
	checks := Checks(t.Context(), o)
	got := map[string]Check{}
	for _, c := range checks {
		got[strings.TrimPrefix(c.Name, "slack team: ")] = c
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	if c := got["channels"]; !strings.Contains(c.Detail, "in 2, 1 of them shared") {
		t.Errorf("channels: %+v", c)
	}
	if c := got["socket"]; c.Detail != "connected" {
		t.Errorf("socket: %+v", c)
	}
	srv.DropScopes(slacktest.BotToken, "chat:write")
	srv.PlanSockets(slacktest.SocketPlan{LinkOff: true})
	bad := 0
	for _, c := range Checks(t.Context(), o) {
		if !c.OK {
			bad++
			if c.Fix == "" || c.Detail == "" {
				t.Errorf("a finding without a way out: %+v", c)
			}
		}
	}
	if bad != 2 {
		t.Errorf("%d findings, want the scope and the socket", bad)
	}
}

func TestAnAppIsMadeFromTheManifest(t *testing.T) {
	srv := slacktest.New(t)
	app, err := CreateApp(t.Context(), srv.URL(), slacktest.ConfigToken, Variant{})
	if err != nil || app.ID == "" || app.SigningSecret == "" || app.Install == "" {
		t.Errorf("app %+v: %v", app, err)
	}
	if _, err := CreateApp(t.Context(), srv.URL(), "xoxe.xoxp-1-old", Variant{}); core.KindOf(err) != core.KindAuth {
		t.Errorf("a wrong token: %v", err)
	}
	srv.Fail("apps.manifest.validate", slacktest.Fault{Error: "invalid_manifest"})
	if _, err := CreateApp(t.Context(), srv.URL(), slacktest.ConfigToken, Variant{}); core.KindOf(err) != core.KindConfig {
		t.Errorf("a manifest that is refused: %v", err)
	}
}

func TestWorkspacesNeedTokensOfTheirOwn(t *testing.T) {
	o := Options{Front: (*stubFront)(nil), Desk: stubDesk{}, Turns: &memory{}, Threads: &memory{}, Posts: &memory{}, NewID: func() string { return "" },
		Workspaces: []Workspace{{Name: "a", BotToken: "xoxb-1", AppToken: "xapp-1"}, {Name: "b", BotToken: "xoxb-2", AppToken: "xapp-1"}}}
	if _, err := New(o); core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), "a and b") {
		t.Errorf("error %v", err)
	}
}

type stubFront struct{ Front }
type stubDesk struct{ Desk }

func TestClocksAreCompared(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	for theirs, ok := range map[time.Time]bool{now: true, now.Add(50 * time.Second): true, now.Add(-2 * time.Minute): false, now.Add(time.Hour): false, {}: true} {
		if c := checkClock(theirs, now); c.OK != ok || !ok && c.Fix == "" {
			t.Errorf("%s: %+v", theirs, c)
		}
	}
}
