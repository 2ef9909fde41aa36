package plugins_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// tree makes files; a content that starts with "->" makes a link, and a name
// that ends in a slash a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "->"); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// found is what a sync of a folder brought, by document id.
type found struct {
	docs     map[string]core.Document
	host     map[string]bool
	failures map[string]string
	readers  map[string]core.Access // of failed documents, where they are stated
	closed   []string               // folders
	notes    []string
	marks    int
}

func (f found) ids() []string {
	ids := make([]string, 0, len(f.docs))
	for id := range f.docs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func syncFiles(t *testing.T, c *plugins.Connection) found {
	t.Helper()
	out := found{docs: map[string]core.Document{}, host: map[string]bool{}, failures: map[string]string{}, readers: map[string]core.Access{}}
	changes, err := collect(t, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		switch change := change.(type) {
		case core.Upsert:
			id := change.Document.ExternalID
			if change.Failed != nil {
				out.failures[id], out.readers[id] = string(change.Failed.Kind)+": "+change.Failed.Detail, change.Document.Access
				continue
			}
			if _, twice := out.docs[id]; twice {
				t.Errorf("%s came twice", id)
			}
			out.docs[id], out.host[id] = change.Document, change.HostAccess
		case core.Failure:
			if change.Folder != "" {
				out.closed = append(out.closed, change.Folder)
			}
			out.failures[change.ExternalID] = string(change.Kind) + ": " + change.Detail
		case core.Note:
			out.notes = append(out.notes, change.Text)
		case core.Checkpoint:
			out.marks++
		}
	}
	return out
}

func openFiles(t *testing.T, dir, more string) *plugins.Connection {
	t.Helper()
	return open(t, "files", fmt.Sprintf(`{"dir": %q%s}`, dir, more)).Connection
}

func TestFilesOfAFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		"guide/Start here.md": "# Getting started\n\ntext",
		"page.html":           "<html><head><title>The  page</title></head><body>x</body></html>",
		"on-call_rota.csv":    "a,b\n1,2\n",
		"config.yaml":         "a: 1\n",
		"main.go":             "package main\n",
		"LICENSE":             "free to use\n",
		"manual.pdf":          "%PDF-1.4 not read here",
		"logo.png":            "\x89PNG\x00\x01",
		"data":                "\x00\x01\x02\x03binary",
		"old.txt":             "caf\xe9 \x80 5",
		"wide.txt":            "\xff\xfeh\x00i\x00",
		"mark.md":             "\ufeff# Marked",
		"broken.txt":          "text\x00with a zero byte",
		".env":                "TOKEN=1",
		".git/config":         "x",
	})
	c := openFiles(t, dir, `, "url_base": "https://wiki.example/files/"`)
	got := syncFiles(t, c)
	type row struct{ Title, MediaType, Body, URL string }
	want := map[string]row{
		"guide/Start here.md": {"Getting started", "text/markdown", "# Getting started\n\ntext", "https://wiki.example/files/guide/Start%20here.md"},
		"page.html":           {"The page", "text/html", "<html><head><title>The  page</title></head><body>x</body></html>", "https://wiki.example/files/page.html"},
		"on-call_rota.csv":    {"On call rota", "text/csv", "a,b\n1,2\n", "https://wiki.example/files/on-call_rota.csv"},
		"config.yaml":         {"Config", "text/yaml", "a: 1\n", "https://wiki.example/files/config.yaml"},
		"main.go":             {"Main", "text/x-go", "package main\n", "https://wiki.example/files/main.go"},
		"LICENSE":             {"LICENSE", "text/plain", "free to use\n", "https://wiki.example/files/LICENSE"},
		"manual.pdf":          {"Manual", "text/markdown", "", "https://wiki.example/files/manual.pdf"},
		"old.txt":             {"Old", "text/plain", "café € 5", "https://wiki.example/files/old.txt"},
		"wide.txt":            {"Wide", "text/plain", "hi", "https://wiki.example/files/wide.txt"},
		"mark.md":             {"Marked", "text/markdown", "# Marked", "https://wiki.example/files/mark.md"},
	}
	rows := map[string]row{}
	for id, d := range got.docs {
		rows[id] = row{d.Title, d.MediaType, d.Body, d.URL}
		if d.Updated.IsZero() || !got.host[id] {
			t.Errorf("%s: updated %v, host access %v", id, d.Updated, got.host[id])
		}
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"broken.txt"}, keys(got.failures)); diff != "" {
		t.Error(diff)
	}
	if len(got.notes) != 1 || !strings.Contains(got.notes[0], "2 files without readable text were skipped (no ending: 1, png: 1)") {
		t.Errorf("notes: %q", got.notes)
	}
	fetchPDF(t, c, got.docs["manual.pdf"])
}

func fetchPDF(t *testing.T, c *plugins.Connection, doc core.Document) {
	t.Helper()
	if len(doc.Files) != 1 || doc.Files[0].MediaType != "application/pdf" || doc.Files[0].Size != 22 {
		t.Fatalf("files: %+v", doc.Files)
	}
	r, file, err := c.Fetch(t.Context(), doc.Files[0].Ref, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil || string(data) != "%PDF-1.4 not read here" || file.Name != "manual.pdf" || file.MediaType != "application/pdf" {
		t.Errorf("%q %+v %v", data, file, err)
	}
}

func keys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for key := range m {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

func TestLinks(t *testing.T) {
	outside := tree(t, map[string]string{"secret.md": "# Secret"})
	dir := tree(t, map[string]string{
		"a/real.md":        "# Real",
		"b/again.md":       "->../a/real.md",
		"b/loop":           "->..",
		"escape":           "->" + outside,
		"escape.md":        "->" + outside + "/secret.md",
		"dangling.md":      "->nowhere.md",
		"dangling.png.bak": "->nowhere",
		"..v1/page.md":     "# Mounted",
		"..data":           "->..v1",
		"page.md":          "->..data/page.md",
		".git/config.md":   "# Git",
		"git":              "->.git",
	})
	c := openFiles(t, dir, `, "exclude": ["*.bak"]`)
	got := syncFiles(t, c)
	if diff := cmp.Diff([]string{"a/real.md", "page.md"}, got.ids()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dangling.md"}, keys(got.failures)); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(got.notes, "2 links that lead out of the folder were not followed") {
		t.Errorf("notes: %q", got.notes)
	}
	for _, ref := range []string{"r:escape.md", "r:escape/secret.md", "r:../x", "r:/etc/passwd", "r:.git/config.md", "r:git/config.md", "a/real.md"} {
		if _, _, err := c.Fetch(t.Context(), ref, 0); core.KindOf(err) != core.KindDenied {
			t.Errorf("fetch %s: %v", ref, err)
		}
	}
	if _, _, err := c.Fetch(t.Context(), "r:a/gone.pdf", 0); core.KindOf(err) != core.KindNotFound {
		t.Errorf("fetch of a missing file: %v", err)
	}
}

func TestLargeFiles(t *testing.T) {
	dir := tree(t, map[string]string{"big.md": strings.Repeat("0123456789abcdef", 70_000), "small.md": "# Small"})
	huge, err := os.Create(filepath.Join(dir, "huge.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(2 << 30); err != nil {
		t.Fatal(err)
	}
	huge.Close()
	c := openFiles(t, dir, "")
	got := syncFiles(t, c)
	want := map[string]string{"huge.bin": "too_large: the file has 2.0 GiB, the limit is 20.0 MiB: exclude it or raise max_size"}
	if diff := cmp.Diff(want, got.failures); diff != "" {
		t.Error(diff)
	}
	big := got.docs["big.md"]
	if big.Body != "" || len(big.Files) != 1 || big.Files[0].MediaType != "text/markdown" || big.Files[0].Size != 1_120_000 {
		t.Errorf("%+v", big)
	}
	r, _, err := c.Fetch(t.Context(), big.Files[0].Ref, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := io.Copy(io.Discard, r); n != 1_120_000 || err != nil {
		t.Errorf("%d %v", n, err)
	}
}

func TestRules(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore":            "build/\n*.tmp\n!keep.tmp\n/only-root.md\n",
		"build/x.md":            "x",
		"a.tmp":                 "x",
		"keep.tmp":              "x",
		"only-root.md":          "x",
		"sub/only-root.md":      "x",
		"sub/.footnoteignore":   "drafts/**\n",
		"sub/drafts/d.md":       "x",
		"drafts/d.md":           "x",
		"hr/pay.md":             "x",
		"hr/public/jobs.md":     "x",
		"excluded/by/config.md": "x",
		"notes.txt":             "x",
		"video.md/inside.md":    "a folder with a file's name",
	})
	c := openFiles(t, dir, `, "exclude": ["excluded"], "include": ["*.md", "*.tmp"], "access": {
		"hr/**": ["group:hr", "user:boss@example.com"], "hr/public": ["public"], "drafts": ["nobody"],
		"sub/*": ["group:slack/C1"], "nothing/*": ["public"]}`)
	got := syncFiles(t, c)
	want := []string{"drafts/d.md", "hr/pay.md", "hr/public/jobs.md", "keep.tmp", "sub/only-root.md", "video.md/inside.md"}
	if diff := cmp.Diff(want, got.ids()); diff != "" {
		t.Error(diff)
	}
	access := map[string]core.Access{}
	for id, d := range got.docs {
		if !got.host[id] {
			access[id] = d.Access
		}
	}
	wantAccess := map[string]core.Access{
		"drafts/d.md":       {},
		"hr/pay.md":         {"group:s/hr", "user:boss@example.com"},
		"hr/public/jobs.md": {"public"},
		"sub/only-root.md":  {"group:slack/c1"},
	}
	if diff := cmp.Diff(wantAccess, access); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(got.notes, `the access rule "nothing/*" applies to no file`) {
		t.Errorf("notes: %q", got.notes)
	}
}

// The version before a file broke must not keep readers that the rules take away.
func TestFilesThatCannotBeReadKeepTheirRules(t *testing.T) {
	dir := tree(t, map[string]string{
		"hr/binary.md": "\x00\x01\x02", "hr/large": strings.Repeat("x", 2000), "hr/nowhere.md": "->missing", "binary.txt": "\x00\x01\x02",
	})
	got := syncFiles(t, openFiles(t, dir, `, "max_size": "1KB", "access": {"hr/**": ["user:hr@example.com"]}`))
	hr := core.Access{"user:hr@example.com"}
	want := map[string]core.Access{"hr/binary.md": hr, "hr/large": hr, "hr/nowhere.md": hr, "binary.txt": nil}
	if diff := cmp.Diff(want, got.readers); diff != "" {
		t.Error(diff)
	}
	if text := got.failures["binary.txt"]; !strings.HasPrefix(text, "invalid: ") || !strings.HasSuffix(text, "save it anew as UTF-8, or exclude it") {
		t.Errorf("%q", text)
	}
}

func TestFoldersOfFiles(t *testing.T) {
	got := syncFiles(t, openFiles(t, tree(t, map[string]string{"a.md": "a", "hr/b.md": "b", "hr/Päy/2026/c.md": "c", "link": "->hr/Päy/2026/c.md"}), ""))
	for id, want := range map[string][]string{"a.md": nil, "hr/b.md": {"hr"}, "hr/Päy/2026/c.md": {"hr", "hr/Päy", "hr/Päy/2026"}} {
		if diff := cmp.Diff(want, got.docs[id].Folders); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// Below a folder that cannot be read the rules may have changed unseen: what was
// sent of it must not keep its readers, and must not be taken for deleted.
func TestFoldersThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("no folder is closed to root")
	}
	dir := tree(t, map[string]string{"a.md": "a", "hr/pay/b.md": "b", "hr/c.md": "c"})
	c := openFiles(t, dir, "")
	syncFiles(t, c)
	shut := filepath.Join(dir, "hr")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(shut, 0o755)
	got := syncFiles(t, c)
	if diff := cmp.Diff([]string{"hr"}, got.closed); diff != "" || got.failures["hr"] != "unavailable: the folder cannot be read: permission denied" {
		t.Error(diff, got.failures)
	}
	if err := c.List(t.Context(), func(string, string) error { return nil }); err == nil {
		t.Error("a list without the folder passes for whole")
	}
}

// A file that is moved in with an old time, restored or changed in place shows
// in the next poll, and the list agrees with the sync.
func TestChangesAreNeverMissed(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "one", "b.pdf": "%PDF", "c.png": "x", "d": "\x00\x01"})
	c := openFiles(t, dir, "")
	first := syncFiles(t, c)
	old := time.Now().Add(-1000 * time.Hour)
	for name, content := range map[string]string{"a.md": "two", "old/e.md": "moved in"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "b.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the clock of the file system is coarse
	if err := os.WriteFile(filepath.Join(dir, "b.pdf"), []byte("%PDG"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "b.pdf"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second := syncFiles(t, c)
	if second.docs["a.md"].Body != "two" || second.docs["old/e.md"].Body != "moved in" {
		t.Errorf("%+v", second.docs)
	}
	if first.docs["b.pdf"].Files[0].Ref == second.docs["b.pdf"].Files[0].Ref {
		t.Error("a changed attachment kept its reference")
	}
	var listed []string
	if err := c.List(t.Context(), func(id, _ string) error { listed = append(listed, id); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(second.ids(), listed); diff != "" {
		t.Error(diff)
	}
}

func TestMissingFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	c := openFiles(t, dir, "")
	if _, err := c.Check(t.Context()); core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), dir) {
		t.Errorf("check: %v", err)
	}
	if _, err := collect(t, c); core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), dir) {
		t.Errorf("sync: %v", err)
	}
	if err := c.List(t.Context(), func(string, string) error { return nil }); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("list: %v", err)
	}
	_, _, err := tryOpen(t, "files", `{"dir": "notes"}`)
	if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), `dir: "notes" is not an absolute path`) {
		t.Errorf("relative dir: %v", err)
	}
}

func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 5,000 files")
	}
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("d%02d/f%04d.md", i%50, i)] = fmt.Sprintf("# Page %d\n\n%s", i, strings.Repeat("some words ", 200))
	}
	c := openFiles(t, tree(t, files), "")
	start := time.Now()
	got := syncFiles(t, c)
	took := time.Since(start)
	t.Logf("5,000 files of 2 KB in %v", took)
	if len(got.docs) != 5000 || got.marks < 10 {
		t.Errorf("%d documents, %d checkpoints", len(got.docs), got.marks)
	}
}
