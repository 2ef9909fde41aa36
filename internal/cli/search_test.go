package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Whoever is shown passages stands in the audit, also where no answer is made.
func TestSearchIsAudited(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"docs/tea.md": "# Tea\n\nTea is on floor three.\n"})
	u.must("source", "add", "files", "docs", "--name", "docs")
	u.must("sync")
	u.must("search", "tea", "--as", "ann@example.com")
	if out := u.must("audit", "--action", "search"); !strings.Contains(out, "ann@example.com") || strings.Contains(out, "docs/tea.md") {
		t.Errorf("a search of somebody who may read nothing is in the audit as\n%s", out)
	}
	u.must("search", "tea")
	if out := u.must("audit", "--action", "search"); !strings.Contains(out, "operator") || !strings.Contains(out, "docs/tea.md") {
		t.Errorf("a search is in the audit as\n%s", out)
	}
}

// A search says why each passage was found, and conditions and folders narrow it.
func TestSearchExplainsAndNarrows(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{
		"docs/a/tea.md":      "---\nstatus: open\npriority: 10\n---\n# Tea\n\n## Where\n\nTea is on floor three.\n",
		"docs/a/old/tea.md":  "---\nstatus: done\npriority: 9\n---\n# Old tea\n\nTea was on floor two in the north wing.\n",
		"docs/coffee/tea.md": "# Coffee\n\nThere is coffee beside the tea, in the kitchen.\n",
	})
	u.must("source", "add", "files", "docs", "--name", "docs")
	u.must("sync")
	found := func(args ...string) string {
		var out []string
		for line := range strings.Lines(u.must(append([]string{"search", "tea floor", "--json"}, args...)...)) {
			var p shownPassage
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			if w := p.Why; w == nil || len(w.Queries) != 1 || w.Queries[0].Rank < 1 || len(w.Words) == 0 || w.Before <= 0 {
				t.Errorf("%s is explained by %s", p.Title, line)
			}
			out = append(out, p.DocumentID)
		}
		return strings.Join(out, " ")
	}
	for _, row := range []struct {
		want string
		args []string
	}{
		{"docs/a/tea.md docs/a/old/tea.md docs/coffee/tea.md", nil},
		{"docs/a/tea.md", []string{"--folder", "docs/a", "--depth", "0"}},
		{"docs/a/tea.md docs/a/old/tea.md", []string{"--folder", "docs/a"}},
		{"docs/a/old/tea.md", []string{"--where", `title contains "OLD"`}},
		{"docs/a/tea.md docs/coffee/tea.md", []string{"--where", `not title contains "old" and source = "docs"`}},
		{"", []string{"--where", `status = "none"`}},
	} {
		if got := found(row.args...); got != row.want {
			t.Errorf("%q finds %q, want %q", row.args, got, row.want)
		}
	}
	if out := u.must("search", "tea floor", "--explain", "--limit", "1"); !strings.Contains(out, "words: tea, floor") ||
		!strings.Contains(out, `rank 1 of "tea floor"`) || !strings.Contains(out, "of the question") {
		t.Errorf("explained as\n%s", out)
	}
}

// A reranker decides on the order, and doctor asks it.
func TestSearchIsReranked(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Documents []string }
		raw, _ := io.ReadAll(r.Body)
		if json.Unmarshal(raw, &body) != nil || r.URL.Path != "/v1/rerank" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		results := []map[string]any{}
		for i, text := range body.Documents {
			score := 0.1
			if strings.Contains(text, "Lisbon") {
				score = 0.9
			}
			results = append(results, map[string]any{"index": i, "relevance_score": score})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": results})
	}))
	defer server.Close()
	u := newUser(t)
	u.write(map[string]string{
		"footnote.yaml": "retrieval: {rerank: {name: bge, base_url: \"" + server.URL + "/v1\"}}\n",
		"docs/tea.md":   "# Tea\n\nTea, tea, tea.\n",
		"docs/far.md":   "# Far\n\nThe branch in Lisbon has many rooms and, on most days of the week, also tea.\n",
	})
	u.must("source", "add", "files", "docs", "--name", "docs")
	u.must("sync")
	if out := u.must("search", "tea", "--explain", "--limit", "1"); !strings.Contains(out, "far.md") || !strings.Contains(out, "rank 1 of the reranker") {
		t.Errorf("found\n%s", out)
	}
	if out := u.run("doctor").out; !strings.Contains(out, "reranker: bge at "+server.URL) {
		t.Errorf("doctor says\n%s", out)
	}
}
