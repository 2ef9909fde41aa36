package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// goTool runs the Go toolchain in a folder, without a network.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS="+goFlags("-mod=mod"), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestRoadOfAnAuthor does what the page for authors says, on what new writes.
func TestRoadOfAnAuthor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles connectors")
	}
	for _, row := range []struct {
		name  string
		args  []string
		tests []string // the whole kit runs on each in go test and on one by command
	}{{"notes", nil, []string{"--only", "start,sync.first,sync.touched,list.removed"}}, {"my-wiki", []string{"--full"}, nil}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			u.must(append([]string{"plugin", "new", row.name}, row.args...)...)
			dir := filepath.Join(u.dir, row.name)
			goTool(t, dir, "build", "-o", "bin/", ".") // at once, before go mod tidy
			// -e: the tests of other modules, which tidy wants to see, need a network.
			goTool(t, dir, "mod", "tidy", "-e")
			goTool(t, dir, "vet", "./...")
			goTool(t, dir, "test", "-vet=off", "./...")
			if out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).Output(); err != nil || len(out) > 0 {
				t.Errorf("gofmt: %s, %v", out, err)
			}
			u.dir = dir
			if o := u.run(append([]string{"plugin", "test", "."}, row.tests...)...); o.code != 0 || !strings.Contains(o.out, " 0 failed") {
				t.Errorf("plugin test: %+v", o)
			}
			if out := u.must("plugin", "describe", ".", "--json"); strings.Contains(out, `"name":"read_note"`) != (row.args != nil) {
				t.Errorf("its tools: %s", out)
			}
		})
	}
}

func TestNewIsShortAndWhole(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	out := u.must("plugin", "new", "notes")
	for _, step := range []string{"cd notes", "go mod tidy", "go test ./...", "footnote plugin test ."} {
		if !strings.Contains(out, step) {
			t.Errorf("%q is missing in %s", step, out)
		}
	}
	main, err := os.ReadFile(filepath.Join(u.dir, "notes", "main.go"))
	if n := bytes.Count(main, []byte("\n")); err != nil || n > 40 {
		t.Errorf("main.go has %d lines, %v", n, err)
	}
	for _, name := range []string{"main_test.go", "README.md", "Makefile", "release.sh", ".gitignore", "go.mod", "testdata/config.json", ".github/workflows/release.yml"} {
		text, err := os.ReadFile(filepath.Join(u.dir, "notes", name))
		if err != nil || bytes.Contains(text, []byte("[[")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if _, err := os.Stat(filepath.Join(u.dir, "notes", "optional.go")); err == nil {
		t.Error("the optional parts came unasked")
	}
	var config map[string]string
	text, _ := os.ReadFile(filepath.Join(u.dir, "notes", "testdata", "config.json"))
	if err := json.Unmarshal(text, &config); err != nil || config["dir"] == "" {
		t.Errorf("config.json: %s, %v", text, err)
	}
	u.must("plugin", "new", "--full", "other")
	if _, err := os.Stat(filepath.Join(u.dir, "other", "optional.go")); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"full/x": "y"})
	for _, row := range []struct {
		args []string
		code int
		word string
	}{
		{[]string{"full"}, exitFailure, "not empty"},
		{[]string{"files"}, exitFailure, "comes with Footnote"},
		{[]string{"My Wiki"}, exitUsage, "small letters"},
		{[]string{"a", "--lang", "python"}, exitUsage, "python"},
		{[]string{"a", "--module", "x\nreplace y => z"}, exitUsage, "module path"},
		{nil, exitUsage, "a name"},
	} {
		o := u.run(append([]string{"plugin", "new"}, row.args...)...)
		if o.code != row.code || !strings.Contains(o.err, row.word) {
			t.Errorf("%v: %+v", row.args, o)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(u.dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhereTheSDKComesFrom(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		version, source string
		want            sdkModule
	}{
		{"v1.2.0", "/src", sdkModule{version: "v1.2.0"}},
		{"v1.2.0-rc.1", "", sdkModule{version: "v1.2.0-rc.1"}},
		{"devel", "/src", sdkModule{version: "v0.0.0", source: "/src"}},
		{"v1.2.0+dirty", "/src", sdkModule{version: "v0.0.0", source: "/src"}},
		{"v0.0.0-20260101000000-abcdefabcdef", "/src", sdkModule{version: "v0.0.0", source: "/src"}},
		{"v1.2.1-0.20260101000000-abcdefabcdef+dirty", "/src", sdkModule{version: "v0.0.0", source: "/src"}},
		{"devel", "", sdkModule{}},
	} {
		if got := moduleOf(row.version, row.source); got != row.want {
			t.Errorf("%q from %q: %+v", row.version, row.source, got)
		}
	}
	dir := filepath.Join(t.TempDir(), "x")
	if err := (sdkModule{version: "v1.2.0"}).write(dir, "example.org/x"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if want := "module example.org/x\n\ngo 1.26.0\n\nrequire github.com/footnote-bot/footnote v1.2.0\n"; err != nil || string(text) != want {
		t.Errorf("go.mod:\n%s%v", text, err)
	}
	if err := (sdkModule{version: "v0.0.0", source: filepath.Join(dir, "gone")}).write(dir, "example.org/x"); core.KindOf(err) != core.KindDisk {
		t.Errorf("error = %v", err)
	}
}

func TestSourceFolder(t *testing.T) {
	t.Parallel()
	dir := sourceFolder("/nowhere/footnote")
	if dir == "" {
		t.Skip("built with -trimpath")
	}
	if _, err := os.Stat(filepath.Join(dir, "plugin-sdk", "source.go")); err != nil {
		t.Error(err)
	}
	if isOurs(t.TempDir()) {
		t.Error("an empty folder is no checkout")
	}
}
