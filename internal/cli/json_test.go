package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

const deskToken = "token-of-the-help-desk"

// newDesk is a Zammad with a ticket in each of two groups; Ann works in the first.
func newDesk(t *testing.T) string {
	const at = "2026-01-05T00:00:00.000Z"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Token token="+deskToken {
			http.Error(w, `{"error": "Invalid token"}`, http.StatusUnauthorized)
			return
		}
		out, ticket := []map[string]any{}, strings.TrimPrefix(r.URL.Path, "/api/v1/ticket_articles/by_ticket/")
		switch n, _ := strconv.Atoi(ticket); {
		case n > 0:
			out = append(out, map[string]any{"id": n, "from": "Eve", "content_type": "text/html", "body": fmt.Sprintf("<p>The coffee machine number %d leaks.</p>", n), "created_at": at})
		case r.URL.Path == "/api/v1/users":
			out = append(out, map[string]any{"id": 1, "email": "ann@example.com", "active": true, "group_ids": map[string]any{"1": []string{"full"}}},
				map[string]any{"id": 2, "email": "eve@example.com", "active": true, "group_ids": map[string]any{"2": []string{"read"}}})
		default:
			for n := 1; n <= 2; n++ {
				out = append(out, map[string]any{"id": n, "number": fmt.Sprint(1000 + n), "title": "Coffee machine", "group_id": n, "created_at": at, "updated_at": at})
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // a client that left is no matter of the test
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Added by recipe, synced, and searched as different people.
func TestRecipeByCommand(t *testing.T) {
	t.Parallel()
	address := newDesk(t)
	u := newUser(t)
	if o := u.run("source", "add", "json", "--set", "recipe=zammad", "--set", "base_url="+address, "--set", "token=wrong-token-of-the-tests"); o.code == exitOK || strings.Contains(o.err, "wrong-token-of-the-tests") {
		t.Errorf("a wrong token: %+v", o)
	}
	bad := filepath.Join(t.TempDir(), "own.yaml")
	writeTestFile(t, bad, "lists:\n  - name: a\n    request: {path: /a}\n    items: .data |\n    document: {id: .id, title: .t, body: .b}\n", 0o600)
	if o := u.run("source", "add", "json", "--set", "file="+bad, "--set", "base_url="+address); o.code != exitConfig || !strings.Contains(o.err, bad+": line 4: lists[0].items: ") || !strings.Contains(o.err, ".data |") {
		t.Errorf("a mistake: %+v", o)
	}
	added := u.run("source", "add", "json", "zammad", "--name", "desk", "--set", "base_url="+address, "--set", "token="+deskToken, "--set", "rate=5000")
	if added.code != exitOK || !strings.Contains(added.err, `the first document is "1", "#1001 Coffee machine"`) {
		t.Fatalf("%+v", added)
	}
	u.must("sync", "desk")
	for email, want := range map[string]string{"ann@example.com": "desk/1", "bob@example.com": ""} {
		out := u.must("search", "coffee machine", "--as", email, "--json")
		if got := strings.Contains(out, `"desk/1"`); got != (want != "") || strings.Contains(out, `"desk/2"`) {
			t.Errorf("%s finds %s", email, out)
		}
	}
}

func TestPluginTestHoldsJSON(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a dozen processes")
	}
	u, dir := newUser(t), t.TempDir()
	config, err := json.Marshal(map[string]any{"recipe": "zammad", "base_url": newDesk(t), "token": deskToken, "rate": 5000})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.json")
	writeTestFile(t, file, string(config), 0o600)
	got := u.run("plugin", "test", "json", "--config", file, "--only", "config.secrets,sync.first,sync.resume,list.equal,grants.agree", "--json")
	results := testResults(t, got.out)
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, id := range []string{"sync.first", "sync.resume", "list.equal", "grants.agree", "config.secrets"} {
		if results[id].State != plugintest.Pass {
			t.Errorf("%+v", results[id])
		}
	}
}
