package discord

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// Who sees a channel reads it, as far as the configuration tells who they are.
func TestReaders(t *testing.T) {
	w := newWorld(t)
	secret := w.srv.AddChannel(discordtest.Channel{Name: "talk", Kind: discordtest.PrivateThread, Parent: w.open, Members: []string{w.bob, discordtest.BotUser}})
	src := w.source(Source{People: w.people(), PrivateThreads: true})
	both := []string{"ann@example.com", "bob@example.com"}
	want := map[string][]string{w.open: both, w.closed: both[:1], w.forum: both, secret: both[1:]}
	got := grant(t, src)
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Error(diff)
	}
	w.srv.TakeRole(w.ann, w.staff)
	w.srv.SetOverwrite(w.open, discordtest.Overwrite{ID: w.bob, Member: true, Deny: discordtest.ViewChannel})
	want = map[string][]string{w.open: both[:1], w.closed: nil, w.forum: both, secret: nil}
	if diff := cmp.Diff(want, grant(t, src).Groups); diff != "" {
		t.Error(diff)
	}
	w.srv.RemoveMember(discordtest.Guild, w.ann)
	if users := grant(t, src).Groups[w.forum]; !slices.Equal(users, both[1:]) {
		t.Errorf("%v", users)
	}
}

// A channel that is closed or opened is for others from the next account of readers
// on, and nothing that was said is asked for. A private thread is a folder of its own.
func TestChannelIsClosed(t *testing.T) {
	w := newWorld(t)
	w.fill(w.open, 12)
	secret := w.srv.AddChannel(discordtest.Channel{Name: "talk", Kind: discordtest.PrivateThread, Parent: w.open, Members: []string{w.bob, discordtest.BotUser}})
	w.srv.Say(secret, w.bob, "psst")
	config := Source{Public: "workspace", People: w.people(), Channels: []string{"general"}, PrivateThreads: true}
	h := hosttest.NewHost()
	w.sync(w.source(config), h)
	w.relay.Count("/messages")
	want := map[string]sdk.Access{w.open: {Workspace: true, Groups: []string{w.open}}, secret: {Groups: []string{secret}}}
	if diff := cmp.Diff(want, grant(t, w.source(config)).Folders); diff != "" {
		t.Error(diff)
	}
	for id, d := range h.Docs {
		in := w.open
		if strings.HasSuffix(id, secret) {
			in = secret
		}
		if !slices.Contains(d.Folders, in) || slices.Contains(d.Folders, secret) != (in == secret) || !cmp.Equal(want[in], d.Access) {
			t.Errorf("%s: %v %+v", id, d.Folders, d.Access)
		}
	}
	w.shut(w.open, true)
	second := grant(t, w.source(config))
	want[w.open] = sdk.Access{Groups: []string{w.open}}
	if diff := cmp.Diff(want, second.Folders); diff != "" || len(second.Groups[w.open]) != 0 {
		t.Errorf("readers %v, %s", second.Groups[w.open], diff)
	}
	if w.relay.Count("/messages") > 0 {
		t.Error("messages were asked for")
	}
}

// A channel that cannot be read any more is closed and never reads as emptied. When
// it is back its documents come again; under another name, with new titles.
func TestVanishedAndRenamed(t *testing.T) {
	w := newWorld(t)
	w.fill(w.open, 6)
	w.srv.Say(w.closed, w.ann, "a plan")
	config := Source{Channels: []string{"gen*", "all", w.closed}, Exclude: []string{"x"}}
	config.Channels = []string{"gen*", "al*", w.closed}
	h := hosttest.NewHost()
	w.sync(w.source(config), h)
	w.srv.SetOverwrite(w.closed, discordtest.Overwrite{ID: discordtest.BotRole, Allow: discordtest.ViewChannel, Deny: discordtest.ReadMessageHistory})
	wantError(t, "sync", w.source(config).sync(t.Context(), h.Cursor, h), "denied", w.closed, "Read Message History")
	if !slices.Equal(h.Closed, []string{w.closed}) {
		t.Errorf("closed: %v", h.Closed)
	}
	err := w.source(config).list(t.Context(), func(string) error { return nil })
	wantError(t, "list", err, "denied", "nothing is deleted", w.closed)
	w.srv.SetOverwrite(w.closed, discordtest.Overwrite{ID: discordtest.BotRole, Allow: discordtest.ViewChannel})
	w.srv.ChangeChannel(w.open, func(c *discordtest.Channel) { c.Name = "all" })
	h.Sent = 0
	w.sync(w.source(config), h)
	if h.Sent != 5 {
		t.Errorf("%d documents came again", h.Sent)
	}
	for id, d := range h.Docs {
		if strings.HasPrefix(id, w.open+"/") && !strings.HasPrefix(d.Title, "#all: ") {
			t.Errorf("%s: %s", id, d.Title)
		}
	}
}

// A channel that was for everybody and is out of reach is not named, which closes it;
// also where nothing is left to read and the account fails.
func TestOutOfReach(t *testing.T) {
	w := newWorld(t)
	w.fill(w.open, 6)
	h := hosttest.NewHost()
	w.sync(w.source(Source{Public: "public", Channels: []string{"gen*"}}), h)
	w.srv.SetOverwrite(w.open, discordtest.Overwrite{ID: discordtest.Guild, Deny: discordtest.ViewChannel})
	if got := grant(t, w.source(Source{Public: "public", Channels: []string{"gen*"}})); len(got.Folders) != 0 {
		t.Errorf("%v", got.Folders)
	}
	lost := hosttest.NewReaders()
	wantError(t, "named", w.source(Source{Public: "public", Channels: []string{"general"}}).grants(t.Context(), lost), "denied", "general")
	if len(lost.Folders) != 0 || !lost.Whole || lost.All {
		t.Errorf("%+v", lost)
	}
	w.sync(w.source(Source{Public: "public", Channels: []string{"gen*"}}), h)
	if !slices.Equal(h.Closed, []string{w.open}) {
		t.Errorf("closed: %v", h.Closed)
	}
}

// A long first sync looks who sees the channel meanwhile.
func TestClosedWhileItIsRead(t *testing.T) {
	w := newWorld(t)
	for range 250 {
		w.srv.Say(w.open, w.ann, "words")
		w.pass(11 * time.Minute)
	}
	pages := 0
	w.relay.Meanwhile(func(path string) {
		if strings.HasSuffix(path, w.open+"/messages") {
			if pages++; pages == 2 {
				w.srv.SetOverwrite(w.open, discordtest.Overwrite{ID: discordtest.BotRole, Allow: discordtest.ViewChannel})
				w.srv.SetOverwrite(w.open, discordtest.Overwrite{ID: discordtest.Guild, Deny: discordtest.ViewChannel})
				w.pass(2 * lookEvery)
			}
		}
	})
	h := hosttest.NewHost()
	w.sync(w.source(Source{Public: "public"}), h)
	open := 0
	for _, d := range h.Docs {
		if d.Access.Public {
			open++
		}
	}
	if len(h.Docs) != 250 || open == 0 || open > 110 {
		t.Errorf("%d documents, %d of them for everybody", len(h.Docs), open)
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	w.srv.Say(w.open, w.ann, "hello")
	err := w.source(Source{}).Check(t.Context())
	if err == nil || sdk.KindOf(err) != "" || !strings.Contains(err.Error(), "people is empty") {
		t.Errorf("check: %v", err)
	}
	if err := w.source(Source{People: w.people()}).Check(t.Context()); err != nil {
		t.Errorf("check with people: %v", err)
	}
	wantError(t, "another server", w.source(Source{Guilds: []string{"4242"}}).Check(t.Context()), "config", "4242")
	wantError(t, "no such channel", w.source(Source{Channels: []string{"nowhere"}}).Check(t.Context()), "config", "nowhere")
	w.srv.Fail("GET /channels/{channel}/messages", discordtest.Fault{Status: 429, Body: `{"message":"slow down","retry_after":7}`})
	wantError(t, "limit", w.source(Source{}).sync(t.Context(), nil, hosttest.NewHost()), "busy", "slow down")
	w.srv.Heal()
	w.srv.Outage(discordtest.Guild, true)
	wantError(t, "outage", w.source(Source{}).list(t.Context(), nil), "busy", "503")
	w.srv.Outage(discordtest.Guild, false)
	w.srv.SetPrivileged(0)
	wantError(t, "intent", w.source(Source{}).sync(t.Context(), nil, hosttest.NewHost()), "denied", "Message Content Intent")
	w.srv.SetToken("another")
	wantError(t, "sync", w.source(Source{}).sync(t.Context(), nil, hosttest.NewHost()), "auth", "the token was reset")
	wantError(t, "grants", w.source(Source{}).grants(t.Context(), nil), "auth", "the token was reset")
	wantError(t, "list", w.source(Source{}).list(t.Context(), nil), "auth", "the token was reset")
	wantError(t, "check", w.source(Source{}).Check(t.Context()), "auth", "the token was reset")
}
