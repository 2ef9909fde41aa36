package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// filesWorld writes a folder with testdata for the bundled connector of files.
func filesWorld(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"testdata/docs/coffee.md": "# Coffee\n\nSecond floor.", "testdata/docs/keys.md": "# Keys\n\nAsk at the desk.",
		"testdata/docs/a/parking.md": "# Parking\n\nIn the yard.",
		"testdata/config.json":       `{"dir": "${testdata}/docs"}`,
		"testdata/plugintest.json": `{"touch": ["sh", "-c", "echo tea >> docs/coffee.md"], "remove": ["rm", "docs/keys.md"],
			"skip": {"sync.growth": "takes too long here"}}`,
	} {
		writeTestFile(t, filepath.Join(dir, name), text, 0o600)
	}
	return dir
}

func writeTestFile(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// testResults reads what plugin test --json printed.
func testResults(t *testing.T, out string) map[string]plugintest.Result {
	t.Helper()
	results := map[string]plugintest.Result{}
	for line := range strings.Lines(out) {
		var r plugintest.Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		results[r.ID] = r
	}
	return results
}

// The whole kit; each connector's own package runs it on that connector, so that the
// others are held here to what shows that the program serves them.
func TestPluginTestHoldsFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a dozen processes")
	}
	u, dir := newUser(t), filesWorld(t)
	got := u.run("plugin", "test", "files", "--config", filepath.Join(dir, "testdata", "config.json"), "--json")
	results := testResults(t, got.out)
	if got.code != exitOK || len(results) != len(plugintest.Checks()) {
		t.Fatalf("%+v", got)
	}
	for _, id := range []string{"sync.first", "sync.resume", "sync.touched", "list.equal", "list.removed", "start.orphan"} {
		if results[id].State != plugintest.Pass {
			t.Errorf("%+v", results[id])
		}
	}
	if r := results["sync.growth"]; r.State != plugintest.Skip || !strings.Contains(r.Reason, "takes too long here") {
		t.Errorf("%+v", r)
	}
	for _, r := range results {
		if r.State == plugintest.Fail || r.State == plugintest.Skip && r.Reason == "" {
			t.Errorf("%+v", r)
		}
	}
}

// A folder with a start script, a script and a Go program are found and started.
func TestPluginTestFindsPrograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	u, dir := newUser(t), filesWorld(t)
	writeTestFile(t, filepath.Join(dir, "package.json"), fmt.Sprintf(`{"scripts": {"start": "%s serve-plugin files"}}`, exe), 0o600)
	writeTestFile(t, filepath.Join(dir, "connector"), "#!/bin/sh\nexec "+exe+" serve-plugin files\n", 0o700)
	notes, err := filepath.Abs("../../plugin-sdk/plugintest/testdata/notes")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "connector"), notes} {
		got := u.run("plugin", "test", path, "--only", "start,sync.first,sync.poll,sync.touched,list.removed")
		if got.code != exitOK || !strings.Contains(got.out, "list.removed     pass") || !strings.Contains(got.out, "start.orphan     pass") {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestPluginTestErrors(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	writeTestFile(t, filepath.Join(u.dir, "notes.txt"), "text", 0o600)
	writeTestFile(t, filepath.Join(u.dir, "empty", "README"), "text", 0o600)
	writeTestFile(t, filepath.Join(u.dir, "node", "package.json"), `{"scripts": {}}`, 0o600)
	writeTestFile(t, filepath.Join(u.dir, "bad.json"), `[]`, 0o600)
	for _, test := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"nope"}, exitNotFound, "neither a folder or program"},
		{[]string{"./nope"}, exitNotFound, "cannot be read"},
		{[]string{"notes.txt"}, exitFailure, "chmod +x"},
		{[]string{"empty"}, exitNotFound, "neither a Go program nor a package.json"},
		{[]string{"node"}, exitFailure, "no start script"},
		{[]string{"files", "--config", "bad.json"}, exitConfig, "one JSON object"},
		{[]string{"files", "--config", "none.json"}, exitConfig, "none.json"},
		{[]string{"files", "--only", "sync.frist"}, exitUsage, "sync.first"},
		{nil, exitUsage, "the name of a bundled connector"},
	} {
		got := u.run(append([]string{"plugin", "test"}, test.args...)...)
		if got.code != test.code || !strings.Contains(got.err, test.text) {
			t.Errorf("%v: %+v", test.args, got)
		}
	}
}

// A connector that fails a check fails the command.
func TestPluginTestFails(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	writeTestFile(t, filepath.Join(u.dir, "dead"), "#!/bin/sh\necho no luck >&2\nexit 3\n", 0o700)
	got := u.run("plugin", "test", "dead")
	if got.code != exitFailure || !strings.Contains(got.out, "start.up         fail") || !strings.Contains(got.out, "no luck") ||
		!strings.Contains(got.out, "0 passed, 1 failed") || got.err != "" {
		t.Errorf("%+v", got)
	}
}
