package discord

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func TestInstallLink(t *testing.T) {
	if InstallPermissions != 309237763136 {
		t.Errorf("permissions %d", InstallPermissions)
	}
	u, err := url.Parse(InstallLink("2001"))
	if err != nil || u.Query().Get("scope") != "bot applications.commands" || u.Query().Get("permissions") != "309237763136" || u.Query().Get("client_id") != "2001" {
		t.Errorf("%v, %v", u, err)
	}
}

// Pain 47: commands stand in one scope, and are written only when they changed.
func TestCommandsStandInOneScope(t *testing.T) {
	w := newWorld(t, nil)
	if !slices.Contains(w.Commands(""), "ask") || len(w.Commands(discordtest.Guild)) != 0 {
		t.Fatalf("global %v, guild %v", w.Commands(""), w.Commands(discordtest.Guild))
	}
	const put = "PUT /applications/{app}/commands"
	w.until("a note", func() bool { _, ok := w.bot.apps[0].lastRegistered(t.Context(), discordtest.AppID); return ok })
	before := len(w.Calls(put))
	w.stop()
	w.start(nil)
	w.settled()
	if n := len(w.Calls(put)); n != before {
		t.Errorf("written %d times more", n-before)
	}
	if err := w.bot.apps[0].api.putCommands(t.Context(), discordtest.AppID, "", nil); err != nil {
		t.Fatal(err) // another program with the same token
	}
	w.stop()
	w.start(nil)
	w.Eventually("the commands that were lost", func() bool { return len(w.Commands("")) == len(definitions()) })
	w.settled()
	w.stop()
	w.start(func(o *Options) { o.Apps[0].DevGuild = discordtest.Guild })
	w.Eventually("the other scope", func() bool {
		return len(w.Commands("")) == 0 && len(w.Commands(discordtest.Guild)) == len(definitions())
	})
	w.settled()
	w.stop()
	w.start(nil)
	w.Eventually("the first scope", func() bool {
		return len(w.Commands("")) == len(definitions()) && len(w.Commands(discordtest.Guild)) == 0
	})
}

func TestDefinitions(t *testing.T) {
	list := definitions()
	a, err := commandHash(list)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := commandHash(definitions()); a != b {
		t.Error("the hash changes by itself")
	}
	list[0].Description += "."
	if b, _ := commandHash(list); a == b {
		t.Error("the hash does not change with a command")
	}
	var subs []string
	for _, c := range list {
		if c.Contexts == nil || c.IntegrationTypes == nil || len(*c.IntegrationTypes) != 1 {
			t.Errorf("%s has no contexts", c.Name)
		}
		if c.NameLocalizations == nil && c.Name != commandFootnote {
			t.Errorf("%s has no other names", c.Name)
		}
		for _, o := range c.Options {
			if o.DescriptionLocalizations == nil {
				t.Errorf("%s %s has no translations", c.Name, o.Name)
			}
			for l, text := range o.DescriptionLocalizations {
				if utf8.RuneCountInString(text) > 100 {
					t.Errorf("%s %s in %s is too long", c.Name, o.Name, l)
				}
			}
			if c.Name == commandFootnote {
				subs = append(subs, o.Name)
			}
		}
	}
	for name := range verbs {
		if !slices.Contains(subs, name) {
			t.Errorf("/footnote %s is not told to Discord", name)
		}
	}
	if len(subs) != len(verbs) {
		t.Errorf("subcommands %v", subs)
	}
}

func (w *world) command(user, path string, options discordtest.Options) string {
	w.t.Helper()
	before := len(w.Ephemerals(user))
	w.Slash(w.general, user, path, options)
	w.Eventually("a reply", func() bool { l := w.Ephemerals(user); return len(l) > before && l[len(l)-1].Content != "" })
	w.settled()
	l := w.Ephemerals(user)
	return l[len(l)-1].Content
}

func TestFootnoteCommands(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.set(w.general, bot.Settings{Agent: "legal"})
	for _, c := range []struct {
		name, user, path string
		options          discordtest.Options
		want             string
	}{
		{"help", w.bob, "footnote help", nil, "What I do here"},
		{"status", w.bob, "footnote status", nil, "handbook: fresh"},
		{"sources", w.bob, "footnote sources", nil, "handbook"},
		{"whoami", w.bob, "footnote whoami", nil, "do not know which person"},
		{"whoami, linked", w.ann, "footnote whoami", nil, "ann@example.com"},
		{"link", w.bob, "footnote link", discordtest.Options{"code": "GOOD"}, "ann@example.com"},
		{"link with a wrong code", w.bob, "footnote link", discordtest.Options{"code": "BAD"}, "wrong or too old"},
		{"config of a member", w.bob, "footnote config", nil, "may manage the server"},
		{"config", discordtest.Owner, "footnote config", nil, "agent: legal"},
		{"config of a key", discordtest.Owner, "footnote config", discordtest.Options{"key": "agent", "value": "default"}, "agent is now default"},
		{"a key alone", discordtest.Owner, "footnote config", discordtest.Options{"key": "agent"}, "to what"},
		{"enable", discordtest.Owner, "footnote enable", discordtest.Options{"mode": "all"}, "mode is now all"},
		{"disable", discordtest.Owner, "footnote disable", nil, "mode is now off"},
		{"disable of a member", w.bob, "footnote disable", nil, "may manage the server"},
		{"setup", discordtest.Owner, "footnote setup", nil, "set up already"},
		{"doctor", discordtest.Owner, "footnote doctor", nil, "✓ token"},
		{"doctor of a member", w.bob, "footnote doctor", nil, "may manage the server"},
	} {
		if got := w.command(c.user, c.path, c.options); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	if want := []string{"discord:1001/" + w.general + " agent=default", "discord:1001/" + w.general + " mode=all", "discord:1001/" + w.general + " mode=off"}; !slices.Equal(w.mem.changed, want) {
		t.Errorf("changed %v", w.mem.changed)
	}
}

func TestConfiguredAdminsMayConfigure(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Admins = []string{"77"} })
	if got := w.command(w.hal, "footnote config", nil); !strings.Contains(got, "may manage") {
		t.Errorf("got %q", got)
	}
	w.stop()
	w.start(func(o *Options) { o.Apps[0].Admins = []string{w.support} })
	if got := w.command(w.hal, "footnote config", nil); !strings.Contains(got, "Settings of this channel") {
		t.Errorf("got %q", got)
	}
}

func TestServersAreBoundByACodeOfTheOwner(t *testing.T) {
	var b *Bindings
	w := newWorld(t, func(o *Options) {
		b = NewBindings(o.Notes, nil)
		o.Apps[0].Guilds, o.Binder = nil, b
	})
	if got := w.command(w.bob, "footnote setup", nil); !strings.Contains(got, "may manage") {
		t.Errorf("got %q", got)
	}
	got := w.command(discordtest.Owner, "footnote setup", nil)
	_, rest, _ := strings.Cut(got, "`footnote discord bind ")
	code, _, _ := strings.Cut(rest, "`")
	if bound, _ := b.Bound(t.Context(), discordtest.Guild); bound || code == "" {
		t.Fatalf("bound %v by %q", bound, got)
	}
	if len(w.FromBot(w.general)) != 0 {
		t.Error("the code stands in the channel")
	}
	if _, err := b.Confirm(t.Context(), "WRONG"); core.KindOf(err) != core.KindNotFound {
		t.Errorf("a wrong code: %v", err)
	}
	one, err := b.Confirm(t.Context(), " "+strings.ToLower(code)+" ")
	if err != nil || one.Guild != discordtest.Guild || one.Name != "acme" {
		t.Fatalf("%+v, %v", one, err)
	}
	if _, err := b.Confirm(t.Context(), code); core.KindOf(err) != core.KindNotFound {
		t.Errorf("a code works twice: %v", err)
	}
	w.works()
	if err := b.Release(t.Context(), discordtest.Guild); err != nil {
		t.Error(err)
	}
	if bound, _ := b.Bound(t.Context(), discordtest.Guild); bound {
		t.Error("still bound")
	}
}

func TestBindingCodesEnd(t *testing.T) {
	now := time.Now()
	b := NewBindings(newMemory(), func() time.Time { return now })
	code, _, err := b.Begin(t.Context(), "1", "acme", core.Account{})
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(16 * time.Minute)
	if _, err := b.Confirm(t.Context(), code); core.KindOf(err) != core.KindNotFound {
		t.Errorf("got %v", err)
	}
}

func TestDoctor(t *testing.T) {
	w := newWorld(t, nil)
	w.until("a note", func() bool { _, ok := w.bot.apps[0].lastRegistered(t.Context(), discordtest.AppID); return ok })
	mute := w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "mute", Overwrites: []discordtest.Overwrite{
		{ID: discordtest.BotUser, Member: true, Deny: discordtest.SendMessages}}})
	thread := w.StartThread(w.ann, w.Say(mute, w.ann, "x"), "under mute")
	for _, c := range w.bot.Doctor(t.Context(), []string{placeID(discordtest.Guild, w.general), placeID(discordtest.Guild, mute), placeID(discordtest.Guild, thread), "slack:T1/C1"}) {
		bad := strings.Contains(c.Name, "channel mute")
		if c.OK == bad || c.OK != (c.Fix == "") || c.Detail == "" {
			t.Errorf("%+v", c)
		}
	}
	idle, err := New(w.bot.apps[0].opts) // as a command does beside the running bot
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range idle.Doctor(t.Context(), nil) {
		if !c.OK {
			t.Errorf("without a connection: %+v", c)
		}
	}
	text := w.bot.apps[0].doctorText(t.Context(), interaction{}, request{guild: discordtest.Guild, channel: w.general}, nil)
	if link := InstallLink(discordtest.AppID); !strings.Contains(text, link) {
		t.Errorf("the link %s is not in\n%s", link, text)
	}
	a := w.bot.apps[0]
	a.config.Content = true
	a.config.DevGuild = discordtest.Guild
	failed := map[string]bool{}
	for _, c := range a.checks(t.Context(), nil) {
		if !c.OK {
			failed[c.Name] = true
		}
	}
	if !failed["message content intent"] || !failed["commands"] || len(failed) != 2 {
		t.Errorf("failed %v", failed)
	}
	w.SetToken("another")
	if got := a.checks(t.Context(), nil); len(got) != 1 || got[0].OK {
		t.Errorf("got %+v", got)
	}
	w.stop()
}

func TestTwoApplicationsNeedTwoTokens(t *testing.T) {
	w := newWorld(t, nil)
	o := w.bot.opts
	o.Apps = []App{{Name: "a", Token: "x"}, {Name: "b", Token: "Bot x"}}
	if _, err := New(o); core.KindOf(err) != core.KindConfig {
		t.Errorf("got %v", err)
	}
	if discordgo.PermissionManageGuild != int64(mayManage) {
		t.Error("the constants are others")
	}
}
