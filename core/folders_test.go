package core_test

import (
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestToldFolders(t *testing.T) {
	told := core.ToldFolders{"server": core.NewAccess(core.Workspace), "room": core.NewAccess("group:s/room"), "shut": {}}
	for _, row := range []struct {
		folders []string
		folder  string
		want    core.Access
		ok      bool
	}{
		{nil, "", nil, false},
		{[]string{"elsewhere"}, "", nil, false},
		{[]string{"server", "#name"}, "server", told["server"], true},
		{[]string{"server", "room", "#name"}, "room", told["room"], true},
		{[]string{"shut", "room"}, "shut", core.Access{}, true},
		{[]string{"server", "room", "shut"}, "shut", core.Access{}, true},
	} {
		folder, got, ok := told.Of(row.folders)
		if folder != row.folder || ok != row.ok || !slices.Equal(got, row.want) {
			t.Errorf("%v: %q %v %v", row.folders, folder, got, ok)
		}
	}
}

func TestWithin(t *testing.T) {
	list := func(p ...core.Principal) core.Access { return core.NewAccess(p...) }
	const room, other = core.Principal("group:s/room"), core.Principal("group:s/other")
	for _, row := range []struct{ stated, limit, want core.Access }{
		{list(core.Public), list(core.Public), list(core.Public)},
		{list(core.Public), list(core.Workspace, room), list(core.Workspace, room)},
		{list(core.Public), list(), list()},
		{list(room), list(core.Public), list(room)},
		{list(core.Workspace, room), list(room), list(room)},
		{list(room), list(core.Workspace, room), list(room)},
		{list(room, other), list(room), list(room)},
		{list(other), list(room), list()},
		{list(core.Workspace), list(room), list()},
		{list(), list(core.Public), list()},
	} {
		if got := row.stated.Within(row.limit); !slices.Equal(got, row.want) {
			t.Errorf("%v within %v: %v", row.stated, row.limit, got)
		}
	}
}
