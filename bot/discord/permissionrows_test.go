package discord

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// permissionCase is somebody before a channel or thread: what they may there, and
// what kind of place it is.
type permissionCase struct {
	Name       string            `json:"name"`
	Owner      bool              `json:"owner"`
	Outside    bool              `json:"outside"` // not in the server
	Left       bool              `json:"left"`    // was in it, and in the thread
	Timeout    bool              `json:"timeout"`
	Pending    bool              `json:"pending"`
	Everyone   *string           `json:"everyone"` // view, send and send_in_threads where it is missing
	Roles      map[string]string `json:"roles"`
	Has        []string          `json:"has"`
	Kind       string            `json:"kind"`     // of the channel; text where it is missing
	Category   *[]permissionRule `json:"category"` // the channel lies in one
	Overwrites *[]permissionRule `json:"overwrites"`
	Thread     string            `json:"thread"` // the place is one below the channel
	Joined     bool              `json:"joined"`
	Archived   bool              `json:"archived"`
	Locked     bool              `json:"locked"`
	Views      bool              `json:"views"`
	Sends      *bool             `json:"sends"` // missing where no event could tell
	Place      core.PlaceKind    `json:"place"`
	Above      core.PlaceKind    `json:"above"`
}

// permissionRule is an overwrite of everyone, me, other, or a role by its name.
type permissionRule struct{ Who, Allow, Deny string }

// TestPermissionRows builds each situation on the server and asks for it as the bot
// does, through the calls that Discord answers.
func TestPermissionRows(t *testing.T) {
	files, err := filepath.Glob("testdata/permissions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	rows := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var c permissionCase
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				t.Errorf("%s: %v in %s", file, err, line)
				continue
			}
			rows++
			t.Run(c.Name, c.check)
		}
	}
	if rows < 60 {
		t.Errorf("only %d rows", rows)
	}
}

func (c permissionCase) check(t *testing.T) {
	srv, a := testAPI(t, nil)
	guild, channel, me := c.build(t, srv)
	f := newFacts(a, time.Minute)
	at, err := f.spot(t.Context(), guild, channel)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.permissions(t.Context(), at, me)
	if err != nil {
		t.Fatal(err)
	}
	reads, err := f.reads(t.Context(), guild, channel, me)
	if err != nil || reads != c.Views || got.has(mayView) != c.Views {
		t.Errorf("views %v, want %v (%v)", reads, c.Views, err)
	}
	if c.Sends != nil && got.has(maySend) != *c.Sends {
		t.Errorf("sends %v, want %v", !*c.Sends, *c.Sends)
	}
	if srv.CanView(me, channel) != c.Views {
		t.Errorf("the server says that they see it: %v", !c.Views)
	}
	if kind, above := at.facts().Kind(); kind != c.Place || above != c.Above {
		t.Errorf("a place of kind %s under %q, want %s under %q", kind, above, c.Place, c.Above)
	}
}

// build makes the situation and returns the server, the place and who looks.
func (c permissionCase) build(t *testing.T, srv *discordtest.Server) (guild, place, me string) {
	me, other := srv.AddUser(discordtest.User{Name: "me"}), srv.AddUser(discordtest.User{Name: "other"})
	everyone := "view send send_in_threads"
	if c.Everyone != nil {
		everyone = *c.Everyone
	}
	info := discordtest.GuildInfo{Name: "rows", Owner: other, Everyone: rights(t, everyone), Bot: discordtest.Administrator}
	if c.Owner {
		info.Owner = me
	}
	guild = srv.AddGuild(info)
	ids := map[string]string{"everyone": guild, "me": me, "other": other}
	for name, what := range c.Roles {
		ids[name] = srv.AddRole(discordtest.Role{Guild: guild, Name: name, Permissions: rights(t, what)})
	}
	member := discordtest.Member{Guild: guild, User: me, Pending: c.Pending}
	for _, name := range c.Has {
		member.Roles = append(member.Roles, ids[name])
	}
	if c.Timeout {
		member.TimeoutUntil = srv.Clock().Now().Add(time.Hour)
	}
	if !c.Outside {
		srv.AddMember(member)
	}
	if !c.Owner {
		srv.AddMember(discordtest.Member{Guild: guild, User: other})
	}
	above := discordtest.Channel{Guild: guild, Name: "channel", Kind: kindOf(t, c.Kind), Overwrites: overwrites(t, ids, c.Overwrites)}
	if c.Category != nil {
		above.Parent = srv.AddChannel(discordtest.Channel{Guild: guild, Name: "category", Kind: discordtest.Category, Overwrites: overwrites(t, ids, c.Category)})
	}
	place = srv.AddChannel(above)
	if c.Thread == "" {
		return guild, place, me
	}
	in := []string{discordtest.BotUser}
	if c.Joined {
		in = append(in, me)
	}
	place = srv.AddChannel(discordtest.Channel{Guild: guild, Name: "thread", Kind: kindOf(t, c.Thread), Parent: place, Owner: discordtest.BotUser,
		Members: in, Archived: c.Archived, Locked: c.Locked})
	if c.Left {
		srv.RemoveMember(guild, me)
	}
	return guild, place, me
}

func kindOf(t *testing.T, name string) discordtest.Kind {
	t.Helper()
	kind, ok := map[string]discordtest.Kind{"": discordtest.Text, "voice": discordtest.Voice, "announcement": discordtest.Announcement,
		"forum": discordtest.Forum, "public": discordtest.PublicThread, "private": discordtest.PrivateThread, "news": discordtest.AnnouncementThread}[name]
	if !ok {
		t.Fatalf("%q is no kind of channel", name)
	}
	return kind
}

func rights(t *testing.T, names string) discordtest.Permission {
	t.Helper()
	p, ok := discordtest.ParsePermissions(names)
	if !ok {
		t.Fatalf("unknown permission in %q", names)
	}
	return p
}

// overwrites is nil for none, so that a channel takes those of its category.
func overwrites(t *testing.T, ids map[string]string, rules *[]permissionRule) []discordtest.Overwrite {
	t.Helper()
	if rules == nil {
		return nil
	}
	out := []discordtest.Overwrite{}
	for _, r := range *rules {
		if ids[r.Who] == "" {
			t.Fatalf("nobody is %q", r.Who)
		}
		out = append(out, discordtest.Overwrite{ID: ids[r.Who], Member: r.Who == "me" || r.Who == "other", Allow: rights(t, r.Allow), Deny: rights(t, r.Deny)})
	}
	return out
}
