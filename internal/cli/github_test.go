package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
)

const githubToken = "ghp_of_the_command_line"

// newGitHub is a GitHub with a public repository and one that only Ann may read.
func newGitHub(t *testing.T) (server *githubtest.Server, open *githubtest.Repository, address string) {
	server = githubtest.New()
	server.AddUsers(githubtest.User{Login: "ann", Email: "ann@example.com"}, githubtest.User{Login: "bob", Email: "bob@example.com"})
	server.AddOrg(&githubtest.Org{ID: 7, Login: "acme", Members: []string{"ann"}})
	server.AddToken(githubToken, &githubtest.Token{Login: "ann", Scopes: "repo"})
	open = server.AddRepository(&githubtest.Repository{Owner: "acme", Name: "handbook", Visibility: "public", Files: map[string]string{"README.md": "# Handbook", "old.md": "# Old"}})
	closed := server.AddRepository(&githubtest.Repository{Owner: "acme", Name: "plans", Visibility: "private", Collaborators: []string{"ann"}, Files: map[string]string{"plan.md": "# Plan"}})
	server.Change(func(now time.Time) {
		open.Add(githubtest.Item{Title: "Coffee machine leaks", Body: "Water on the floor.", Author: "bob", Created: now, Updated: now})
		closed.Add(githubtest.Item{Title: "Coffee machine to be sold", Body: "In spring.", Author: "ann", Created: now, Updated: now})
	})
	return server, open, server.Start(t)
}

func TestPluginTestHoldsGitHub(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a dozen processes")
	}
	_, _, address := newGitHub(t)
	u, dir := newUser(t), t.TempDir()
	config, err := json.Marshal(map[string]any{"repositories": []string{"acme/*"}, "token": githubToken, "base_url": address, "public": "public", "rate": 5000})
	if err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, filepath.Join(dir, "config.json"), string(config), 0o600)
	writeTestFile(t, filepath.Join(dir, "plugintest.json"), `{"query": "coffee", "viewer": "ann@example.com"}`, 0o600)
	got := u.run("plugin", "test", "github", "--config", filepath.Join(dir, "config.json"), "--only", "config.secrets,sync.first,sync.resume,list.equal,grants.agree,search.viewer", "--json")
	results := testResults(t, got.out)
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, id := range []string{"sync.first", "sync.resume", "list.equal", "grants.agree", "search.viewer", "config.secrets"} {
		if results[id].State != plugintest.Pass {
			t.Errorf("%+v", results[id])
		}
	}
}

// Added, synced and searched by commands, as different people.
func TestGitHubByCommand(t *testing.T) {
	t.Parallel()
	_, _, address := newGitHub(t)
	u := newUser(t)
	if o := u.run("source", "add", "github", "acme/hanbook", "--set", "base_url="+address, "--set", "token="+githubToken); o.code != exitConfig || !strings.Contains(o.err, "acme/hanbook") || strings.Contains(o.err, githubToken) {
		t.Errorf("a wrong name: %+v", o)
	}
	u.must("source", "add", "github", "acme/handbook,acme/plans", "--name", "code",
		"--set", "base_url="+address, "--set", "token="+githubToken, "--set", "public=public", "--set", "rate=5000")
	u.must("sync", "code")
	for email, want := range map[string][]string{
		"ann@example.com": {"code/1000/issues/1", "code/1001/issues/1"},
		"bob@example.com": {"code/1000/issues/1"},
	} {
		var got []string
		for line := range strings.Lines(u.must("search", "coffee machine", "--as", email, "--json")) {
			var hit struct {
				Document string `json:"document_id"`
			}
			if err := json.Unmarshal([]byte(line), &hit); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if !slices.Contains(got, hit.Document) {
				got = append(got, hit.Document)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", email, got, want)
		}
	}
}
