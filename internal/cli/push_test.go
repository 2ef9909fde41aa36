package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/httpapi"
)

// pushing is a user with a source that takes pushes.
func pushing(t testing.TB, more ...string) *user {
	u := newUser(t)
	u.must(append([]string{"source", "add", "push", "--name", "wiki"}, more...)...)
	return u
}

func TestPushFiles(t *testing.T) {
	t.Parallel()
	u := pushing(t, "--access", "workspace")
	u.write(map[string]string{
		"docs/tea.md":      "# Tea\n\nThe samovar is in the east kitchen.\n",
		"docs/prices.csv":  "item,price\nKettle,20\n",
		"docs/broken.docx": "no zip",
	})
	if got := u.must("push", "wiki", "docs/tea.md", "./docs/prices.csv"); got != "wiki: 2 written\n" {
		t.Errorf("first: %q", got)
	}
	if got := u.must("push", "wiki", "docs/tea.md", "docs/prices.csv"); got != "wiki: 2 unchanged\n" {
		t.Errorf("again: %q", got)
	}
	if out := u.must("search", "samovar"); !strings.Contains(out, "east kitchen") {
		t.Errorf("search: %s", out)
	}
	if got := u.must("push", "wiki", "docs/tea.md", "--access", "user:ann@example.com"); got != "wiki: 1 access changed\n" {
		t.Errorf("readers: %q", got)
	}
	if out := u.run("search", "samovar"); strings.Contains(out.out, "east kitchen") {
		t.Errorf("found by whom it was closed to: %s", out.out)
	}
	if out := u.must("search", "samovar", "--as", "ann@example.com"); !strings.Contains(out, "east kitchen") {
		t.Errorf("search of Ann: %s", out)
	}
	o := u.run("push", "wiki", "docs/broken.docx", "docs/tea.md")
	if o.code != exitFailure || o.out != "wiki: 1 access changed, 1 failed\n" || !strings.Contains(o.err, "docs/broken.docx failed: ") {
		t.Errorf("broken: %+v", o)
	}
	if o := u.runIn(t.Context(), "# Note\n\nThe gong is silver.\n", "push", "wiki", "-", "--id", "note", "--title", "Gong", "--url", "https://wiki.example/gong"); o.out != "wiki: 1 written\n" {
		t.Errorf("standard input: %+v", o)
	}
	if got := u.must("push", "wiki", "docs/tea.md", "note", "gone", "--delete"); got != "wiki: 2 deleted, 1 absent\n" {
		t.Errorf("deleted: %q", got)
	}
	u.write(map[string]string{"all.ndjson": `{"id": "one", "text": "The one.", "access": ["public"]}` + "\n\n" + `{"id": "two", "title": "Two", "access": []}` + "\n"})
	var a httpapi.PushAnswer
	if err := json.Unmarshal([]byte(u.must("push", "wiki", "all.ndjson", "--batch", "--complete", "--accept-deletes", "--json")), &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Documents) != 2 || a.Removed != 1 || a.Held != 0 {
		t.Errorf("complete: %+v", a)
	}
}

func TestPushMistakes(t *testing.T) {
	t.Parallel()
	u := pushing(t)
	u.write(map[string]string{"a.md": "text", "docs/x.md": "x", "bad.ndjson": "{"})
	u.must("source", "add", "files", "docs", "--name", "docs")
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"push"}, exitUsage, "a source"},
		{[]string{"push", "wiki"}, exitUsage, "files"},
		{[]string{"push", "wiky", "a.md"}, exitNotFound, "wiki"},
		{[]string{"push", "docs", "a.md"}, exitFailure, "takes no pushes"},
		{[]string{"push", "wiki", "a.md"}, exitFailure, `"access" is missing`},
		{[]string{"push", "wiki", "a.md", "--access", "all"}, exitUsage, "--access"},
		{[]string{"push", "wiki", "b.md", "--access", "public"}, exitNotFound, "b.md"},
		{[]string{"push", "wiki", "a.md", "docs/x.md", "--id", "x"}, exitUsage, "--id"},
		{[]string{"push", "wiki", "-", "--access", "public"}, exitUsage, "--id"},
		{[]string{"push", "wiki", "a.md", "--delete", "--complete"}, exitUsage, "--delete"},
		{[]string{"push", "wiki", "a.md", "--accept-deletes"}, exitUsage, "--complete"},
		{[]string{"push", "wiki", "bad.ndjson", "--batch"}, exitFailure, "Line 1"},
		{[]string{"push", "wiki", "a.md", "--server", "https://x.example"}, exitUsage, "--token-file"},
		{[]string{"push", "wiki", "a.md", "--server", "http://x.example", "--token-file", "a.md"}, exitUsage, "https"},
		{[]string{"source", "add", "push", "--name", "other", "--every", "5m"}, exitUsage, "--every"},
		{[]string{"source", "add", "push", "x"}, exitUsage, "x"},
		{[]string{"sync", "wiki"}, exitFailure, "footnote push"},
		{[]string{"token", "create", "--source", "docs"}, exitFailure, "takes no pushes"},
		{[]string{"token", "create", "--source", "wiki", "--as", "a@b.c"}, exitUsage, "not both"},
		{[]string{"token", "create", "--source", "wiki", "--hash"}, exitUsage, "--hash"},
		{[]string{"token", "create", "--source", "wiki", "--expires", "-1h"}, exitUsage, "--expires"},
	} {
		if o := u.run(row.args...); o.code != row.code || !strings.Contains(o.err, row.want) {
			t.Errorf("%v: %+v", row.args, o)
		}
	}
	u.must("sync") // passes over it
	if out := u.must("source", "list"); !strings.Contains(out, "wiki") || !strings.Contains(out, "push") {
		t.Errorf("list: %s", out)
	}
	if o := u.run("doctor"); !strings.Contains(o.out, "nothing was pushed to it yet") {
		t.Errorf("doctor: %+v", o)
	}
}

func TestPushOverHTTP(t *testing.T) {
	t.Parallel()
	u := pushing(t)
	u.must("source", "add", "push", "--name", "other", "--access", "public")
	s := u.serving()
	token := strings.TrimSpace(u.must("token", "create", "--source", "wiki", "--name", "ci"))
	ended := strings.TrimSpace(u.must("token", "create", "--source", "wiki", "--expires", "1ns"))
	person := u.token("ann@example.com")
	u.write(map[string]string{"token": token + "\n", "ended": ended, "tea.md": "# Tea\n\nThe samovar is in the east kitchen.\n"})

	far := &user{t: t, dir: u.dir, env: map[string]string{"FOOTNOTE_DATA_DIR": filepath.Join(t.TempDir(), "none")}}
	to := []string{"--server", s.url, "--token-file", "token"}
	if got := far.must(append([]string{"push", "wiki", "tea.md", "--access", "user:ann@example.com"}, to...)...); got != "wiki: 1 written\n" {
		t.Errorf("pushed: %q", got)
	}
	var found struct{ Results []json.RawMessage }
	if code := s.call(person, "POST", "/search", `{"query": "samovar"}`, &found); code != 200 || len(found.Results) != 1 {
		t.Errorf("search after it: %d, %d results", code, len(found.Results))
	}
	if o := far.run(append([]string{"push", "other", "tea.md"}, to...)...); o.code != exitDenied || !strings.Contains(o.err, "another source") {
		t.Errorf("another source: %+v", o)
	}
	if o := far.run("push", "wiki", "tea.md", "--server", s.url, "--token-file", "ended"); o.code != exitDenied {
		t.Errorf("expired: %+v", o)
	}
	if code := s.call(token, "POST", "/search", `{"query": "samovar"}`, nil); code != 403 {
		t.Errorf("a token for pushing searches: %d", code)
	}
	if code := s.call(person, "POST", "/documents", `{"id": "x", "delete": true}`, nil); code != 403 {
		t.Errorf("a person pushes: %d", code)
	}
	if got := u.must("push", "wiki", "tea.md", "--access", "user:ann@example.com"); got != "wiki: 1 unchanged\n" {
		t.Errorf("the same over the socket: %q", got)
	}
	if out := u.must("token", "list"); !strings.Contains(out, "pushes to wiki") || !strings.Contains(out, "expired") {
		t.Errorf("list: %s", out)
	}
	u.must("source", "remove", "wiki")
	u.must("source", "add", "push", "--name", "wiki", "--access", "public")
	if code := s.call(token, "POST", "/documents", `{"id": "x", "delete": true}`, nil); code != 401 {
		t.Errorf("a token outlives its source: %d", code)
	}
}

// A push that was killed is made good by the same push.
func TestPushThatIsKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills processes; takes seconds")
	}
	u := pushing(t, "--access", "public")
	var lines strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&lines, `{"id": "d%04d", "text": "Text number %d of many."}`+"\n", n, n)
	}
	u.write(map[string]string{"all.ndjson": lines.String()})
	for n := range 3 {
		cmd := u.start("push", "wiki", "all.ndjson", "--batch")
		time.Sleep(time.Duration(200+300*n) * time.Millisecond) // wherever that is
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
	var a httpapi.PushAnswer
	if err := json.Unmarshal([]byte(u.must("push", "wiki", "all.ndjson", "--batch", "--json")), &a); err != nil || len(a.Documents) != 2000 {
		t.Fatalf("%v, %d documents", err, len(a.Documents))
	}
	if got := u.must("push", "wiki", "all.ndjson", "--batch"); got != "wiki: 2000 unchanged\n" {
		t.Errorf("after that: %q", got)
	}
}
