package plugins

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func grantOf(id string, a *wire.Access) *wire.GrantsEvent {
	return &wire.GrantsEvent{Event: &wire.GrantsEvent_Grant{Grant: &wire.Grant{Document: id, Access: a}}}
}

func groupOf(g *wire.Group) *wire.GrantsEvent {
	return &wire.GrantsEvent{Event: &wire.GrantsEvent_Group{Group: g}}
}

func folderOf(id string, a *wire.Access) *wire.GrantsEvent {
	return &wire.GrantsEvent{Event: &wire.GrantsEvent_Folder{Folder: &wire.FolderGrant{Folder: id, Access: a}}}
}

func TestToAccessChange(t *testing.T) {
	for name, row := range map[string]struct {
		event *wire.GrantsEvent
		want  core.AccessChange
	}{
		"nobody":            {grantOf("a", nil), core.Readers{ExternalID: "a", Access: core.Access{}}},
		"left to the host":  {grantOf("a", &wire.Access{Host: true, Public: true}), core.Readers{ExternalID: "a", HostAccess: true}},
		"a bad reader":      {grantOf("a", &wire.Access{Public: true, Users: []string{"ann"}}), core.Readers{ExternalID: "a"}},
		"public":            {grantOf("a", &wire.Access{Public: true}), core.Readers{ExternalID: "a", Access: core.Access{core.Public}}},
		"group in a group":  {groupOf(&wire.Group{Name: "A", Groups: []string{"A", "", "B/c"}}), core.GroupMembers{Source: "s", Name: "A", Groups: []core.Principal{"group:s/a", "group:s/b/c"}}},
		"bad member":        {groupOf(&wire.Group{Name: "A", Users: []string{"ann", " bob@example.com "}}), core.GroupMembers{Source: "s", Name: "A", Users: []string{"bob@example.com"}}},
		"folder":            {folderOf("F", &wire.Access{Public: true}), core.FolderReaders{Folder: "F", Access: core.Access{core.Public}}},
		"nobody's folder":   {folderOf("F", nil), core.FolderReaders{Folder: "F", Access: core.Access{}}},
		"a bad folder":      {folderOf("F", &wire.Access{Users: []string{"ann"}}), core.FolderReaders{Folder: "F"}},
		"the host's folder": {folderOf("F", &wire.Access{Host: true}), core.FolderReaders{Folder: "F"}},
		"all folders":       {&wire.GrantsEvent{Event: &wire.GrantsEvent_FoldersComplete{}}, core.FoldersWhole{}},
		"removed":           {groupOf(&wire.Group{Name: "A", Users: []string{"a@example.com"}, Removed: true}), core.GroupRemoval{Name: "A"}},
		"of a later kind":   {&wire.GrantsEvent{}, nil},
		"members of nobody": {groupOf(&wire.Group{Name: "A"}), core.GroupMembers{Source: "s", Name: "A"}},
	} {
		got, err := toAccessChange("s", row.event)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, event := range map[string]*wire.GrantsEvent{
		"no id":        grantOf("", nil),
		"control":      grantOf("a\nb", nil),
		"no folder":    folderOf("", nil),
		"nameless":     groupOf(&wire.Group{Name: " "}),
		"long name":    groupOf(&wire.Group{Name: strings.Repeat("x", maxID+1)}),
		"large cursor": {Event: &wire.GrantsEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: make([]byte, wire.MaxCursor+1)}}},
	} {
		if got, err := toAccessChange("s", event); err == nil || got != nil || !strings.Contains(err.Error(), `source "s"`) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}
