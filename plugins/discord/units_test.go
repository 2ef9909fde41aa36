package discord

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func TestMarkdown(t *testing.T) {
	known := func(of map[string]string) func(string) string { return func(id string) string { return of[id] } }
	of := names{user: known(map[string]string{"1": "Ann"}), role: known(map[string]string{"2": "staff"}), channel: known(map[string]string{"3": "general"})}
	hosttest.Rows(t, "markdown", func(t *testing.T, row struct{ Text, Want, Plain string }) {
		if got := markdown(row.Text, of); got != row.Want {
			t.Errorf("got  %q\nwant %q", got, row.Want)
		}
		if got := plainText(row.Text, of); row.Plain != "" && got != row.Plain {
			t.Errorf("plain: %q, want %q", got, row.Plain)
		}
	})
}

// Each row has messages as minutes of an hour and lengths of texts, and how many
// of them each window takes.
func TestWindows(t *testing.T) {
	hosttest.Rows(t, "windows", func(t *testing.T, row struct {
		At   []float64
		Size int
		Want []int
	}) {
		var list []message
		for _, minutes := range row.At {
			list = append(list, message{id: snowflake(minutes * 60 * float64(second)), text: string(bytes.Repeat([]byte("a"), row.Size))})
		}
		got := windows(list)
		for n := range max(len(got), len(row.Want)) {
			if n >= len(got) || n >= len(row.Want) || len(got[n]) != row.Want[n] {
				t.Fatalf("window %d of %d: want %v", n, len(got), row.Want)
			}
		}
	})
}

// overwrite is one of everyone, me, other, or a role by its name.
type overwrite struct{ Who, Allow, Deny string }

func bits(words string) int64 {
	of := map[string]int64{"view": mayView, "read": mayRead, "threads": mayThreads, "all": mayAll}
	var out int64
	for _, w := range strings.Fields(words) {
		out |= of[w]
	}
	return out
}

// Each row is somebody before a channel, or a private thread below it, and whether
// they read it.
func TestPermissions(t *testing.T) {
	hosttest.Rows(t, "permissions", func(t *testing.T, row struct {
		Everyone   *string
		Roles      map[string]string
		Has        []string
		Owner      bool
		Nobody     bool // @everyone, not a person
		Overwrites []overwrite
		Private    bool
		Inside     bool
		Reads      bool
	}) {
		everyone := "view read"
		if row.Everyone != nil {
			everyone = *row.Everyone
		}
		g := &discordgo.Guild{ID: "g", OwnerID: "boss", Roles: []*discordgo.Role{{ID: "g", Permissions: bits(everyone)}}}
		for id, words := range row.Roles {
			g.Roles = append(g.Roles, &discordgo.Role{ID: id, Permissions: bits(words)})
		}
		h := holder{user: "me", roles: row.Has}
		switch {
		case row.Owner:
			h.user = "boss"
		case row.Nobody:
			h = holder{}
		}
		var list []*discordgo.PermissionOverwrite
		for _, o := range row.Overwrites {
			one := &discordgo.PermissionOverwrite{ID: o.Who, Allow: bits(o.Allow), Deny: bits(o.Deny)}
			switch o.Who {
			case "everyone":
				one.ID = "g"
			case "me", "other":
				one.Type = discordgo.PermissionOverwriteTypeMember
			}
			list = append(list, one)
		}
		if got := reads(permissions(g, h, list), row.Private, row.Inside); got != row.Reads {
			t.Errorf("reads: %v", got)
		}
	})
}

func TestSettings(t *testing.T) {
	for _, row := range []struct {
		name, field string
		src         Source
	}{
		{"no token", "token", Source{}},
		{"a bad expression", "exclude", Source{Token: "x", Exclude: []string{"/(/"}}},
		{"an empty name", "channels", Source{Token: "x", Channels: []string{"#"}}},
		{"a server by name", "guilds", Source{Token: "x", Guilds: []string{"acme"}}},
		{"no address", "people", Source{Token: "x", People: map[string]string{"1": "ann"}}},
		{"a person by name", "people", Source{Token: "x", People: map[string]string{"ann": "ann@example.com"}}},
		{"too many days", "days", Source{Token: "x", Days: 1000}},
		{"too slow", "rate", Source{Token: "x", Rate: -1}},
		{"the token in the clear", "api_url", Source{Token: "x", ApiURL: "http://discord.example.com"}},
		{"a path in the address", "api_url", Source{Token: "x", ApiURL: "https://discord.example.com/x"}},
	} {
		wantError(t, row.name, row.src.Start(t.Context(), nil), "config", row.field+": ")
	}
	src := Source{Token: "x"}
	if err := src.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{"nonsense", "null", `{"r":{"1":null}}`, `{"s":1}`} {
		if got := src.readCursor(sdk.Cursor(cursor)); got.Rooms == nil || got.Settings != src.settings() {
			t.Errorf("%s: %+v", cursor, got)
		}
	}
}
