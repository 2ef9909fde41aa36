package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestQuickstart runs the blocks of docs/quickstart.md behind the first step, which
// fetches and builds, one after another in one shell, as the user of a fresh home.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the rehearsal and starts some twenty processes")
	}
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the page calls %s, which is not on this machine", tool)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "quickstart.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, steps, ok := strings.Cut(string(page), "\n## 2. ")
	if !ok {
		t.Fatal("the page has no second step")
	}
	var script strings.Builder
	script.WriteString("set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n")
	blocks := shellBlock.FindAllStringSubmatch(steps, -1)
	for i, b := range blocks {
		fmt.Fprintf(&script, "echo '== block %d'\n%s", i+1, b[1])
	}
	out := runScript(t, newHome(t), script.String())
	for _, want := range []string{
		"> Trips to customers are approved by the team lead", // quoted by ask
		"The documents say: Visitors park",                   // said by the model
		"/admin/login",
		fmt.Sprintf("== block %d\n", len(blocks)),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	// Slack opens no files, so the footnote is a number there.
	_, slack, _ := strings.Cut(out, "UBOT: The documents say: Trips to customers")
	if !strings.Contains(slack, " [1]\n*Sources*\n[1] Travel") || strings.Contains(slack, "travel.md") {
		t.Errorf("the answer in Slack is not the one that is expected:\n%s", out)
	}
}

// newHome is a home in which footnote is built: the test's own binary stands for the
// program, and go, which the page calls for the rehearsal only, for the built
// rehearsal.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	bin := filepath.Join(home, "footnote", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	rehearsal := filepath.Join(bin, "rehearsal")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", rehearsal, "./rehearsal")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"footnote": fmt.Sprintf("%s=1 exec %q \"$@\"\n", asProgram, exe),
		"go":       fmt.Sprintf("[ \"$1 $2\" = 'run ./internal/cli/rehearsal' ] || exit 1\nshift 2\nexec %q \"$@\"\n", rehearsal),
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// runScript runs the script in the home. The ports are any that are free.
func runScript(t *testing.T, home, script string) string {
	t.Helper()
	// A step that never comes would be waited for by the page for ever.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash")
	c.Dir, c.Stdin = home, strings.NewReader(script)
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "FOOTNOTE_HTTP_LISTEN=127.0.0.1:0", "FOOTNOTE_ADMIN_LISTEN=127.0.0.1:0"}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), logsIn(home))
	}
	return out.String()
}

// logsIn is what footnote serve wrote.
func logsIn(home string) string {
	raw, err := os.ReadFile(filepath.Join(home, "team", "serve.log"))
	if err != nil {
		return ""
	}
	return "== serve.log\n" + string(raw)
}
