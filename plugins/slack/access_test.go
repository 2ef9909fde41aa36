package slack

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// Who is in a channel reads it: people with an address that is confirmed, not bots
// and not who was deactivated.
func TestReaders(t *testing.T) {
	w := newWorld(t)
	w.say("C1", "U1", "hello")
	got := grant(t, w.source(Source{Private: []string{"plans"}}))
	want := map[string][]string{"C1": {"ann@example.com", "bob@example.com", "gil@guest.test"}, "C2": {"ann@example.com"}}
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Error(diff)
	}
}

// A channel that is closed, opened or left is for others from the next account of
// readers on, and nothing that was said is asked for.
func TestChannelIsClosed(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*slacktest.Channel)
		open   bool
	}{
		{"private", func(c *slacktest.Channel) { c.Kind = slacktest.Private }, false},
		{"shared with outsiders", func(c *slacktest.Channel) { c.ExtShared = true }, false},
		{"about to be shared", func(c *slacktest.Channel) { c.PendingShared = true }, false},
		{"shared in the organisation", func(c *slacktest.Channel) { c.OrgShared = true }, false},
		{"archived", func(c *slacktest.Channel) { c.Archived = true }, false},
		{"nothing", func(*slacktest.Channel) {}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.fill("C1", 3)
			config := Source{Channels: []string{"gen*"}, Private: []string{"gen*"}}
			want := map[string]sdk.Access{"C1": {Workspace: true, Groups: []string{"C1"}}}
			if diff := cmp.Diff(want, grant(t, w.source(config)).Folders); diff != "" {
				t.Error(diff)
			}
			w.srv.ChangeChannel("C1", row.change)
			w.srv.LeaveChannel("C1", "U2")
			second := grant(t, w.source(config))
			if slices.Contains(second.Groups["C1"], "bob@example.com") {
				t.Error("somebody who left still reads")
			}
			want["C1"] = sdk.Access{Workspace: row.open, Groups: []string{"C1"}}
			if diff := cmp.Diff(want, second.Folders); diff != "" {
				t.Error(diff)
			}
			if w.relay.Count("conversations.history")+w.relay.Count("conversations.replies") > 0 {
				t.Error("messages were asked for")
			}
		})
	}
}

// A public channel that became a private one that is not allowed, or is out of
// reach, is not named, which closes it; also where nothing is left to read and the
// account fails.
func TestPublicAndNotAllowedAnyMore(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 6)
	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	w.srv.ChangeChannel("C1", func(c *slacktest.Channel) { c.Kind = slacktest.Private })
	if got := grant(t, w.source(Source{})); len(got.Folders) != 0 || len(got.Groups) != 0 {
		t.Errorf("folders %v, groups %v", got.Folders, got.Groups)
	}
	lost := hosttest.NewReaders()
	wantError(t, "named", w.source(Source{Channels: []string{"general"}}).grants(t.Context(), lost), "denied", "general")
	if len(lost.Folders) != 0 || !lost.Whole || lost.All {
		t.Errorf("%+v", lost)
	}
	w.sync(w.source(Source{}), h)
	if !slices.Equal(h.Closed, []string{"C1"}) {
		t.Errorf("closed: %v", h.Closed)
	}
}

// A long first sync looks whether the channel is still public.
func TestClosedWhileItIsRead(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 450)
	pages := 0
	w.relay.Meanwhile(func(method string) {
		if method != "conversations.history" {
			return
		}
		if pages++; pages == 2 {
			w.srv.ChangeChannel("C1", func(c *slacktest.Channel) { c.Kind = slacktest.Private })
			w.pass(2 * lookEvery)
		}
	})
	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	open := 0
	for _, d := range h.Docs {
		if d.Access.Workspace {
			open++
		}
	}
	if len(h.Docs) != 450 || open == 0 || open > 220 {
		t.Errorf("%d documents, %d of them for everybody", len(h.Docs), open)
	}
}

// A channel that cannot be read any more is closed and never reads as emptied. When
// it is back its documents come again; under another name, with new titles.
func TestVanishedAndRenamed(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 6)
	w.fill("C2", 6)
	config := Source{Private: []string{"C2"}}
	h := hosttest.NewHost()
	w.sync(w.source(config), h)
	w.srv.LeaveChannel("C2", slacktest.BotUser)
	wantError(t, "sync", w.source(config).sync(t.Context(), h.Cursor, h), "denied", `"C2"`)
	if !slices.Equal(h.Closed, []string{"C2"}) {
		t.Errorf("closed: %v", h.Closed)
	}
	err := w.source(config).list(t.Context(), func(string) error { return nil })
	wantError(t, "list", err, "denied", "nothing is deleted", `"C2"`)
	w.srv.JoinChannel("C2", slacktest.BotUser, "U1")
	w.srv.RenameChannel("C1", "all")
	h.Sent = 0
	w.sync(w.source(config), h)
	if h.Sent != 12 {
		t.Errorf("%d documents came again", h.Sent)
	}
	for id, d := range h.Docs {
		if strings.HasPrefix(id, "C1/") && !strings.HasPrefix(d.Title, "#all: ") {
			t.Errorf("%s: %s", id, d.Title)
		}
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 3)
	src := w.source(Source{})
	if err := src.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "#lunch") || sdk.KindOf(err) != "" {
		t.Errorf("check: %v", err)
	}
	w.srv.SetScopes(slacktest.BotToken, slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == "users:read.email" })...)
	if got := grant(t, w.source(Source{})); len(got.Groups["C1"]) != 0 {
		t.Errorf("%v", got.Groups)
	}
	err := w.source(Source{}).Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "users:read.email") || sdk.KindOf(err) != "" {
		t.Errorf("check without addresses: %v", err)
	}
	w.srv.SetScopes(slacktest.BotToken, "channels:read", "users:read")
	wantError(t, "scope", w.source(Source{}).sync(t.Context(), nil, hosttest.NewHost()), "denied", "channels:history", "missing_scope")
	wantError(t, "check", w.source(Source{}).Check(t.Context()), "denied", "channels:history")
	wantError(t, "join", w.source(Source{Join: true}).sync(t.Context(), nil, hosttest.NewHost()), "denied", "channels:join")
	for _, code := range []string{"token_revoked", "account_inactive", "invalid_auth", "token_expired"} {
		w.srv.Fail("auth.test", slacktest.Fault{Error: code})
		wantError(t, code, w.source(Source{}).sync(t.Context(), nil, hosttest.NewHost()), "auth", code)
	}
	w.srv.KillToken(slacktest.BotToken, "token_revoked")
	wantError(t, "grants", w.source(Source{}).grants(t.Context(), nil), "auth", "revoked")
	wantError(t, "list", w.source(Source{}).list(t.Context(), nil), "auth", "revoked")
	wantError(t, "check", w.source(Source{}).Check(t.Context()), "auth", "revoked")
}

// With 15 messages a page, as Slack gives them to some apps, all is read; a call
// for a pause keeps what was read.
func TestSmallPages(t *testing.T) {
	w := newWorld(t)
	for range 40 {
		w.say("C1", "U1", "busy hour")
	}
	w.pass(2 * time.Hour)
	w.fill("C1", 20)
	w.srv.SetLimits(slacktest.Limits{Marketplace: true})
	h, tries := hosttest.NewHost(), 0
	for ; ; tries++ {
		err := w.source(Source{}).sync(t.Context(), h.Cursor, h)
		if err == nil || tries == 100 {
			break
		}
		wantError(t, "limit", err, "busy", "pause")
		w.pass(61 * time.Second)
		if w.relay.Count("conversations.history"); tries%2 == 0 {
			w.srv.SetLimits(slacktest.Limits{Marketplace: true, PerMinute: map[string]int{"conversations.history": 5, "conversations.replies": 5}})
		}
	}
	if diff := cmp.Diff(hosttest.IDs(h.Docs), func() []string { w.srv.SetLimits(slacktest.Limits{}); return listed(t, w.source(Source{})) }()); diff != "" {
		t.Error(diff)
	}
	if tries == 0 || tries == 100 {
		t.Errorf("%d pauses", tries)
	}
}
