package github

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func TestDocuments(t *testing.T) {
	server, _, _ := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	want := []string{
		"11/blob/README.md", "11/blob/docs/travel.md", "11/discussions/10", "11/discussions/11", "11/discussions/12", "11/issues/1", "11/pull/2", "11/releases/1101",
		"12/blob/plan.md", "12/discussions/10", "12/discussions/11", "12/discussions/12", "12/issues/1", "12/pull/2", "12/releases/1201",
	}
	if diff := cmp.Diff(want, hosttest.IDs(h.Docs)); diff != "" {
		t.Errorf("documents: %s", diff)
	}
	if len(h.Failed) != 1 || !strings.Contains(h.Failed["11/blob/logo.md"], "no text") {
		t.Errorf("failed: %v", h.Failed)
	}
	private := sdk.Access{Groups: []string{"readers-12"}}
	for id, d := range h.Docs {
		access := sdk.Public
		if strings.HasPrefix(id, "12/") {
			access = private
		}
		if diff := cmp.Diff(access, d.Access); diff != "" {
			t.Errorf("%s: access %s", id, diff)
		}
	}
	for id, want := range map[string]struct {
		title, url, author string
		meta               map[string]string
		folders            []string
		body               []string // in this order
	}{
		"11/issues/1": {
			"Coffee is cold (handbook#1)", "https://github.test/acme/handbook/issues/1", "ann",
			map[string]string{"repository": "acme/handbook", "number": "1", "state": "open", "labels": "bug, kitchen"}, []string{"11", "acme/handbook"},
			[]string{"The machine on floor 2.", "## bob commented on", "[permalink](https://github.test/acme/handbook/issues/1#issuecomment-501)", "I unplugged it."},
		},
		"12/pull/2": {
			"Heat the coffee (plans#2)", "https://github.test/acme/plans/pull/2", "bob",
			map[string]string{"repository": "acme/plans", "number": "2", "state": "merged"}, []string{"12", "acme/plans"},
			[]string{"Fixes #1.", "## eve commented on the code on", "File: `boiler.go`", "#discussion_r701)", "Why 96 degrees?", "## ann approved on", "Hot."},
		},
		"11/discussions/10": {
			"Question 0 (handbook#10)", "https://github.test/acme/handbook/discussions/10", "joe",
			map[string]string{"repository": "acme/handbook", "number": "10", "state": "open", "category": "Q&A"}, []string{"11", "acme/handbook"},
			[]string{"How?", "ann commented", "#discussioncomment-801", "bob replied", "Indeed.", "bob commented", "Second.", "eve answered", "So."},
		},
		"11/releases/1101": {
			"handbook: One", "https://github.test/acme/handbook/releases/tag/v1", "ann",
			map[string]string{"repository": "acme/handbook", "tag": "v1", "state": "release"}, []string{"11", "acme/handbook"}, []string{"The first."},
		},
		"11/blob/docs/travel.md": {
			"Travel", "https://github.test/acme/handbook/blob/main/docs/travel.md", "",
			map[string]string{"repository": "acme/handbook", "path": "docs/travel.md"}, []string{"11", "acme/handbook", "acme/handbook/docs"}, []string{"Book early."},
		},
	} {
		d := h.Docs[id]
		if d.Title != want.title || d.URL != want.url || d.Author != want.author {
			t.Errorf("%s: %q, %q, %q", id, d.Title, d.URL, d.Author)
		}
		if diff := cmp.Diff(want.meta, d.Meta); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
		if diff := cmp.Diff(want.folders, d.Folders); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
		rest := d.Body
		for _, part := range want.body {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: %q is missing, or comes too early, in:\n%s", id, part, d.Body)
			}
			rest = after
		}
	}
}

// What is named in read and files is read, and nothing else; the list agrees.
func TestKindsAndPatterns(t *testing.T) {
	server, _, _ := acme(t)
	address := server.Start(t)
	for _, row := range []struct {
		read, files []string
		want        []string
	}{
		{[]string{"issues"}, nil, []string{"11/issues/1"}},
		{[]string{"pulls", "releases"}, nil, []string{"11/pull/2", "11/releases/1101"}},
		{[]string{"files"}, []string{"docs/**", "*.go"}, []string{"11/blob/docs/travel.md", "11/blob/main.go"}},
		{[]string{"files"}, []string{"/README.md"}, []string{"11/blob/README.md"}},
	} {
		src := start(t, address, Source{Repositories: []string{"acme/handbook"}, Read: row.read, Files: row.files, Token: secret})
		h := hosttest.NewHost()
		syncOnce(t, src, h)
		if diff := cmp.Diff(row.want, hosttest.IDs(h.Docs)); diff != "" {
			t.Errorf("%v %v: %s", row.read, row.files, diff)
		}
		got, err := listed(t.Context(), src)
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%v %v: listed: %v %s", row.read, row.files, err, diff)
		}
	}
}

// A conversation that does not fit into a document says how much it left out.
func TestLongConversation(t *testing.T) {
	server, open, _ := acme(t)
	server.Change(func(now time.Time) {
		long := strings.Repeat("All work and no play. ", 3000)
		for n := range 30 {
			open.Items[0].Comments = append(open.Items[0].Comments, githubtest.Remark{ID: int64(9000 + n), Author: "joe", Body: long, At: now})
		}
	})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Read: []string{"issues"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	d := h.Docs["11/issues/1"]
	if len(d.Body) > sdk.MaxBody || d.Meta["left_out"] != "16 comments" {
		t.Errorf("%d bytes, %q left out", len(d.Body), d.Meta["left_out"])
	}
}

// A tree that GitHub does not give out at once is read folder by folder.
func TestLargeTree(t *testing.T) {
	server, open, _ := acme(t)
	server.Change(func(time.Time) { open.Truncated = true; open.Files["docs/a/b/deep.md"] = "# Deep" })
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Read: []string{"files"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	want := []string{"11/blob/README.md", "11/blob/docs/a/b/deep.md", "11/blob/docs/travel.md"}
	if diff := cmp.Diff(want, hosttest.IDs(h.Docs)); diff != "" {
		t.Error(diff)
	}
}
