package discordtest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

type permissionRow struct {
	Name       string            `json:"name"`
	Owner      bool              `json:"owner"`
	Everyone   string            `json:"everyone"`
	Roles      map[string]string `json:"roles"`
	Overwrites []struct {
		ID     string `json:"id"`
		Member bool   `json:"member"`
		Allow  string `json:"allow"`
		Deny   string `json:"deny"`
	} `json:"overwrites"`
	Thread  bool   `json:"thread"`
	Private bool   `json:"private"`
	In      bool   `json:"in"`
	Timeout bool   `json:"timeout"`
	Want    string `json:"want"`
}

// TestEffective holds the computation of permissions against rows; the guild is
// 1 and the member 7.
func TestEffective(t *testing.T) {
	files, err := filepath.Glob("testdata/permissions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var row permissionRow
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&row); err != nil {
				t.Errorf("%s: %v in %s", file, err, line)
				continue
			}
			t.Run(row.Name, row.check)
		}
	}
}

func (row permissionRow) check(t *testing.T) {
	read := func(names string) discordtest.Permission {
		if names == "all" {
			return discordtest.AllPermissions
		}
		p, ok := discordtest.ParsePermissions(names)
		if !ok {
			t.Fatalf("unknown permission in %q", names)
		}
		return p
	}
	f := discordtest.Facts{Owner: row.Owner, Everyone: read(row.Everyone), Roles: map[string]discordtest.Permission{}, Guild: "1", User: "7",
		Thread: row.Thread, Private: row.Private, InThread: row.In, TimedOut: row.Timeout}
	for id, names := range row.Roles {
		f.Roles[id] = read(names)
	}
	for _, o := range row.Overwrites {
		f.Overwrites = append(f.Overwrites, discordtest.Overwrite{ID: o.ID, Member: o.Member, Allow: read(o.Allow), Deny: read(o.Deny)})
	}
	if got, want := discordtest.Effective(f), read(row.Want); got != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestBitsAreDiscords compares the numbers with those of the client.
func TestBitsAreDiscords(t *testing.T) {
	for _, row := range []struct {
		got  discordtest.Permission
		want int64
	}{
		{discordtest.Administrator, discordgo.PermissionAdministrator}, {discordtest.ViewChannel, discordgo.PermissionViewChannel},
		{discordtest.ManageThreads, discordgo.PermissionManageThreads}, {discordtest.SendMessagesInThreads, discordgo.PermissionSendMessagesInThreads},
		{discordtest.CreatePublicThreads, discordgo.PermissionCreatePublicThreads}, {discordtest.UseCommands, discordgo.PermissionUseApplicationCommands},
		{discordtest.MentionEveryone, discordgo.PermissionMentionEveryone}, {discordtest.ManageGuild, discordgo.PermissionManageGuild},
		{discordtest.ReadMessageHistory, discordgo.PermissionReadMessageHistory}, {discordtest.ModerateMembers, discordgo.PermissionModerateMembers},
		{discordtest.BotDefault, discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
			discordgo.PermissionCreatePublicThreads | discordgo.PermissionEmbedLinks | discordgo.PermissionAttachFiles |
			discordgo.PermissionReadMessageHistory | discordgo.PermissionAddReactions},
	} {
		if int64(row.got) != row.want {
			t.Errorf("%v is %d, discordgo has %d", row.got, row.got, row.want)
		}
	}
}

// TestCanView follows a guild through changes.
func TestCanView(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	staff := srv.AddRole(discordtest.Role{Name: "staff"})
	ann, bob := srv.Join("ann", staff), srv.Join("bob")
	closed := []discordtest.Overwrite{{ID: discordtest.Guild, Deny: discordtest.ViewChannel}, {ID: staff, Allow: discordtest.ViewChannel}}
	area := srv.AddChannel(discordtest.Channel{Name: "area", Kind: discordtest.Category, Overwrites: closed})
	room := srv.AddChannel(discordtest.Channel{Name: "room", Parent: area})
	thread := srv.AddChannel(discordtest.Channel{Name: "talk", Kind: discordtest.PublicThread, Parent: room})
	secret := srv.AddChannel(discordtest.Channel{Name: "secret", Kind: discordtest.PrivateThread, Parent: room, Members: []string{bob}})
	sees := func(want bool, user string, channels ...string) {
		t.Helper()
		for _, c := range channels {
			if srv.CanView(user, c) != want {
				ch, _ := srv.Channel(c)
				t.Errorf("sees %s: want %v", ch.Name, want)
			}
		}
	}
	sees(true, ann, room, thread)
	sees(false, ann, secret) // no member
	sees(false, bob, room, thread, secret)
	sees(true, discordtest.Owner, room, thread, secret)
	srv.GiveRole(bob, staff)
	sees(true, bob, room, thread, secret)
	srv.RemoveFromThread(secret, bob)
	sees(false, bob, secret)
	srv.Timeout(bob, time.Hour)
	if p := srv.Permissions(bob, room); p != discordtest.ViewChannel|discordtest.ReadMessageHistory {
		t.Errorf("timed out: %v", p)
	}
	srv.Clock().Advance(time.Hour)
	if !srv.Permissions(bob, room).Has(discordtest.SendMessages) {
		t.Error("the timeout did not end")
	}
	srv.RemoveMember(discordtest.Guild, ann)
	sees(false, ann, room, thread)
	if got := srv.Viewers(room); len(got) != 2 {
		t.Errorf("viewers of room: %v, want owner and bob", got)
	}
}
