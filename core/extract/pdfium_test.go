package extract

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The module in the program is that of the library's version in go.mod.
func TestPDFiumModule(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/klippa-app/go-pdfium").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "internal", "pdfium_wasm", "pdfium.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		writePDFium(t, want)
		return
	}
	got, err := pdfiumModule()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("pdfium.wasm.gz holds another module of %d bytes than the library's %d; run this test with -update", len(got), len(want))
	}
}

// writePDFium packs with what Go has. What is in the repository was packed again by
// zopfli --i30, which makes it 3 % smaller.
func writePDFium(t *testing.T, module []byte) {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(module); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("pdfium.wasm.gz", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
