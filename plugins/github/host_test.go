package github

import (
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
)

// start makes a source of a server, in a process of its own as it were.
func start(t testing.TB, address string, src Source) *Source {
	t.Helper()
	src.BaseURL = address
	if src.Public == "" {
		src.Public = "public"
	}
	if err := src.Start(t.Context(), &sdk.Env{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return &src
}

const secret = "ghp_of_the_tests"

// acme is a small company: a public and a private repository with one of each kind.
func acme(t testing.TB) (*githubtest.Server, *githubtest.Repository, *githubtest.Repository) {
	s := githubtest.New()
	s.AddOrg(&githubtest.Org{ID: 77, Login: "acme", Members: []string{"ann", "bob"}})
	s.AddUsers(
		githubtest.User{Login: "ann", Email: "ann@example.com"}, githubtest.User{Login: "bob", Verified: []string{"bob@acme.test"}},
		githubtest.User{Login: "eve", SignOn: "eve@acme.test"}, githubtest.User{Login: "joe"}, githubtest.User{Login: "ci", Bot: true},
	)
	s.AddToken(secret, &githubtest.Token{Login: "ann", Scopes: "repo, read:org"})
	open := s.AddRepository(&githubtest.Repository{
		ID: 11, Owner: "acme", Name: "handbook", Visibility: "public",
		Files: map[string]string{"README.md": "# Handbook\n\nRead me.", "docs/travel.md": "# Travel\n\nBook early.", "main.go": "package main\n", "logo.md": "\xff\xfe\x00"},
	})
	closed := s.AddRepository(&githubtest.Repository{
		ID: 12, Owner: "acme", Name: "plans", Visibility: "private", Collaborators: []string{"ann", "bob", "joe", "ci"},
		Files: map[string]string{"plan.md": "# Plan\n\nNothing yet."},
	})
	for _, r := range []*githubtest.Repository{open, closed} {
		s.Change(fill(r))
	}
	return s, open, closed
}
