package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// A pass counts only for the settings, and in the order, that it was begun with.
func TestPassesThatNoLongerCount(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile func(*testing.T, *Store)
		want      core.Kind
	}{
		"nothing happens": {func(*testing.T, *Store) {}, ""},
		"another pass begins": {func(t *testing.T, s *Store) {
			_, err := s.BeginAccess(t.Context(), "handbook", false)
			check(t, err)
		}, core.KindConflict},
		"other settings": {func(t *testing.T, s *Store) {
			src := handbookSource(core.Workspace)
			src.Config = []byte(`{"dir":"elsewhere"}`)
			check(t, s.PutSource(t.Context(), src))
		}, core.KindConflict},
		"the source is removed": {func(t *testing.T, s *Store) { check(t, s.RemoveSource(t.Context(), "handbook")) }, core.KindNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
			state, err := s.BeginAccess(t.Context(), "handbook", false)
			check(t, err)
			test.meanwhile(t, s)
			_, err = s.CommitAccess(t.Context(), core.AccessBatch{Source: "handbook", Pass: state.Pass,
				Groups: []core.GroupMembers{{Source: "handbook", Name: "hr", Users: []string{"ann@x.org"}}}, Whole: &core.AccessWhole{AllGroups: true}})
			if core.KindOf(err) != test.want {
				t.Fatalf("got %v, want kind %q", err, test.want)
			}
			m, err := s.Memberships(t.Context(), []string{"ann@x.org"}, time.Now())
			check(t, err)
			if got := len(m.Groups) + len(m.Stale); (got == 1) != (test.want == "") {
				t.Fatalf("%d groups", got)
			}
		})
	}
}

// Groups of another source cannot be told, whatever a batch says.
func TestPassesTellTheirOwnGroupsOnly(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	state, err := s.BeginAccess(t.Context(), "handbook", false)
	check(t, err)
	for _, g := range []core.GroupMembers{
		{Source: "wiki", Name: "hr", Users: []string{"eve@x.org"}},
		{Source: core.ConfigGroups, Name: "hr", Users: []string{"eve@x.org"}},
		{Source: "handbook", Name: " "},
		{Source: "handbook", Name: "hr", Groups: []core.Principal{core.Public}},
	} {
		if _, err := s.CommitAccess(t.Context(), core.AccessBatch{Source: "handbook", Pass: state.Pass, Groups: []core.GroupMembers{g}}); core.KindOf(err) != core.KindInvalid {
			t.Errorf("%+v: %v", g, err)
		}
	}
	big := make(core.Cursor, maxCursor+1)
	if _, err := s.CommitAccess(t.Context(), core.AccessBatch{Source: "handbook", Pass: state.Pass, Cursor: &big}); core.KindOf(err) != core.KindInvalid {
		t.Error(err)
	}
}
