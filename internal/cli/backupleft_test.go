package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
	"github.com/footnote-bot/footnote/store"
)

// A killed backup leaves a copy of the ledger behind; the next one into the folder
// removes it, but never what somebody still writes.
func TestBackupRemovesWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	u := withData(t, "")
	const dead, alive = "kept/.footnote-backup-1", "kept/.footnote-backup-2"
	u.write(map[string]string{dead + "/footnote.db": "half", alive + "/footnote.db": "half", "kept/.footnote-backup-3": "no folder"})
	lock, err := control.Hold(filepath.Join(u.dir, alive))
	if err != nil {
		t.Fatal(err)
	}
	u.must("backup", "kept")
	if !missing(filepath.Join(u.dir, dead)) || missing(filepath.Join(u.dir, alive, "footnote.db")) || missing(filepath.Join(u.dir, "kept/.footnote-backup-3")) {
		t.Error("the wrong ones were removed")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	u.must("backup", "kept/two.tar.gz")
	if left, _ := filepath.Glob(filepath.Join(u.dir, "kept", ".footnote-backup-?*")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// What a backup holds beside the data is put down before the restore counts: whoever
// carries on a restore that was killed knows nothing of it.
func TestRestorePutsTheConfigurationBeside(t *testing.T) {
	t.Parallel()
	const old, mine = "log_level: warn\n", "log_level: error\n"
	u := withData(t, old)
	u.must("backup", "b.tar.gz")
	beside := filepath.Join(u.dir, config.DefaultFile+besideMark)
	if out := u.must("restore", "b.tar.gz"); strings.Contains(out, config.DefaultFile) || !missing(beside) {
		t.Errorf("the same file is spoken of: %s", out)
	}
	u.write(map[string]string{config.DefaultFile: mine})
	if out := u.must("restore", "b.tar.gz"); !strings.Contains(out, "differs from yours and is in "+beside) || u.read(t, config.DefaultFile) != mine || u.read(t, config.DefaultFile+besideMark) != old {
		t.Errorf("a changed file: %s", out)
	}
	for _, name := range []string{beside, filepath.Join(u.dir, config.DefaultFile)} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if out := u.must("restore", "b.tar.gz"); !strings.Contains(out, "wrote "+filepath.Join(u.dir, config.DefaultFile)) || u.read(t, config.DefaultFile) != old || !missing(beside) {
		t.Errorf("no file: %s", out)
	}

	dir := t.TempDir()
	inv := &invocation{Request: control.Request{Dir: dir}, lookup: func(string) (string, bool) { return "", false }}
	cfg, stage := config.Config{DataDir: dir}, filepath.Join(dir, restoreStage)
	v := &user{t: t, dir: dir}
	v.write(map[string]string{restoreStage + "/" + store.FileName: "new", restoreStage + "/" + config.DefaultFile: old})
	stray, err := inv.layStray(cfg, stage, manifest{Members: []member{{Name: config.DefaultFile}}})
	if err != nil || len(stray) != 1 || !missing(filepath.Join(dir, restoreMark)) || v.read(t, config.DefaultFile+besideMark) != old {
		t.Errorf("before the mark: %+v, %v", stray, err)
	}
}

// withData has a data folder with nothing in it that matters.
func withData(t *testing.T, file string) *user {
	t.Helper()
	u := newUser(t)
	u.write(map[string]string{config.DefaultFile: file})
	u.must("token", "create", "--as", "ann@example.com")
	return u
}

func (u *user) read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(u.dir, name))
	if err != nil {
		t.Error(err)
	}
	return string(raw)
}
