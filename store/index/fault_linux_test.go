package index

import (
	"os"
	"testing"
)

// lossy is an index whose segments the disk does not give back any more.
func lossy(t *testing.T) *Index {
	t.Helper()
	dir := t.TempDir()
	x := openKept(t, dir)
	if err := x.Put(t.Context(), keptDocuments("still", 20, 1)); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = openKept(t, dir)
	paths, err := x.segmentFiles()
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// A start reads windows beside the comparing of checksums, and finds it as well.
func TestStartOverPagesThatAreGone(t *testing.T) {
	x := lossy(t)
	if err := x.readWindows(t.Context()); err == nil {
		t.Error("windows were read from pages that are gone")
	}
}

func TestWriteOverPagesThatAreGone(t *testing.T) {
	x := lossy(t)
	if err := x.Put(t.Context(), keptDocuments("still", 20, 1)); err == nil {
		t.Error("the write found nothing wrong")
	}
}
