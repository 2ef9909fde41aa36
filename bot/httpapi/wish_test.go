package httpapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// What a search is narrowed to reaches the searcher as it was asked.
func TestSearchIsNarrowed(t *testing.T) {
	w := start(t, nil)
	for _, row := range []struct {
		name, body string
		status     int
		want       Wish
		says       string
	}{
		{"nothing", `{"query":"a"}`, 200, Wish{Query: "a", Limit: 10}, ""},
		{"a condition", `{"query":"a","limit":3,"where":"n >= 2"}`, 200, Wish{Query: "a", Limit: 3, Where: "n >= 2"}, ""},
		{"folders", `{"query":"a","folders":[{"id":"docs/x"},{"id":"docs/y","depth":0}]}`, 200, Wish{Query: "a", Limit: 10,
			Folders: []core.FolderScope{{Folder: "docs/x", Levels: core.AnyDepth}, {Folder: "docs/y"}}}, ""},
		{"no folder at all", `{"query":"a","folders":[]}`, 200, Wish{Query: "a", Limit: 10, Folders: []core.FolderScope{}}, ""},
		{"a folder without id", `{"query":"a","folders":[{"depth":1}]}`, 400, Wish{}, "needs an id"},
		{"a depth that means nothing", `{"query":"a","folders":[{"id":"x","depth":-2}]}`, 400, Wish{}, "a depth of -1"},
		{"too many", `{"query":"a","folders":[` + strings.Repeat(`{"id":"x"},`, 100) + `{"id":"x"}]}`, 400, Wish{}, "at most 100"},
		{"a condition that is no text", `{"query":"a","where":{"n":2}}`, 400, Wish{}, "where"},
	} {
		t.Run(row.name, func(t *testing.T) {
			send := w.call
			if row.status != 200 {
				send = w.attack
			}
			r := send("ann", "POST", "/search", row.body)
			if r.status != row.status || !strings.Contains(r.body, row.says) {
				t.Fatalf("status %d, %s; want %d that says %q", r.status, r.body, row.status, row.says)
			}
			if row.status != 200 {
				return
			}
			w.shelf.mu.Lock()
			defer w.shelf.mu.Unlock()
			if diff := cmp.Diff(row.want, w.shelf.wish); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}
