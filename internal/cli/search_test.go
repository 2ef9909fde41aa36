package cli

import (
	"strings"
	"testing"
)

// Whoever is shown passages stands in the audit, also where no answer is made.
func TestSearchIsAudited(t *testing.T) {
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
