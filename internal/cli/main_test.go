package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/control"
)

// asProgram makes the test binary behave as the footnote program.
const asProgram = "FOOTNOTE_TEST_AS_PROGRAM"

// TestMain lets the program under test start itself: connectors and extraction
// run in child processes of the same binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "serve-plugin" && os.Args[2] == deskConnector {
		serveDesk()
		os.Exit(0)
	}
	if len(os.Args) > 1 && slices.Contains([]string{"serve-plugin", "extract"}, os.Args[1]) || os.Getenv(asProgram) != "" {
		os.Exit(Main())
	}
	os.Exit(runTests(m))
}

// user runs commands in a folder of their own.
type user struct {
	t   testing.TB
	dir string
	env map[string]string

	goEnv []string // of the Go toolchain; nil: that of the tests
}

func newUser(t testing.TB) *user {
	t.Helper()
	// The usual port of the admin pages is one for all who serve on this machine.
	return &user{t: t, dir: t.TempDir(), env: map[string]string{"FOOTNOTE_ADMIN_LISTEN": "127.0.0.1:0"}}
}

// outcome is what a command did.
type outcome struct {
	code     int
	out, err string
}

func (u *user) invocation(in io.Reader, out, errs io.Writer, args ...string) *invocation {
	exe, err := os.Executable()
	if err != nil {
		u.t.Fatal(err)
	}
	return &invocation{
		Request:  control.Request{Args: args, Dir: u.dir},
		streams:  control.Streams{In: in, Out: out, Err: errs, Interrupts: &control.Interrupts{}},
		patience: patience,
		limit:    patience,
		goEnv:    u.goEnv,
		lookup:   func(name string) (string, bool) { v, ok := u.env[name]; return v, ok },
		exe:      exe,
	}
}

func (u *user) runIn(ctx context.Context, in string, args ...string) outcome {
	u.t.Helper()
	var out, errs bytes.Buffer
	code := u.invocation(strings.NewReader(in), &out, &errs, args...).run(ctx)
	return outcome{code, out.String(), errs.String()}
}

func (u *user) run(args ...string) outcome { return u.runIn(u.t.Context(), "", args...) }

// must runs a command that has to end well and returns its standard output.
func (u *user) must(args ...string) string {
	u.t.Helper()
	o := u.run(args...)
	if o.code != 0 {
		u.t.Fatalf("footnote %s: exit code %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o.out
}

// ask returns the answer object.
func (u *user) ask(args ...string) core.Answer {
	u.t.Helper()
	var a core.Answer
	text := u.must(append(args, "--json")...)
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		u.t.Fatalf("%v in %q", err, text)
	}
	return a
}

// write puts files into the user's folder.
func (u *user) write(files map[string]string) {
	u.t.Helper()
	for name, text := range files {
		path := filepath.Join(u.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			u.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			u.t.Fatal(err)
		}
	}
}

// library is a folder of documents that most tests use.
func library() map[string]string {
	return map[string]string{
		"docs/parking.md":    "# Parking\n\nVisitors park on level minus two. The barrier code changes every Monday and is printed at the reception.\n",
		"docs/coffee.md":     "# Coffee machine\n\nThe espresso machine is descaled every second Friday by the facility team. Beans come from Altenburg.\n",
		"docs/backup.md":     "# Backups\n\n## Restore\n\nRun `restore --latest` on the standby. A restore of the billing database takes forty minutes.\n",
		"docs/secret/pay.md": "# Pay\n\nThe managing director earns 91000 crowns a year.\n",
		"docs/page.html":     "<html><head><title>Printer help</title></head><body><h1>Printer help</h1><p>The plotter on floor three needs A0 paper rolls from the cellar.</p></body></html>",
	}
}

// withLibrary is a user whose documents are read.
func withLibrary(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	u.write(library())
	u.must("source", "add", "files", "docs", "--name", "docs", "--set", `access={"secret/**":["user:boss@example.com"]}`)
	u.must("sync")
	return u
}

func cited(a core.Answer) []string {
	var ids []string
	for _, c := range a.Citations {
		ids = append(ids, c.DocumentID)
	}
	return ids
}
