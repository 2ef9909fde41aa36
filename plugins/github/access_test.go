package github

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func grant(t *testing.T, src *Source) *hosttest.Readers {
	t.Helper()
	r := hosttest.NewReaders()
	if err := src.grants(t.Context(), r); err != nil || !r.Whole || !r.All {
		t.Fatalf("%v, all folders %v, all groups %v", err, r.Whole, r.All)
	}
	return r
}

// People are found by the address that they show, those that their organisation
// knows, and the configuration, in which case does not count. Robots and people
// without an address get nothing.
func TestReaders(t *testing.T) {
	server, _, closed := acme(t)
	server.Change(func(time.Time) { closed.Collaborators = append(closed.Collaborators, "eve", "Zoe") })
	server.AddUsers(githubtest.User{Login: "Zoe", Email: "zoe@private.test"})
	server.AddOrg(&githubtest.Org{ID: 77, Login: "acme", Members: []string{"ann", "bob", "eve"}})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret, People: map[string]string{"zoe": "zoe@example.com"}})
	got := grant(t, src)
	want := map[string][]string{"readers-12": {"ann@example.com", "bob@acme.test", "eve@acme.test", "zoe@example.com"}}
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]sdk.Access{"11": sdk.Public, "12": {Groups: []string{"readers-12"}}}, got.Folders); diff != "" {
		t.Error(diff)
	}
}

// A repository that is made private, or public again, and a member who is removed
// count from the next account on. Nothing is read for it but who may read.
func TestPublicPrivateAndBack(t *testing.T) {
	server, open, closed := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	only := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, n+"@example.com")
		}
		return out
	}
	for _, row := range []struct {
		change func(time.Time)
		access sdk.Access // of the first repository
		groups map[string][]string
	}{
		{func(time.Time) {}, sdk.Public, map[string][]string{"readers-12": {"ann@example.com", "bob@acme.test"}}},
		{func(time.Time) {
			open.Visibility, open.Collaborators = "private", []string{"ann"}
			closed.Collaborators = []string{"ann"}
		}, sdk.Access{Groups: []string{"readers-11"}}, map[string][]string{"readers-11": only("ann"), "readers-12": only("ann")}},
		{func(time.Time) { open.Visibility = "public" }, sdk.Public, map[string][]string{"readers-12": only("ann")}},
	} {
		server.Change(row.change)
		got := grant(t, src)
		if diff := cmp.Diff(row.groups, got.Groups); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(row.access, got.Folders["11"]); diff != "" {
			t.Error(diff)
		}
	}
	for _, route := range []string{"comments", "reviews", "codecomments", "blob", "issues", "tree"} {
		if n := server.Requests(route); n > 0 {
			t.Errorf("%d requests for %s", n, route)
		}
	}
}

// A repository that is out of sight is not named, which closes it; also where
// nothing else is configured and the account is refused.
func TestOutOfSight(t *testing.T) {
	server, open, _ := acme(t)
	address := server.Start(t)
	server.Change(func(time.Time) { open.Gone = true })
	all := start(t, address, Source{Repositories: []string{"acme/*"}, Token: secret})
	if got := grant(t, all); len(got.Folders) != 1 || len(got.Folders["12"].Groups) != 1 {
		t.Errorf("%v", got.Folders)
	}
	lost := hosttest.NewReaders()
	one := start(t, address, Source{Repositories: []string{"acme/handbook"}, Token: secret})
	wantError(t, "the only one", one.grants(t.Context(), lost), "denied", "acme/handbook")
	if len(lost.Folders) != 0 || !lost.Whole || lost.All {
		t.Errorf("%+v", lost)
	}
}

// An internal repository is for its organisation, beside its own readers.
func TestInternal(t *testing.T) {
	server, _, closed := acme(t)
	server.Change(func(time.Time) { closed.Visibility, closed.Collaborators = "internal", []string{"ann", "joe"} })
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/plans"}, Token: secret, People: map[string]string{"joe": "joe@partner.test"}})
	got := grant(t, src)
	want := map[string][]string{"readers-12": {"ann@example.com", "joe@partner.test"}, "members-77": {"ann@example.com", "bob@acme.test"}}
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Error(diff)
	}
	if groups := got.Folders["12"].Groups; !slices.Equal(groups, []string{"readers-12", "members-77"}) {
		t.Errorf("%v", groups)
	}
}

// What is public on a company's own server is for the team unless the owner says
// otherwise.
func TestPublicOnAnOwnServer(t *testing.T) {
	for _, row := range []struct {
		base, public string
		want         sdk.Access
	}{
		{"", "", sdk.Public},
		{"https://github.example.com", "", sdk.Workspace},
		{"https://acme.ghe.com", "", sdk.Workspace},
		{"https://github.example.com", "public", sdk.Public},
		{"", "collaborators", sdk.Access{Groups: []string{"readers-5"}}},
	} {
		src := Source{Repositories: []string{"a/b"}, BaseURL: row.base, Public: row.public}
		if err := src.Start(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.want, src.access(repo{id: 5, visibility: "public"})); diff != "" {
			t.Errorf("%+v: %s", row, diff)
		}
	}
}

// Where the readers of a repository are not to be seen, nobody reads it.
func TestReadersNotToBeSeen(t *testing.T) {
	server, _, _ := acme(t)
	server.AddToken("narrow", &githubtest.Token{Login: "ann", Lacks: []string{"collaborators"}})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/plans"}, Token: "narrow"})
	got := grant(t, src)
	if users, ok := got.Groups["readers-12"]; !ok || len(users) != 0 {
		t.Errorf("%v %v", ok, users)
	}
	err := src.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not everybody may read what comes of acme/plans who might") || !strings.Contains(err.Error(), "metadata=read") {
		t.Errorf("%v", err)
	}
}
