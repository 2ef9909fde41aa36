package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// group is a group whose members are written as principals or as addresses.
func group(source, name string, members ...string) core.GroupMembers {
	g := core.GroupMembers{Source: source, Name: name}
	for _, m := range members {
		if p, err := core.ParsePrincipal(m); err == nil && isGroup(p) {
			g.Groups = append(g.Groups, p)
		} else {
			g.Users = append(g.Users, m)
		}
	}
	return g
}

func replace(t testing.TB, s *Store, source string, checked time.Time, groups ...core.GroupMembers) {
	t.Helper()
	check(t, s.ReplaceGroups(t.Context(), source, groups, checked))
}

func in(t testing.TB, s *Store, now time.Time, emails ...string) string {
	t.Helper()
	m, err := s.Memberships(t.Context(), emails, now)
	check(t, err)
	return fmt.Sprint(m.Groups, m.Stale)
}

func TestMemberships(t *testing.T) {
	s := open(t, t.TempDir())
	replace(t, s, "a", noon,
		group("a", "Engineers", " Ann@X.org ", "group:A/leads"),
		group("a", "Leads", "bob@x.org"),
		group("a", "Self", "group:a/self", "cy@x.org"),
		group("a", "Left", "group:a/right"), group("a", "Right", "group:a/left", "dan@x.org"),
		group("a", "Empty"))
	replace(t, s, "b", noon, group("b", "all/staff", "group:a/ENGINEERS", "group:nowhere/x"))
	for email, want := range map[string]string{
		"ANN@x.org":  "[group:a/engineers group:b/all/staff] []",
		"bob@x.org":  "[group:a/engineers group:a/leads group:b/all/staff] []",
		"cy@x.org":   "[group:a/self] []",
		"dan@x.org":  "[group:a/left group:a/right] []",
		"eve@x.org":  "[] []",
		"":           "[] []",
		"nowhere/x":  "[] []",
		"a/self":     "[] []",
		"%@x.org":    "[] []",
		"ann@x.org ": "[group:a/engineers group:b/all/staff] []",
	} {
		diff(t, want, in(t, s, noon, email))
	}
	diff(t, "[] []", in(t, s, noon))
	diff(t, "[group:a/engineers group:a/self group:b/all/staff] []", in(t, s, noon, "cy@x.org", "ann@x.org"))

	// What is not told again is gone; the other source's list stays as it is.
	replace(t, s, "a", noon, group("a", "engineers", "cy@x.org"))
	diff(t, "[] []", in(t, s, noon, "ann@x.org", "bob@x.org", "dan@x.org"))
	diff(t, "[group:a/engineers group:b/all/staff] []", in(t, s, noon, "cy@x.org"))
	check(t, s.PutGroup(t.Context(), group("a", "New", "ann@x.org")))
	diff(t, "[group:a/new] []", in(t, s, noon, "ann@x.org"))
	check(t, s.RemoveGroup(t.Context(), "group:A/New"))
	wantKind(t, s.RemoveGroup(t.Context(), "group:a/new"), core.KindNotFound)
	diff(t, "[] []", in(t, s, noon, "ann@x.org"))
}

func TestStaleGroupsCountForNobody(t *testing.T) {
	s := open(t, t.TempDir())
	replace(t, s, "old", noon.Add(-24*time.Hour-1000), group("old", "team", "ann@x.org"), group("old", "both", "group:new/team"))
	replace(t, s, "new", noon, group("new", "team", "ann@x.org"), group("new", "by-old", "group:old/team"),
		group("new", "two-ways", "group:old/team", "group:new/team"))
	replace(t, s, core.ConfigGroups, time.UnixMicro(1), group(core.ConfigGroups, "ours", "ann@x.org", "group:old/team"))
	diff(t, "[group:config/ours group:new/team group:new/two-ways] [group:new/by-old group:old/both group:old/team]",
		in(t, s, noon, "ann@x.org"))

	diff(t, "[group:config/ours group:new/by-old group:new/team group:new/two-ways group:old/both group:old/team] []",
		in(t, s, noon.Add(-time.Hour), "ann@x.org"))
	check(t, s.SetGroupsMaxAge(t.Context(), "old", 25*time.Hour))
	diff(t, "[group:config/ours group:new/by-old group:new/team group:new/two-ways group:old/both group:old/team] []",
		in(t, s, noon, "ann@x.org"))
	check(t, s.SetGroupsMaxAge(t.Context(), "old", time.Hour))
	check(t, s.SetGroupsMaxAge(t.Context(), "new", 1000*time.Hour))
	check(t, s.SetGroupsMaxAge(t.Context(), "later", 0))
	states, err := s.GroupStates(t.Context())
	check(t, err)
	diff(t, []core.GroupState{
		{Source: "config", Checked: time.UnixMicro(1).UTC(), MaxAge: 1<<63 - 1},
		{Source: "later", MaxAge: core.DefaultMaxAge},
		{Source: "new", Checked: noon, MaxAge: core.LongestMaxAge},
		{Source: "old", Checked: noon.Add(-24*time.Hour - time.Microsecond), MaxAge: time.Hour},
	}, states)
	if !states[0].Fresh(noon) || states[1].Fresh(noon) {
		t.Fatal("freshness of config or of a source that never told")
	}

	// One group does not speak for all, except in footnote.yaml.
	check(t, s.PutGroup(t.Context(), group("later", "one", "bob@x.org")))
	diff(t, "[] [group:later/one]", in(t, s, noon, "bob@x.org"))
	replace(t, s, "later", noon, group("later", "one", "bob@x.org"))
	diff(t, "[group:later/one] []", in(t, s, noon, "bob@x.org"))
}

func TestConfigGroupsAreFreshAtOnce(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutGroup(t.Context(), group(core.ConfigGroups, "ours", "ann@x.org")))
	diff(t, "[group:config/ours] []", in(t, s, noon.Add(1e6*time.Hour), "ann@x.org"))
	states, err := s.GroupStates(t.Context())
	check(t, err)
	if !states[0].Fresh(time.Now().Add(1e6 * time.Hour)) {
		t.Fatalf("%+v", states)
	}
}

func TestGroupsAsTold(t *testing.T) {
	s := open(t, t.TempDir())
	replace(t, s, "a", noon,
		group("a", "Ops", "Bob@x.org", "ann@x.org"), group("a", "Ops", "ann@x.org", "", "group:b/y"), group("a", "None"))
	ops := core.GroupMembers{Source: "a", Name: "Ops", Users: []string{"ann@x.org", "bob@x.org"}, Groups: []core.Principal{"group:b/y"}}
	got, err := s.Group(t.Context(), "group:A/OPS")
	check(t, err)
	diff(t, ops, got)
	all, err := s.Groups(t.Context(), "a")
	check(t, err)
	diff(t, []core.GroupMembers{{Source: "a", Name: "None"}, ops}, all)
	_, err = s.Group(t.Context(), "group:a/no")
	wantKind(t, err, core.KindNotFound)

	for _, wrong := range [][]core.GroupMembers{
		{group("b", "x")}, {group("a", " ")}, {group("a", "x"), group("a", "X")},
		{{Source: "a", Name: "x", Groups: []core.Principal{"workspace"}}},
		{{Source: "a", Name: "x", Groups: []core.Principal{"user:ann@x.org"}}},
		{{Source: "a", Name: "x", Groups: []core.Principal{"group:a"}}},
	} {
		wantKind(t, s.ReplaceGroups(t.Context(), "a", wrong, noon), core.KindInvalid)
	}
	wantKind(t, s.ReplaceGroups(t.Context(), "a", nil, time.Time{}), core.KindInvalid)
	for _, source := range []string{"", "a/b", "A"} {
		wantKind(t, s.ReplaceGroups(t.Context(), source, nil, noon), core.KindInvalid)
		wantKind(t, s.PutGroup(t.Context(), group(source, "x")), core.KindInvalid)
		wantKind(t, s.SetGroupsMaxAge(t.Context(), source, 0), core.KindInvalid)
	}
	after, err := s.Groups(t.Context(), "a")
	check(t, err)
	diff(t, all, after)
}

func TestGroupsGoWithTheirSource(t *testing.T) {
	s := handbook(t)
	wantKind(t, s.PutSource(t.Context(), core.Source{Name: core.ConfigGroups}), core.KindInvalid)
	replace(t, s, "handbook", noon, group("handbook", "x", "ann@x.org"))
	replace(t, s, "other", noon, group("other", "x", "ann@x.org"))
	check(t, s.RemoveSource(t.Context(), "handbook"))
	diff(t, "[group:other/x] []", in(t, s, noon, "ann@x.org"))
	states, err := s.GroupStates(t.Context())
	check(t, err)
	if len(states) != 1 {
		t.Fatalf("%+v", states)
	}
}

// changes counts rows that were written since the ledger was opened.
func changes(t *testing.T, s *Store) (n int) {
	t.Helper()
	check(t, s.write(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT total_changes()`).Scan(&n)
	}))
	return n
}

func TestSameGroupsCostOneRow(t *testing.T) {
	s := open(t, t.TempDir())
	var groups []core.GroupMembers
	for i := range 50 {
		groups = append(groups, group("a", fmt.Sprint("g", i), "ann@x.org", "bob@x.org"))
	}
	replace(t, s, "a", noon, groups...)
	before := changes(t, s)
	replace(t, s, "a", noon.Add(time.Hour), groups...)
	if n := changes(t, s) - before; n != 1 {
		t.Fatalf("%d rows were written", n)
	}
	groups[7].Users = append(groups[7].Users, "cy@x.org")
	before = changes(t, s)
	replace(t, s, "a", noon.Add(time.Hour), groups...)
	if n := changes(t, s) - before; n != 3 { // the source, the group's sum, the member
		t.Fatalf("%d rows were written", n)
	}
}
