package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/plugins"
)

// author is a user who has written a connector called notes and built it.
func author(t *testing.T) *user {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles a connector")
	}
	u := newUser(t)
	if err := os.CopyFS(u.dir, os.DirFS(notesConnector(t))); err != nil {
		t.Fatal(err)
	}
	return u
}

// written is a folder in which somebody wrote the connector notes and built it. All
// tests copy it.
var written struct {
	sync.Mutex
	dir string
}

func notesConnector(t *testing.T) string {
	t.Helper()
	written.Lock()
	defer written.Unlock()
	if written.dir != "" {
		return written.dir
	}
	dir, err := os.MkdirTemp("", "written-") // runTests removes it
	if err != nil {
		t.Fatal(err)
	}
	u := newUser(t)
	u.dir = dir
	u.must("plugin", "new", "notes")
	goTool(t, filepath.Join(dir, "notes"), "build", "-o", "bin/notes", ".")
	written.dir = dir
	return dir
}

func (u *user) notesFolder() string { return filepath.Join(u.dir, "notes", "testdata", "notes") }

// answering runs a command of somebody at a terminal.
func (u *user) answering(in string, args ...string) outcome {
	var out, errs bytes.Buffer
	inv := u.invocation(strings.NewReader(in), &out, &errs, args...)
	inv.InTTY = true
	code := inv.run(u.t.Context())
	return outcome{code, out.String(), errs.String()}
}

func (u *user) plugins() map[string]pluginView {
	u.t.Helper()
	views := map[string]pluginView{}
	for line := range strings.Lines(u.must("plugin", "list", "--json")) {
		var v pluginView
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			u.t.Fatal(err)
		}
		views[v.Name] = v
	}
	return views
}

func TestInstalledConnectorIsUsed(t *testing.T) {
	t.Parallel()
	u := author(t)
	if o := u.run("plugin", "install", "notes/bin/notes"); o.code != exitUsage || !strings.Contains(o.err, "--yes") {
		t.Fatalf("without anybody to ask: %+v", o)
	}
	if o := u.answering("n\n", "plugin", "install", "notes/bin/notes"); o.code != exitDenied || !strings.Contains(o.err, filepath.Join(u.dir, "notes/bin/notes")) {
		t.Fatalf("refused: %+v", o)
	}
	if o := u.run("source", "add", "notse", "x"); o.code != exitNotFound || !strings.Contains(o.err, "footnote plugin install") {
		t.Errorf("not installed: %+v", o)
	}
	if o := u.answering("y\n", "plugin", "install", "notes/bin/notes"); o.code != 0 || strings.Count(o.err, "[y/N]") != 1 {
		t.Fatalf("accepted: %+v", o)
	}
	if o := u.run("plugin", "install", "notes/bin/notes"); o.code != 0 || !strings.Contains(o.out, "already") {
		t.Errorf("twice: %+v", o)
	}
	if o := u.run("source", "add", "notse", "x"); !strings.Contains(o.err, "did you mean notes?") {
		t.Errorf("a slip: %+v", o)
	}
	u.must("source", "add", "notes", u.notesFolder(), "--name", "n")
	u.must("sync")
	if a := u.ask("ask", "When do the beans come?"); len(a.Citations) != 1 || a.Citations[0].DocumentID != "n/coffee.md" {
		t.Errorf("answer = %+v", a)
	}
	v := u.plugins()["notes"]
	if v.Version != "0.1.0" || v.Source != "local" || v.Protocol != 1 || len(v.Sources) != 1 || v.Sources[0].Name != "n" || v.State != "ok" {
		t.Errorf("list = %+v", v)
	}
	if o := u.run("plugin", "remove", "notes"); o.code != exitFailure || !strings.Contains(o.err, "footnote source remove n") {
		t.Errorf("removed while in use: %+v", o)
	}
	u.changeOneByte(filepath.Join(u.dir, "data", "plugins", "notes", "0.1.0", "notes"))
	u.must("source", "remove", "n")
	u.must("plugin", "remove", "notes")
	if _, ok := u.plugins()["notes"]; ok {
		t.Error("it is still listed")
	}
}

// changeOneByte changes a program, and looks at everything that must notice.
func (u *user) changeOneByte(program string) {
	u.t.Helper()
	if out := u.must("plugin", "verify"); !strings.Contains(out, "ok") {
		u.t.Errorf("verify: %s", out)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		u.t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(program, text, 0o700); err != nil {
		u.t.Fatal(err)
	}
	if o := u.run("sync", "n"); o.code != exitConfig || !strings.Contains(o.err, "was changed or replaced") {
		u.t.Errorf("sync of a changed program: %+v", o)
	}
	for _, args := range [][]string{{"plugin", "verify"}, {"plugin", "verify", "notes"}, {"doctor"}} {
		if o := u.run(args...); o.code != exitFailure || !strings.Contains(o.out, "connector notes") || !strings.Contains(o.out, "was changed or replaced") {
			u.t.Errorf("%v: %+v", args, o)
		}
	}
	if v := u.plugins()["notes"]; v.State != "changed" || v.LastError == "" {
		u.t.Errorf("list = %+v", v)
	}
}

// A lock beside footnote.yaml travels with it, and footnote.yaml names connectors
// as commands do.
func TestLockBesideConfiguration(t *testing.T) {
	t.Parallel()
	u := author(t)
	u.write(map[string]string{"footnote.yaml": "sources:\n  - {name: n, connector: notes, config: {dir: " + u.notesFolder() + "}}\n"})
	if o := u.run("sync"); o.code != exitNotFound || !strings.Contains(o.err, "footnote plugin install") {
		t.Errorf("not installed yet: %+v", o)
	}
	u.must("plugin", "install", "--yes", "notes/bin/notes")
	if _, err := os.Stat(filepath.Join(u.dir, "plugins.lock")); err != nil {
		t.Error(err)
	}
	u.must("sync")
	// A program that is followed is started as it is.
	u.must("plugin", "install", "--dev", "--yes", "notes/bin/notes")
	if v := u.plugins()["notes"]; v.State != "dev" || !strings.Contains(v.Source, "notes/bin/notes") {
		t.Errorf("list = %+v", v)
	}
	u.must("sync")
	if out := u.must("plugin", "remove", "notes"); !strings.Contains(out, "counts again") {
		t.Errorf("output = %q", out)
	}
	u.must("sync")
}

func TestRunAndDescribe(t *testing.T) {
	t.Parallel()
	u := author(t)
	var lines []changeView
	for _, ref := range []string{"./notes", "notes/bin/notes"} {
		args := []string{"plugin", "run", ref}
		if ref == "notes/bin/notes" {
			args = append(args, "--config", "notes/testdata/config.json")
		}
		lines = nil
		for line := range strings.Lines(u.must(args...)) {
			var v changeView
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, v)
		}
		if len(lines) != 3 || lines[0].ID != "coffee.md" || !strings.Contains(lines[0].Body, "green box") || lines[2].Event != eventCheckpoint {
			t.Errorf("%s: %+v", ref, lines)
		}
	}
	program := []string{"plugin", "run", "notes/bin/notes", "--config", "notes/testdata/config.json"}
	if out := u.must(append(program, "--limit", "1")...); strings.Count(out, "\n") != 1 {
		t.Errorf("limit: %s", out)
	}
	u.must(append(program, "--since", lines[2].Cursor)...)
	if o := u.run("plugin", "run", "notes/bin/notes", "--config", "nothing.json"); o.code != exitNotFound || !strings.Contains(o.err, "nothing.json") {
		t.Errorf("no configuration: %+v", o)
	}
	var v connectorView
	if err := json.Unmarshal([]byte(u.must("plugin", "describe", "./notes", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Name != "notes" || len(v.Fields) != 1 || v.Fields[0].Name != "dir" || !v.Fields[0].Required || v.Tools == nil {
		t.Errorf("described: %+v", v)
	}
	page := u.must("plugin", "describe", "notes/bin/notes", "--markdown")
	if !strings.Contains(page, "# notes\n") || !strings.Contains(page, "| `dir` | string | required |") {
		t.Errorf("page:\n%s", page)
	}
}

// What make dist builds is what plugin install takes.
func TestReleaseOfTheScaffold(t *testing.T) {
	t.Parallel()
	u := author(t)
	dir := filepath.Join(u.dir, "notes")
	here := runtime.GOOS + "/" + runtime.GOARCH
	dist := func(version string) {
		cmd := exec.CommandContext(t.Context(), "sh", "release.sh", "notes", version, here)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "BUILD_FLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("release.sh: %v\n%s", err, out)
		}
	}
	dist("v1.0.0")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(dir, "dist"))))
	defer server.Close()
	address := server.URL + "/plugin.json"
	u.must("plugin", "install", "--yes", address)
	u.must("source", "add", "notes", u.notesFolder(), "--name", "n")
	if v := u.plugins()["notes"]; v.Version != "1.0.0" || v.Source != address {
		t.Errorf("list = %+v", v)
	}
	dist("1.1.0")
	if o := u.run("plugin", "install", "--yes", address); o.code != 0 || !strings.Contains(o.out, "1.1.0") {
		t.Fatalf("another version: %+v", o)
	}
	u.must("sync")
	if err := os.RemoveAll(filepath.Join(u.dir, "data", "plugins")); err != nil {
		t.Fatal(err)
	}
	if o := u.run("plugin", "verify"); o.code != exitFailure || !strings.Contains(o.out, "footnote plugin install notes") {
		t.Errorf("the program is missing: %+v", o)
	}
	u.must("plugin", "install", "--yes") // all that the lock names
	u.must("sync")
}

func TestDescribeBundled(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	out := u.must("plugin", "describe", "files")
	for _, want := range []string{"files devel", "features: check, list, fetch", "folder to read", "secret", "auth: none"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	u.write(library())
	u.write(map[string]string{"c.json": `{"dir": "${testdata}/docs"}`})
	if out := u.must("plugin", "run", "files", "--config", "c.json", "--limit", "2"); strings.Count(out, `"event":"document"`) != 2 {
		t.Errorf("run:\n%s", out)
	}
}

func TestPluginCommandsNeedNoConfiguration(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if o := u.run("plugin", "verify"); o.code != 0 {
		t.Errorf("verify: %+v", o)
	}
	if _, err := os.Stat(filepath.Join(u.dir, "data")); err == nil {
		t.Error("verify made a data folder")
	}
	for _, row := range []struct {
		args []string
		code int
		word string
	}{
		{[]string{"verify", "jira"}, exitNotFound, "there is no connector \"jira\""},
		{[]string{"verify", "files"}, exitUsage, "part of its program"},
		{[]string{"remove", "files"}, exitUsage, "part of its program"},
		{[]string{"install"}, exitUsage, "names no connectors"},
		{[]string{"install", "nothing"}, exitNotFound, "there is no file"},
		{[]string{"run", "files", "--since", "base64:!"}, exitUsage, "--since"},
		{[]string{"run", "files", "--limit", "-1"}, exitUsage, "--limit"},
		{[]string{"describe", "files", "--json", "--markdown"}, exitUsage, "choose"},
	} {
		if o := u.run(append([]string{"plugin"}, row.args...)...); o.code != row.code || !strings.Contains(o.err, row.word) {
			t.Errorf("%v: %+v", row.args, o)
		}
	}
	u.write(map[string]string{"data/plugins.lock": "lock 1\n<<<<<<< HEAD\n"})
	if o := u.run("plugin", "verify"); o.code != exitConfig || !strings.Contains(o.err, "line 2") {
		t.Errorf("a broken lock: %+v", o)
	}
}

// What a source can do is asked anew of another program: it may censor.
func TestAnotherProgramIsAskedAnew(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	ctx := t.Context()
	a, err := openApp(ctx, mustConfig(t, u), os.Args[0], discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	src, err := a.store.Source(ctx, "docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		connector string
		known     bool
	}{{"another", true}, {"files", false}} {
		if err := a.sources.outdate(ctx, row.connector); err != nil {
			t.Fatal(err)
		}
		if known, ok := a.sources.remembered(ctx, src); ok != row.known {
			t.Errorf("after another program of %s: %v, %v", row.connector, known, ok)
		}
	}
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	inData, beside := filepath.Join(u.dir, "data", lockName), filepath.Join(u.dir, lockName)
	at := func(want string) {
		t.Helper()
		if got := lockFile(mustConfig(t, u)); got != want {
			t.Errorf("the lock is %s, not %s", got, want)
		}
	}
	at(inData)
	u.write(map[string]string{"footnote.yaml": "data_dir: data\n"})
	at(beside)
	u.write(map[string]string{"data/" + lockName: "lock 1\n"}) // begun before there was a footnote.yaml
	at(inData)
	u.write(map[string]string{lockName: "lock 1\n"})
	at(beside)
}

func TestCursorsCanBeCopied(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"2026-01-01T00:00:00Z", `{"page":2}`, "\xff\x00", "base64:x", "ä"} {
		got, err := parseCursor(cursorText([]byte(c)))
		if err != nil || string(got) != c {
			t.Errorf("%q became %q by way of %q, %v", c, got, cursorText([]byte(c)), err)
		}
	}
}

func TestListTellsWhatRests(t *testing.T) {
	t.Parallel()
	v := pluginView{Name: "jira", State: "ok"}.with([]pluginSourceView{
		{Name: "a", State: plugins.StateRunning}, {Name: "b", State: plugins.StateParked, Error: "refused"}, {Name: "c", State: plugins.StateWaiting, Error: "busy"},
	})
	if got := v.sources(); got != "a, b (parked), c (waiting)" || v.LastError != "b: refused" {
		t.Errorf("%q, %q", got, v.LastError)
	}
	if none := (pluginView{Name: "jira", LastError: "changed"}).with(nil); none.Sources == nil || none.LastError != "changed" {
		t.Errorf("%+v", none)
	}
}
