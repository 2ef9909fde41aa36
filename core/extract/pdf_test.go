package extract

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// cacheDir is shared by all runs on a machine: compiling takes seconds.
func cacheDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "footnote-test-pdfium")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newExtractor(t testing.TB, executable string, l Limits) *Extractor {
	t.Helper()
	x := New(Options{Executable: executable, Limits: l, CacheDir: cacheDir(t)})
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func readPDF(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "pdf", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPDF(t *testing.T) {
	x := newExtractor(t, self(t), Limits{})
	c, err := x.File(t.Context(), "docs/handbook.pdf", "application/pdf", bytes.NewReader(readPDF(t, "handbook.pdf")))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "pdf/handbook.golden", dump(c))
}

// The child answers for a damaged or encrypted file, and goes on with the next.
func TestPDFRefused(t *testing.T) {
	whole := readPDF(t, "handbook.pdf")
	rows := []struct {
		name   string
		limits Limits
		body   []byte
		kind   core.Kind
		says   string
	}{
		{"not a PDF", Limits{}, []byte("hello"), core.KindInvalid, "is not a PDF file"},
		{"only a header", Limits{}, []byte("%PDF-1.7\n"), core.KindInvalid, "is damaged"},
		{"noise", Limits{}, append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("\x00\xffobj<<"), 9999)...), core.KindInvalid, "is damaged"},
		{"encrypted", Limits{}, readPDF(t, "encrypted.pdf"), core.KindInvalid, "protected by a password"},
		{"too many pages", Limits{Pages: 2}, whole, core.KindTooLarge, "more than the 2 that are read"},
		{"too much text", Limits{Text: 100}, whole, core.KindTooLarge, "more than 100 bytes of text"},
		{"too large", Limits{Bytes: 10 << 10}, whole, core.KindTooLarge, "larger than 10 KiB"},
	}
	x := newExtractor(t, self(t), Limits{})
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			x.limits = row.limits.withDefaults()
			_, err := x.File(t.Context(), "a/x.pdf", "application/pdf", bytes.NewReader(row.body))
			if core.KindOf(err) != row.kind || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "a/x.pdf") {
				t.Fatalf("kind %q: %v", core.KindOf(err), err)
			}
			x.limits = Limits{}.withDefaults()
			if _, err := x.File(t.Context(), "b.pdf", "", bytes.NewReader(whole)); err != nil {
				t.Fatalf("the file after it: %v", err)
			}
		})
	}
}

// A file cut off anywhere is read in part or refused, and never hurts anybody.
func TestPDFCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x := newExtractor(t, self(t), Limits{})
	whole := readPDF(t, "handbook.pdf")
	for n := 100; n < len(whole); n += len(whole) / 7 {
		_, err := x.File(t.Context(), "x.pdf", "", bytes.NewReader(whole[:n]))
		if err != nil && core.KindOf(err) != core.KindInvalid {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func TestPDFWithLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x := newExtractor(t, self(t), Limits{Memory: 64 << 20})
	_, err := x.File(t.Context(), "x.pdf", "", bytes.NewReader(manyObjects(1_500_000)))
	if k := core.KindOf(err); k != core.KindInvalid && k != core.KindTooLarge {
		t.Fatalf("kind %q: %v", k, err)
	}
}

// manyObjects is a small PDF that needs much more memory than it has bytes.
func manyObjects(n int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n")
	b.WriteString("3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/X[")
	for range n {
		b.WriteString("<</A[[]]>>")
	}
	b.WriteString("]>>endobj\ntrailer<</Root 1 0 R>>\n")
	return b.Bytes()
}

// impostor links the test binary under a name that makes its children misbehave.
func impostor(t *testing.T, name string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self(t), exe); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	return exe
}

func role(arg0 string) string { return filepath.Base(arg0) }

// misbehave is a child that gets ready, takes a file and then breaks its word.
func misbehave(how string) int {
	var h hello
	var o order
	_ = readJSON(os.Stdin, &h)
	_ = writeJSON(os.Stdout, answer{Ready: true})
	_ = readJSON(os.Stdin, &o)
	for {
		if body, err := readFrame(os.Stdin); err != nil || len(body) == 0 {
			break
		}
	}
	switch how {
	case "hanging":
		time.Sleep(time.Hour)
	case "lying":
		_ = writeJSON(os.Stdout, answer{Page: &rawPage{Number: 7}})
		time.Sleep(time.Hour)
	case "flooding":
		for n := 1; ; n++ {
			p := rawPage{Number: n, Lines: []rawLine{{Text: strings.Repeat("x", 1<<20)}}}
			if writeJSON(os.Stdout, answer{Page: &p}) != nil {
				return 1
			}
		}
	}
	return 0
}

func TestChildMisbehaves(t *testing.T) {
	rows := []struct {
		role   string
		limits Limits
		kind   core.Kind
	}{
		{"hanging", Limits{Time: 200 * time.Millisecond}, core.KindTimeout},
		{"lying", Limits{}, core.KindInvalid},
		{"flooding", Limits{Text: 1 << 20}, core.KindInvalid},
	}
	for _, row := range rows {
		t.Run(row.role, func(t *testing.T) {
			x := newExtractor(t, impostor(t, row.role), row.limits)
			_, err := x.File(t.Context(), "x.pdf", "", bytes.NewReader(readPDF(t, "handbook.pdf")))
			if core.KindOf(err) != row.kind || !strings.Contains(err.Error(), "x.pdf") {
				t.Errorf("kind %q: %v", core.KindOf(err), err)
			}
		})
	}
}

// Killing the child in the middle of its work is reported and the next file is
// read by a new child.
func TestChildKilled(t *testing.T) {
	exe := impostor(t, "hanging")
	x := newExtractor(t, exe, Limits{})
	c, err := x.pool.take(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	x.pool.give(c, true)
	go func() { // as soon as it is at work
		for atWork := false; !atWork; time.Sleep(time.Millisecond) {
			x.pool.mu.Lock()
			atWork = len(x.pool.idle) == 0
			x.pool.mu.Unlock()
		}
		time.Sleep(100 * time.Millisecond)
		c.kill()
	}()
	_, err = x.File(t.Context(), "x.pdf", "", bytes.NewReader(readPDF(t, "handbook.pdf")))
	if core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), "x.pdf was not read: its reader was killed") {
		t.Errorf("kind %q: %v", core.KindOf(err), err)
	}
	x.pool.executable = self(t)
	if _, err = x.File(t.Context(), "x.pdf", "", bytes.NewReader(readPDF(t, "handbook.pdf"))); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// A full or missing folder for temporary files is not the document's fault.
func TestNoTemporaryFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	x := newExtractor(t, self(t), Limits{})
	t.Setenv("TMPDIR", dir)
	_, err := x.File(t.Context(), "x.pdf", "", bytes.NewReader(readPDF(t, "handbook.pdf")))
	if core.KindOf(err) != core.KindDisk || !strings.Contains(err.Error(), dir) {
		t.Errorf("kind %q: %v", core.KindOf(err), err)
	}
}

// A child whose parent was killed leaves, although its stdin stays open.
func TestParentKilled(t *testing.T) {
	inRead, inWrite, err1 := os.Pipe()
	outRead, outWrite, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	defer inWrite.Close()
	defer outRead.Close()
	// The shell lets go of the pipes, so that a child that dies early is seen.
	shell := exec.Command("sh", "-c", `"$0" extract <&3 >&4 & exec 3<&- 4>&-; read line`, self(t))
	shell.ExtraFiles = []*os.File{inRead, outWrite}
	hold, err := shell.StdinPipe()
	if err == nil {
		err = errors.Join(shell.Start(), inRead.Close(), outWrite.Close(), writeJSON(inWrite, hello{CacheDir: cacheDir(t), Memory: 512 << 20}))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	var ready answer
	if err := readJSON(bufio.NewReader(outRead), &ready); err != nil || !ready.Ready {
		t.Fatal(err, ready)
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	shell.Wait() // it was killed
	gone := make(chan struct{})
	go func() {
		io.Copy(io.Discard, outRead)
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(2 * time.Minute):
		t.Error("the child outlives its parent")
		inWrite.Close()
		<-gone
	}
}

// Cancelling ends the child at once, whatever it is doing.
func TestPDFCancelled(t *testing.T) {
	for _, how := range []string{"silent", "hanging"} {
		t.Run(how, func(t *testing.T) {
			x := newExtractor(t, impostor(t, how), Limits{})
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, err := x.File(ctx, "x.pdf", "", bytes.NewReader(readPDF(t, "handbook.pdf")))
			if !errors.Is(err, context.DeadlineExceeded) { // the child would go on for an hour
				t.Error(err)
			}
		})
	}
}

func TestPDFSourceFails(t *testing.T) {
	x := newExtractor(t, self(t), Limits{})
	broken := io.MultiReader(bytes.NewReader(readPDF(t, "handbook.pdf")[:5000]), iotest.ErrReader(io.ErrClosedPipe))
	if _, err := x.File(t.Context(), "x.pdf", "", broken); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestNoExecutable(t *testing.T) {
	x := newExtractor(t, filepath.Join(t.TempDir(), "missing"), Limits{})
	_, err := x.File(t.Context(), "x.pdf", "", bytes.NewReader(readPDF(t, "handbook.pdf")))
	if core.KindOf(err) != core.KindUnavailable || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// The fallback reads the same words, if without their places.
func TestPlainPDF(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "pdf", "handbook.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, _ := f.Stat()
	var text strings.Builder
	a := plainPDF{}.read(f, st.Size(), order{Pages: 100, Text: 1 << 20}, func(p rawPage) error {
		for _, l := range p.Lines {
			text.WriteString(l.Text + "\n")
		}
		return nil
	})
	if a.Done == nil || a.Done.Pages != 3 || !strings.Contains(text.String(), "Reimbursement") {
		t.Errorf("%+v\n%s", a, text.String())
	}
}
