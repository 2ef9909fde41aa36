package github

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
)

func grant(t testing.TB, src *Source, since sdk.Cursor) *readers {
	t.Helper()
	out := newReaders()
	if err := src.grants(t.Context(), since, out); err != nil {
		t.Fatal(err)
	}
	if !out.all {
		t.Error("it does not say that all groups were told")
	}
	return out
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
	got := grant(t, src, nil)
	want := map[string][]string{"readers-12": {"ann@example.com", "bob@acme.test", "eve@acme.test", "zoe@example.com"}}
	if diff := cmp.Diff(want, got.groups); diff != "" {
		t.Error(diff)
	}
	listed, err := listed(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range listed {
		if a, ok := got.docs[id]; !ok || a.Public != strings.HasPrefix(id, "11/") {
			t.Errorf("%s: %v %+v", id, ok, a)
		}
	}
	if len(got.docs) != len(listed) {
		t.Errorf("an account from the beginning names %d documents of %d", len(got.docs), len(listed))
	}
}

// A repository that is made private, or public again, and a member who is removed
// count from the next pass on. Nothing is read for it but who may read.
func TestPublicPrivateAndBack(t *testing.T) {
	server, open, closed := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	h := newHost()
	first := grant(t, src, nil)
	syncOnce(t, src, h)
	texts := func() int {
		return server.Requests("comments") + server.Requests("reviews") + server.Requests("codecomments") + server.Requests("blob")
	}
	read := texts()

	if again := grant(t, src, first.cursor); len(again.docs) != 0 || len(again.groups) != 1 {
		t.Errorf("nothing has changed, and %d documents and %d groups were told", len(again.docs), len(again.groups))
	}
	server.Change(func(time.Time) {
		open.Visibility, open.Collaborators = "private", []string{"ann"}
		closed.Collaborators = []string{"ann"}
	})
	second := grant(t, src, first.cursor)
	if diff := cmp.Diff(map[string][]string{"readers-11": {"ann@example.com"}, "readers-12": {"ann@example.com"}}, second.groups); diff != "" {
		t.Error(diff)
	}
	for id := range h.docs {
		want, told := sdk.Access{Groups: []string{"readers-11"}}, strings.HasPrefix(id, "11/")
		if got, ok := second.docs[id]; ok != told || told && !cmp.Equal(want, got) {
			t.Errorf("%s: %v %+v", id, ok, got)
		}
	}
	server.Change(func(time.Time) { open.Visibility = "public" })
	third := grant(t, src, second.cursor)
	if len(third.docs) != len(second.docs) || !third.docs["11/issues/1"].Public || len(third.groups) != 1 {
		t.Errorf("public again: %d documents, %d groups", len(third.docs), len(third.groups))
	}
	sent := h.sent
	if texts() != read || h.sent != sent {
		t.Errorf("%d texts were read again", texts()-read)
	}
}

// A pass from the beginning that breaks off goes on where it was, and still names
// everything.
func TestGrantsGoOn(t *testing.T) {
	server, open, _ := acme(t)
	address := server.Start(t)
	src := start(t, address, Source{Repositories: []string{"acme/*"}, Read: []string{"issues"}, Token: secret})
	whole := grant(t, src, nil)
	server.Change(func(time.Time) { open.Items[0].Number = 0 }) // GitHub answers nonsense
	broken := newReaders()
	if err := src.grants(t.Context(), nil, broken); err == nil || len(broken.cursor) == 0 {
		t.Fatalf("%v, %d", err, len(broken.cursor))
	}
	server.Change(func(time.Time) { open.Items[0].Number = 1 })
	rest := grant(t, src, broken.cursor)
	for id, a := range rest.docs {
		broken.docs[id] = a
	}
	if diff := cmp.Diff(whole.docs, broken.docs); diff != "" {
		t.Error(diff)
	}
}

// An internal repository is for its organisation, beside its own readers.
func TestInternal(t *testing.T) {
	server, _, closed := acme(t)
	server.Change(func(time.Time) { closed.Visibility, closed.Collaborators = "internal", []string{"ann", "joe"} })
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/plans"}, Token: secret, People: map[string]string{"joe": "joe@partner.test"}})
	got := grant(t, src, nil)
	want := map[string][]string{"readers-12": {"ann@example.com", "joe@partner.test"}, "members-77": {"ann@example.com", "bob@acme.test"}}
	if diff := cmp.Diff(want, got.groups); diff != "" {
		t.Error(diff)
	}
	if groups := got.docs["12/issues/1"].Groups; !slices.Equal(groups, []string{"readers-12", "members-77"}) {
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
	got := grant(t, src, nil)
	if users, ok := got.groups["readers-12"]; !ok || len(users) != 0 {
		t.Errorf("%v %v", ok, users)
	}
	err := src.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not everybody may read what comes of acme/plans who might") || !strings.Contains(err.Error(), "metadata=read") {
		t.Errorf("%v", err)
	}
}
