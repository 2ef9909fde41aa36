package cli

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// What is held of a source of pushes goes with a push, so no place sends people to a
// sync, which would only say that it reads no such source.
func TestHeldDeletionsOfPushes(t *testing.T) {
	t.Parallel()
	u := pushing(t, "--access", "public")
	var lines strings.Builder
	for n := range 30 {
		fmt.Fprintf(&lines, `{"id": "d%d", "text": "Text %d."}`+"\n", n, n)
	}
	first, _, _ := strings.Cut(lines.String(), "\n")
	u.write(map[string]string{"all.ndjson": lines.String(), "one.ndjson": first})
	u.must("push", "wiki", "all.ndjson", "--batch")
	u.must("push", "wiki", "one.ndjson", "--batch", "--complete")
	if out := u.must("source", "show", "wiki"); !strings.Contains(out, "deletions held: 29; let them through with: footnote push wiki FILE… --complete --accept-deletes") || strings.Contains(out, "footnote sync") {
		t.Errorf("source show: %s", out)
	}
	u.serving()
	s := u.login()
	page := s.must("/admin/source?name=wiki")
	for want, there := range map[string]bool{
		"footnote push wiki FILE": true, "29 documents": true, "--complete --accept-deletes": true,
		"Read what changed": false, "Read everything": false, "Let 29 deletions through": false, "until you say so": false,
	} {
		if strings.Contains(page, want) != there {
			t.Errorf("the page says %q: %t", want, !there)
		}
	}
	if status, page := s.press("/admin/source", url.Values{"name": {"wiki"}, "how": {"accept"}}); status == 200 || !strings.Contains(page, "is not read") {
		t.Errorf("a sync of it: %d %s", status, page)
	}
	if trail := u.must("audit", "--json"); strings.Contains(trail, `"sync":"accept"`) {
		t.Errorf("the audit tells of a sync that never was: %s", trail)
	}
	if out := u.must("push", "wiki", "one.ndjson", "--batch", "--complete", "--accept-deletes"); !strings.Contains(out, "29 gone") {
		t.Errorf("let through: %s", out)
	}
}
