package index

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// TestChecksumsLater compares the text of a large index with its checksums beside
// the searches.
func TestChecksumsLater(t *testing.T) {
	dir, log := t.TempDir(), &bytes.Buffer{}
	start := func() *Index {
		t.Helper()
		x, err := Open(t.Context(), dir, Options{Install: "a", Log: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := start()
	doc := core.IndexedDocument{Facts: core.Facts{Document: "s/a"}, Passages: []core.Passage{{ID: 1, Document: "s/a", Text: "walrus"}}}
	if err := x.Put(t.Context(), []core.IndexedDocument{doc}); err != nil {
		t.Fatal(err)
	}
	paths, err := x.segmentFiles()
	if err != nil || len(paths) == 0 {
		t.Fatalf("segmentFiles: %v, %v", paths, err)
	}
	b, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	x.checkLater(append(paths, dir+"/merged-meanwhile.zap"), 0)
	<-x.checked
	if x.Damage() != nil {
		t.Fatalf("whole files count as damaged: %s", log)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = start()
	b[len(b)/2] ^= 1
	copied := dir + "/copy.zap" // the engine has the other one in memory
	if err := os.WriteFile(copied, b, 0o600); err != nil {
		t.Fatal(err)
	}
	x.checkLater([]string{copied}, 0)
	<-x.checked
	if err := x.Damage(); core.KindOf(err) != core.KindInternal || !strings.Contains(err.Error(), dir) {
		t.Errorf("Damage: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x = start(); !x.Fresh() {
		t.Error("the next start does not begin empty")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "it is rebuilt at the next start") {
		t.Errorf("the log does not tell of the damage: %s", log)
	}
}

// That a file cannot be opened at the moment is no damage, for which the whole index
// would be thrown away.
func TestFilesThatCannotBeOpenedAreNotDamaged(t *testing.T) {
	for _, reason := range []error{fs.ErrPermission, syscall.EMFILE, syscall.ENFILE} {
		if err := error(&fs.PathError{Op: "open", Path: "a.zap", Err: reason}); !isDisk(err) || core.KindOf(diskError("d", err)) != core.KindDisk {
			t.Errorf("%v counts as damage", err)
		}
	}
	if isDisk(&fs.PathError{Op: "read", Path: "a.zap", Err: syscall.EIO}) {
		t.Error("a page that the disk cannot read is damage")
	}
	if os.Geteuid() == 0 {
		return // may open everything
	}
	log := &bytes.Buffer{}
	x, err := Open(t.Context(), t.TempDir(), Options{Install: "a", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	closed := x.dir + "/closed.zap"
	if err := os.WriteFile(closed, nil, 0); err != nil {
		t.Fatal(err)
	}
	x.checkLater([]string{closed}, 0)
	<-x.checked
	if x.Damage() != nil || !strings.Contains(log.String(), "cannot be compared") {
		t.Errorf("Damage: %v; the log says %s", x.Damage(), log)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}
