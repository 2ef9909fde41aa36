package plugins

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is read as a lock is written so that it is read as the same again.
func FuzzLock(f *testing.F) {
	f.Add("plugin a\n version 1\n source local\n program linux/amd64 sha256:" + zeroSum + "\n")
	f.Add("plugin a\n version 1\n source go:x@v1\n module x v1 h1:=\n features a b\n follows \"/a b\"\n")
	f.Add("plugin a\n version 1\n source x\n download linux/amd64 sha256:" + zeroSum + " https://example.org/a?b=c#d\nplugin b\n")
	f.Fuzz(func(t *testing.T, text string) {
		blocks, err := parseLock("x", []byte("lock 1\n"+text))
		if err != nil {
			return
		}
		written := formatLock(blocks)
		again, err := parseLock("x", written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if !bytes.Equal(formatLock(again), written) {
			t.Fatalf("it changes from one writing to the next:\n%s", written)
		}
		for _, b := range blocks {
			if !filepath.IsLocal(filepath.Join(b.Name, b.Version)) || strings.ContainsRune(b.Name+b.Version, '/') {
				t.Fatalf("%q %q leads out of the folder", b.Name, b.Version)
			}
		}
	})
}

// An archive writes one file, at our place, or none.
func FuzzUnpack(f *testing.F) {
	var tarred, zipped bytes.Buffer
	z := gzip.NewWriter(&tarred)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "a/jira", Mode: 0o755, Size: 1, Typeflag: tar.TypeReg})
	w.Write([]byte("x"))
	w.Close()
	z.Close()
	f.Add(tarred.Bytes())
	v := zip.NewWriter(&zipped)
	file, _ := v.Create("jira")
	file.Write([]byte("x"))
	v.Close()
	f.Add(zipped.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		tmp := filepath.Join(dir, "tmp")
		if err := os.Mkdir(tmp, 0o700); err != nil {
			t.Fatal(err)
		}
		download := filepath.Join(tmp, "download")
		if err := os.WriteFile(download, data, 0o600); err != nil {
			t.Fatal(err)
		}
		path, err := unpack(t.Context(), download, "jira", tmp)
		if err == nil && path != download && path != filepath.Join(tmp, "program") {
			t.Errorf("the program is %s", path)
		}
		if outside, _ := os.ReadDir(dir); len(outside) != 1 {
			t.Errorf("written outside: %v", outside)
		}
		if inside, _ := os.ReadDir(tmp); len(inside) > 2 {
			t.Errorf("more than the program: %v", inside)
		}
	})
}
