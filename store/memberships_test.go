package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestPathTo(t *testing.T) {
	s := open(t, t.TempDir())
	replace(t, s, "a", noon,
		group("a", "1", "ann@x.org", "group:a/3"), group("a", "2", "group:a/1"), group("a", "3", "group:a/2"),
		group("a", "short", "ann@x.org"), group("a", "goal", "group:a/3", "group:a/short"))
	for goal, want := range map[core.Principal][]core.Principal{
		"group:a/1":    {"group:a/1"},
		"group:a/3":    {"group:a/1", "group:a/2", "group:a/3"},
		"group:A/GOAL": {"group:a/short", "group:a/goal"},
		"group:a/none": nil,
		"":             nil,
	} {
		got, err := s.PathTo(t.Context(), " Ann@x.org", goal)
		check(t, err)
		diff(t, want, got)
	}
	got, err := s.PathTo(t.Context(), "", "group:a/1")
	check(t, err)
	diff(t, []core.Principal(nil), got)
}

// world is random groups with circles, and what a walk by hand finds in them.
type world struct {
	groups map[string][]core.GroupMembers // by source
	checks map[string]time.Time
	up     map[core.Principal][]core.Principal // from a member to its groups
	users  []string
}

func randomWorld(r *rand.Rand) world {
	w := world{groups: map[string][]core.GroupMembers{}, checks: map[string]time.Time{}, up: map[core.Principal][]core.Principal{}}
	sources := []string{"a", "b", "c", core.ConfigGroups}
	var all []core.Principal
	for _, source := range sources {
		w.checks[source] = noon.Add(-time.Duration(r.IntN(48)) * time.Hour)
		for i := range 1 + r.IntN(12) {
			all = append(all, core.Group(source, fmt.Sprint("G", i)))
			w.groups[source] = append(w.groups[source], core.GroupMembers{Source: source, Name: fmt.Sprint("G", i)})
		}
	}
	for i := range 5 {
		w.users = append(w.users, fmt.Sprintf("u%d@x.org", i))
	}
	for source, groups := range w.groups {
		for i := range groups {
			g := core.Group(source, groups[i].Name)
			for range r.IntN(3) {
				m := all[r.IntN(len(all))]
				groups[i].Groups = append(groups[i].Groups, m)
				w.up[m] = append(w.up[m], g)
			}
			if r.IntN(3) == 0 {
				u := w.users[r.IntN(len(w.users))]
				groups[i].Users = append(groups[i].Users, u)
				w.up[core.User(u)] = append(w.up[core.User(u)], g)
			}
		}
	}
	return w
}

// walk finds all groups above the start that a way of allowed groups leads to.
func (w world) walk(start core.Principal, allowed func(core.Principal) bool) core.Access {
	seen := map[core.Principal]int{}
	todo := []core.Principal{start}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		for _, g := range w.up[p] {
			if seen[g] == 0 && allowed(g) {
				seen[g] = seen[p] + 1
				todo = append(todo, g)
			}
		}
	}
	var out core.Access
	for p := range seen {
		if isGroup(p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

func (w world) fresh(g core.Principal) bool {
	for source, at := range w.checks {
		if strings.HasPrefix(string(g), string(core.Group(source, ""))) {
			return source == core.ConfigGroups || noon.Sub(at) <= 24*time.Hour
		}
	}
	return false
}

func TestMembershipsAgreeWithAWalk(t *testing.T) {
	s := open(t, t.TempDir())
	reached, stale, far, worlds := 0, 0, 0, uint64(25)
	if testing.Short() {
		worlds = 5
	}
	for seed := range worlds {
		w := randomWorld(rand.New(rand.NewPCG(seed, 1)))
		for source, groups := range w.groups {
			replace(t, s, source, w.checks[source], groups...)
		}
		for _, u := range w.users {
			every := w.walk(core.User(u), func(core.Principal) bool { return true })
			fresh := w.walk(core.User(u), w.fresh)
			rest := slices.DeleteFunc(slices.Clone(every), func(p core.Principal) bool { return slices.Contains(fresh, p) })
			diff(t, fmt.Sprint(fresh, rest), in(t, s, noon, u))
			reached, stale = reached+len(fresh), stale+len(rest)
			for _, source := range []string{"a", "b"} {
				for i := range 12 {
					far = max(far, checkPath(t, s, w, u, core.Group(source, fmt.Sprint("G", i)), every))
				}
			}
		}
	}
	if reached < 20 || stale < 20 || far < 4 {
		t.Fatalf("the worlds are too easy: %d reached, %d stale, longest way %d", reached, stale, far)
	}
}

// checkPath holds a path against the walk: there is one exactly if the group is
// reached, every step is a membership, and no way is shorter.
func checkPath(t *testing.T, s *Store, w world, user string, goal core.Principal, every core.Access) int {
	t.Helper()
	path, err := s.PathTo(t.Context(), user, goal)
	check(t, err)
	if !slices.Contains(every, goal) {
		diff(t, []core.Principal(nil), path)
		return 0
	}
	level := map[core.Principal]bool{core.User(user): true}
	for steps := 1; ; steps++ {
		next := map[core.Principal]bool{}
		for p := range level {
			for _, g := range w.up[p] {
				next[g] = true
			}
		}
		if level = next; level[goal] {
			if len(path) != steps {
				t.Fatalf("path %v has not %d steps", path, steps)
			}
			break
		}
	}
	from := core.User(user)
	for _, g := range path {
		if !slices.Contains(w.up[from], g) {
			t.Fatalf("%s is not in %s on %v", from, g, path)
		}
		from = g
	}
	diff(t, goal, from)
	return len(path)
}

// One person in very many groups, and a chain of a thousand groups that ends in
// itself, are no trouble.
func TestManyAndDeepGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("not short")
	}
	s := open(t, t.TempDir())
	wide := make([]core.GroupMembers, 20_000)
	for i := range wide {
		wide[i] = group("wide", fmt.Sprint("g", i), "ann@x.org")
	}
	deep := make([]core.GroupMembers, 1000)
	for i := range deep {
		deep[i] = group("deep", fmt.Sprint("g", i), fmt.Sprintf("group:deep/g%d", (i+999)%1000))
	}
	deep[0].Users = []string{"ann@x.org"}
	timed := func(what string, f func()) {
		start := time.Now()
		f()
		t.Logf("%s: %v", what, time.Since(start).Round(time.Millisecond))
	}
	timed("first listing", func() { replace(t, s, "wide", noon, wide...); replace(t, s, "deep", noon, deep...) })
	timed("same listing", func() { replace(t, s, "wide", noon, wide...) })
	timed("memberships", func() {
		m, err := s.Memberships(t.Context(), []string{"ann@x.org"}, noon)
		check(t, err)
		diff(t, 21_000, len(m.Groups))
	})
	timed("path", func() {
		path, err := s.PathTo(t.Context(), "ann@x.org", "group:deep/g999")
		check(t, err)
		diff(t, 1000, len(path))
	})
	timed("all gone", func() { replace(t, s, "wide", noon) })
}
