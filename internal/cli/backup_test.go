package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/control"
	"github.com/footnote-bot/footnote/store"
)

// members unpacks a backup.
func members(t *testing.T, path string) (names []string, contents map[string][]byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	contents = map[string][]byte{}
	for in := tar.NewReader(zip); ; {
		head, err := in.Next()
		if err == io.EOF {
			return names, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, head.Name)
		if contents[head.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

// pack writes an archive as a backup has it.
func pack(t *testing.T, path string, names []string, contents map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	for _, name := range names {
		if err := addFile(out, time.Now(), name, int64(len(contents[name])), bytes.NewReader(contents[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A backup brings back what was found and what was answered, whatever came since,
// and keeps that.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	search := []string{"search", "espresso machine descaled barrier code", "--json"}
	u.must("ask", "When is the espresso machine descaled?")
	found, answered := unscored(u.must(search...)), u.must("explain", "--json")
	if out := u.must("backup", "b.tar.gz"); !strings.Contains(out, "not in it: "+filepath.Join(u.dir, "data", keyFile)) {
		t.Errorf("the key is not spoken of: %s", out)
	}
	names, contents := members(t, filepath.Join(u.dir, "b.tar.gz"))
	if !slices.Equal(names, []string{manifestName, store.FileName}) || bytes.Contains(contents[store.FileName], []byte("secret/**")) {
		t.Errorf("in it: %v; secrets are plain", names)
	}
	u.write(map[string]string{"docs/coffee.md": "# Tea\n\nThe samovar is descaled never.\n"})
	u.must("sync")
	u.must("ask", "What else?")
	if unscored(u.must(search...)) == found {
		t.Fatal("the change changes nothing")
	}
	u.must("restore", "b.tar.gz", "--check")
	if unscored(u.must(search...)) == found {
		t.Fatal("--check restores")
	}
	out := u.must("restore", "b.tar.gz")
	aside, err := filepath.Glob(filepath.Join(u.dir, "data", restoreAside+"*"))
	if err != nil || len(aside) != 1 || !strings.Contains(out, aside[0]) || missing(filepath.Join(aside[0], store.FileName)) {
		t.Errorf("what was there is in %v, told %q", aside, out)
	}
	if got := unscored(u.must(search...)); got != found {
		t.Errorf("found %s\nbefore %s", got, found)
	}
	if got := u.must("explain", "--json"); got != answered {
		t.Errorf("answered %s\nbefore %s", got, answered)
	}
	for _, left := range []string{restoreStage, restoreMark} {
		if !missing(filepath.Join(u.dir, "data", left)) {
			t.Errorf("%s is left", left)
		}
	}
	elsewhere(t, u, search, found)
	refusals(t, u)
}

// elsewhere restores on another machine, which has no key of its own.
func elsewhere(t *testing.T, u *user, search []string, found string) {
	other := []string{"--data-dir", filepath.Join(t.TempDir(), "data")}
	r := u.run(append([]string{"restore", "b.tar.gz"}, other...)...)
	if r.code != exitConfig || !strings.Contains(r.err, "--without-key") || !strings.Contains(r.err, filepath.Join(other[1], keyFile)+",") {
		t.Errorf("without a key: %+v", r)
	}
	u.must("backup", "k.tar.gz", "--with-key")
	u.must(append([]string{"restore", "k.tar.gz"}, other...)...)
	if got := unscored(u.must(append(search, other...)...)); got != found {
		t.Errorf("elsewhere: %s\nbefore %s", got, found)
	}
	u.must(append([]string{"restore", "b.tar.gz"}, other...)...) // the folder's own key fits
	if r := u.run("restore", "k.tar.gz", "--data-dir", withNothing(t, u)); r.code != exitFailure || !strings.Contains(r.err, "--other-install") {
		t.Errorf("over another install: %+v", r)
	}
}

// unscored is what was found, in its order, without how well: that goes by how old it
// is today.
func unscored(out string) string {
	return strings.Join(regexp.MustCompile(`"document_id":"[^"]*"|"passage":"[^"]*"`).FindAllString(out, -1), "\n")
}

func withNothing(t *testing.T, u *user) string {
	dir := filepath.Join(t.TempDir(), "data")
	u.must("doctor", "--json", "--data-dir", dir)
	return dir
}

func refusals(t *testing.T, u *user) {
	whole := filepath.Join(u.dir, "b.tar.gz")
	raw, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	names, contents := members(t, whole)
	spoilt := filepath.Join(t.TempDir(), "x.tar.gz")
	ledger := filepath.Join(u.dir, "data", store.FileName)
	before, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	change := func(name string, from, to string) {
		changed := map[string][]byte{name: bytes.Replace(contents[name], []byte(from), []byte(to), 1)}
		for _, n := range names {
			if n != name {
				changed[n] = contents[n]
			}
		}
		pack(t, spoilt, names, changed)
	}
	for name, row := range map[string]struct {
		spoil func()
		says  string
	}{
		"cut off":        {func() { os.WriteFile(spoilt, raw[:len(raw)-40], 0o600) }, "damaged, cut off"},
		"one bit":        {func() { os.WriteFile(spoilt, flip(raw), 0o600) }, "damaged, cut off"},
		"no backup":      {func() { os.WriteFile(spoilt, []byte("hello"), 0o600) }, "no backup"},
		"another ledger": {func() { change(store.FileName, "espresso", "Espresso") }, "does not have the sum"},
		"newer":          {func() { change(manifestName, `"schema": `, `"schema": 9`) }, "newer Footnote"},
		"newer format":   {func() { change(manifestName, `"format": 1`, `"format": 2`) }, "newer Footnote"},
		"a path":         {func() { change(manifestName, `"name": "`, `"name": "../`) }, "which no backup has"},
		"no ledger":      {func() { pack(t, spoilt, names[:1], contents) }, "is missing"},
		"another id":     {func() { change(manifestName, `"install_id": "`, `"install_id": "X`) }, "another ledger"},
	} {
		row.spoil()
		r := u.run("restore", spoilt)
		if after, err := os.ReadFile(ledger); r.code != exitFailure || !strings.Contains(r.err, row.says) || err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: %+v, changed %v, %v", name, r, !bytes.Equal(before, after), err)
		}
		if !missing(filepath.Join(u.dir, "data", restoreStage)) {
			t.Errorf("%s: the stage is left", name)
		}
	}
	lock, err := control.Hold(filepath.Join(u.dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if r := u.run("restore", whole); r.code != exitFailure || !strings.Contains(r.err, "stop it first") {
		t.Errorf("while it is held: %+v", r)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

// flip changes one bit, from the middle on, that makes a difference: of a run of zeros
// the packed form says how far back it repeats, and another distance is the same run.
func flip(raw []byte) []byte {
	whole, _ := unpacked(raw)
	for at := len(raw) / 2; at < len(raw); at++ {
		out := slices.Clone(raw)
		out[at] ^= 4
		if got, err := unpacked(out); err != nil || !bytes.Equal(got, whole) {
			return out
		}
	}
	return nil
}

func unpacked(raw []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// A backup that cannot be written, or is no longer wanted, leaves nothing.
func TestBackupLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"footnote.yaml": "model: {base_url: 'http://127.0.0.1:1/v1', name: m, api_key: sk-1}\n", "there.tar.gz": "mine"})
	u.run("doctor") // makes the folder; the model is down
	if r := u.run("backup", "there.tar.gz"); r.code != exitFailure || !strings.Contains(r.err, "never replaces") {
		t.Errorf("over a file: %+v", r)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r := u.runIn(ended, "", "backup", "x.tar.gz"); r.code != exitInterrupted {
		t.Errorf("stopped: %+v", r)
	}
	if out := u.must("backup", "s.tar.gz"); !strings.Contains(out, "footnote.yaml, which holds keys") {
		t.Errorf("a file with keys is not spoken of: %s", out)
	}
	u.must("backup", "all.tar.gz", "--with-key")
	if names, _ := members(t, filepath.Join(u.dir, "all.tar.gz")); !slices.Equal(names, []string{manifestName, store.FileName, keyFile, "footnote.yaml"}) {
		t.Errorf("in it: %v", names)
	}
	for _, old := range []string{"footnote-backup-20200101-000000.tar.gz", "footnote-backup-notes.tar.gz", "footnote-backup-20200102-000000.tar.gz"} {
		u.write(map[string]string{"kept/" + old: ""})
	}
	u.must("backup", "kept", "--keep", "2")
	left, _ := filepath.Glob(filepath.Join(u.dir, "kept", "*"))
	if len(left) != 3 || filepath.Base(left[0]) != "footnote-backup-20200102-000000.tar.gz" {
		t.Errorf("kept: %v", left)
	}
	if half, _ := filepath.Glob(filepath.Join(u.dir, ".footnote-backup-*")); len(half) != 0 {
		t.Errorf("left: %v", half)
	}
	full := errors.New("no space left")
	err := writeBackup(t.Context(), failing{full}, manifest{})
	if !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Wherever a restore is stopped, the folder is the old one or becomes the new one.
func TestRestoreSurvivesAnyStop(t *testing.T) {
	t.Parallel()
	s := swap{Aside: "aside", Names: []string{store.FileName, keyFile}}
	for stop := 0; ; stop++ {
		dir := t.TempDir()
		u := &user{t: t, dir: dir}
		for _, name := range append(s.outgoing(), "plugins/a", indexFolder+"/old", sourcesDir+"/old") {
			if name != indexFolder && name != sourcesDir {
				u.write(map[string]string{name: "old"})
			}
		}
		u.write(map[string]string{restoreStage + "/" + store.FileName: "new", restoreStage + "/" + keyFile: "new", restoreStage + "/footnote.yaml": "x"})
		if err := s.mark(dir); err != nil {
			t.Fatal(err)
		}
		steps := 0
		_, err := finishRestore(dir, func(from, to string) error {
			if steps++; steps > stop {
				return core.Errorf(core.KindDisk, "stopped")
			}
			return os.Rename(from, to)
		})
		if err == nil && steps <= stop {
			if stop < 8 {
				t.Fatalf("only %d steps", stop)
			}
			return
		}
		if _, err := finishRestore(dir, os.Rename); err != nil {
			t.Fatalf("stop %d: %v", stop, err)
		}
		for name, want := range map[string]string{
			store.FileName: "new", keyFile: "new", store.FileName + "-wal": "", indexFolder + "/old": "", "plugins/a": "old", restoreMark: "",
			"aside/" + store.FileName: "old", "aside/" + keyFile: "old", "aside/" + store.FileName + "-wal": "old", "aside/" + indexFolder + "/old": "old",
			restoreStage + "/footnote.yaml": "",
		} {
			if raw, _ := os.ReadFile(filepath.Join(dir, name)); string(raw) != want {
				t.Errorf("stop %d: %s holds %q, want %q", stop, name, raw, want)
			}
		}
	}
}
