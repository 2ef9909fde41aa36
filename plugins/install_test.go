package plugins_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

func TestInstallLocal(t *testing.T) {
	m := newMachine(t)
	body := program("notes", "0.1.0", "a")
	m.write("bin/notes", body)
	l := m.must(plugins.Wanted{Ref: "bin/notes"})
	if l.Name != "notes" || l.Version != "0.1.0" || l.Source != plugins.SourceLocal || l.Programs[here] != sum(body) || strings.Join(l.Features, " ") != "list" {
		t.Errorf("locked = %+v", l)
	}
	path := m.Program(l)
	if want := filepath.Join(m.Shelf.Dir, "notes", "0.1.0", "notes"); path != want {
		t.Errorf("it lies at %s, not %s", path, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := m.run("notes"); err != nil {
		t.Errorf("it does not run: %v", err)
	}
	p, err := m.Plan(t.Context(), plugins.Wanted{Ref: "bin/notes"})
	if err != nil || !p.Present {
		t.Errorf("a second time: %+v, %v", p, err)
	}
}

func TestOneChangedByteStartsNothing(t *testing.T) {
	m := newMachine(t)
	marker := filepath.Join(m.Installer.Dir, "started")
	body := []byte("#!/bin/sh\n: > '" + marker + "'\n" + strings.TrimPrefix(string(program("notes", "0.1.0", "a")), "#!/bin/sh\n"))
	m.write("notes", body)
	l := m.must(plugins.Wanted{Ref: "./notes"})
	if err := os.Remove(marker); err != nil {
		t.Fatalf("the program leaves no mark: %v", err)
	}
	body[len(body)-2] ^= 1
	if err := os.WriteFile(m.Program(l), body, 0o700); err != nil {
		t.Fatal(err)
	}
	wantError(t, m.run("notes"), core.KindConfig, sum(body), l.Programs[here], "footnote plugin install")
	wantError(t, m.Verify(l), core.KindConfig, sum(body), l.Programs[here], m.LockFile)
	if _, err := os.Stat(marker); err == nil {
		t.Error("the changed program was started")
	}
	m.must(plugins.Wanted{Ref: "./notes"})
	if err := m.run("notes"); err != nil {
		t.Errorf("installed again: %v", err)
	}
}

func TestAnotherVersionReplaces(t *testing.T) {
	m := newMachine(t)
	m.write("notes", program("notes", "0.1.0", "a"))
	m.must(plugins.Wanted{Ref: "./notes"})
	m.write("notes", []byte("#!/bin/sh\necho broken >&2\nexit 1\n"))
	m.fails(plugins.Wanted{Ref: "./notes"}, core.KindUnavailable, "broken")
	if err := m.run("notes"); err != nil {
		t.Fatalf("after a failed installation: %v", err)
	}
	m.write("notes", program("notes", "0.2.0", "a"))
	l := m.must(plugins.Wanted{Ref: "./notes"})
	if l.Version != "0.2.0" || strings.Contains(m.lock(), "0.1.0") {
		t.Errorf("locked = %+v\n%s", l, m.lock())
	}
	if _, err := os.Stat(filepath.Join(m.Shelf.Dir, "notes", "0.1.0")); !os.IsNotExist(err) {
		t.Errorf("the old version is still there: %v", err)
	}
	if err := m.run("notes"); err != nil {
		t.Error(err)
	}
	// A rebuilt program of the same version is what its owner says it is.
	m.write("notes", program("notes", "0.2.0", "b"))
	m.must(plugins.Wanted{Ref: "./notes"})
	if err := m.run("notes"); err != nil {
		t.Error(err)
	}
}

func TestFollowedProgram(t *testing.T) {
	m := newMachine(t)
	path := m.write("notes", program("notes", "0.1.0", "a"))
	m.must(plugins.Wanted{Ref: "./notes"})
	locked := m.lock()
	l := m.must(plugins.Wanted{Ref: "./notes", Follow: true})
	if l.Follows != path || m.lock() != locked {
		t.Errorf("followed = %+v\n%s", l, m.lock())
	}
	m.write("notes", program("notes", "0.9.0", "b"))
	if err := m.run("notes"); err != nil {
		t.Errorf("a new build of a followed program: %v", err)
	}
	if err := m.Remove("notes"); err != nil {
		t.Fatal(err)
	}
	if l, err := m.Find("notes"); err != nil || l.Follows != "" || l.Version != "0.1.0" {
		t.Errorf("no longer followed: %+v, %v", l, err)
	}
	m.must(plugins.Wanted{Ref: "./notes", Follow: true})
	m.must(plugins.Wanted{Ref: "./notes"})
	if l, err := m.Find("notes"); err != nil || l.Follows != "" || l.Version != "0.9.0" {
		t.Errorf("locked again: %+v, %v", l, err)
	}
	if err := m.Remove("notes"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Find("notes"); core.KindOf(err) != core.KindNotFound {
		t.Errorf("removed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(m.Shelf.Dir, "notes")); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

func TestRefused(t *testing.T) {
	m := newMachine(t)
	m.write("files", program("files", "1.0.0", "a"))
	m.write("up", program("../up", "1.0.0", "a"))
	m.write("version", program("version", "../../../x", "a"))
	m.write("dir/x", nil)
	m.write("mute", []byte("#!/bin/sh\nexit 0\n"))
	plain := m.write("plain", []byte("text"))
	if err := os.Chmod(plain, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		want  plugins.Wanted
		kind  core.Kind
		words []string
	}{
		{plugins.Wanted{Ref: "./files"}, core.KindConflict, []string{`"files"`, "comes with Footnote"}},
		{plugins.Wanted{Ref: "./files", Follow: true}, core.KindConflict, []string{"comes with Footnote"}},
		{plugins.Wanted{Ref: "./up"}, core.KindInvalid, []string{`"../up"`}},
		{plugins.Wanted{Ref: "./version"}, core.KindInvalid, []string{`"../../../x"`}},
		{plugins.Wanted{Ref: "./dir"}, core.KindUsage, []string{"is a folder", "go build"}},
		{plugins.Wanted{Ref: "./mute"}, core.KindUnavailable, []string{"stopped while starting"}},
		{plugins.Wanted{Ref: "./plain"}, core.KindInvalid, []string{"chmod +x"}},
		{plugins.Wanted{Ref: "nothing"}, core.KindNotFound, []string{"go:PACKAGE@VERSION"}},
		{plugins.Wanted{Ref: "./files", SHA256: "abc"}, core.KindUsage, []string{"--sha256"}},
		{plugins.Wanted{Ref: "./files", SHA256: strings.Repeat("0", 64)}, core.KindConfig, []string{"should have 0000"}},
		{plugins.Wanted{Ref: "go:x", Follow: true}, core.KindUsage, []string{"--dev"}},
		{plugins.Wanted{Ref: "go:example.org/x"}, core.KindUsage, []string{"go:PACKAGE@VERSION"}},
		{plugins.Wanted{Ref: "go:-x@v1"}, core.KindUsage, []string{"go:PACKAGE@VERSION"}},
		{plugins.Wanted{Ref: "go:example.org/x@v1", SHA256: strings.Repeat("0", 64)}, core.KindUsage, []string{"checksum database"}},
		{plugins.Wanted{Ref: "http://example.org/plugin.json"}, core.KindUsage, []string{"https only"}},
		{plugins.Wanted{Ref: "ftp://example.org/plugin.json"}, core.KindUsage, []string{"https only"}},
		{plugins.Wanted{Ref: "https://me:pw@example.org/plugin.json"}, core.KindUsage, []string{"would stand in the lock"}},
		{plugins.Wanted{Ref: "https://example.org/x.tar.gz"}, core.KindUsage, []string{"--sha256"}},
	} {
		t.Run(row.want.Ref, func(t *testing.T) {
			m := m
			m.t = t
			m.fails(row.want, row.kind, row.words...)
		})
	}
	if m.lock() != "" {
		t.Errorf("something was locked:\n%s", m.lock())
	}
}

// What was locked under the name of a bundled connector is not started in its
// place.
func TestLockCannotTakeABundledName(t *testing.T) {
	m := newMachine(t)
	m.Bundled = nil
	m.write("files", program("files", "1.0.0", "a"))
	m.must(plugins.Wanted{Ref: "./files"})
	m.Bundled = []string{"files"}
	if _, _, ok := m.Pin("files"); ok {
		t.Error("the lock took the name of a bundled connector")
	}
}
