package github

import (
	"errors"
	"maps"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
)

// host keeps what a sync sends as Footnote does. What came after the last
// checkpoint is lost when it stops.
type host struct {
	docs   map[string]sdk.Document
	failed map[string]string
	closed []string
	notes  []string
	cursor sdk.Cursor
	saved  map[string]sdk.Document
	events int
	stopAt int // after so many events; 0 for never
	sent   int
}

func newHost() *host {
	return &host{docs: map[string]sdk.Document{}, failed: map[string]string{}, saved: map[string]sdk.Document{}}
}

var errStopped = errors.New("the host stopped")

func (h *host) event() error {
	if h.events++; h.stopAt > 0 && h.events > h.stopAt {
		return errStopped
	}
	return nil
}

func (h *host) Document(d sdk.Document) error {
	delete(h.failed, d.ID)
	h.docs[d.ID] = d
	h.sent++
	return h.event()
}

func (h *host) Unread(d sdk.Document, err error) error {
	h.failed[d.ID] = err.Error()
	return h.event()
}

func (h *host) Removed(id string) error {
	delete(h.docs, id)
	return h.event()
}

func (h *host) FolderFailed(folder string, _ error) error {
	h.closed = append(h.closed, folder)
	return h.event()
}

func (h *host) Note(text string) error {
	h.notes = append(h.notes, text)
	return h.event()
}

func (h *host) Checkpoint(c sdk.Cursor) error {
	if err := h.event(); err != nil {
		return err
	}
	h.cursor, h.saved = append(sdk.Cursor(nil), c...), maps.Clone(h.docs)
	return nil
}

// crash forgets what no checkpoint covers.
func (h *host) crash() { h.docs, h.events = maps.Clone(h.saved), 0 }

// readers keeps what Grants tells.
type readers struct {
	folders map[string]sdk.Access
	groups  map[string][]string
	whole   bool // all folders were told
	all     bool // all groups
}

func newReaders() *readers {
	return &readers{folders: map[string]sdk.Access{}, groups: map[string][]string{}}
}

func (r *readers) Folder(id string, a sdk.Access) error { r.folders[id] = a; return nil }
func (r *readers) AllFolders() error                    { r.whole = true; return nil }
func (r *readers) Group(g sdk.Group) error              { r.groups[g.Name] = g.Users; return nil }
func (r *readers) AllGroups()                           { r.all = true }

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
