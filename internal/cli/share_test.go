package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/control"
)

// waiter is a writer that tells when a text has been written to it.
type waiter struct {
	mu   sync.Mutex
	all  bytes.Buffer
	text string
	seen chan struct{}
	once sync.Once
}

func newWaiter(text string) *waiter { return &waiter{text: text, seen: make(chan struct{})} }

func (w *waiter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(p)
	if strings.Contains(w.all.String(), w.text) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(p), nil
}

func (w *waiter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

func (w *waiter) wait(t testing.TB) {
	t.Helper()
	select {
	case <-w.seen:
	case <-time.After(patience):
		t.Fatalf("%q does not come; so far: %q", w.text, w.String())
	}
}

// held runs a chat that keeps the folder until the returned function is called.
func (u *user) held() (release func()) {
	u.t.Helper()
	in, feed := io.Pipe()
	out := newWaiter("level minus two")
	done := make(chan int, 1)
	inv := u.invocation(in, out, io.Discard, "chat")
	go func() { done <- inv.run(u.t.Context()) }()
	io.WriteString(feed, "Where do visitors park?\n")
	out.wait(u.t)
	return func() {
		feed.Close()
		if code := <-done; code != 0 {
			u.t.Errorf("the holder ended with code %d", code)
		}
	}
}

func TestCommandsWorkWhileTheFolderIsHeld(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	u.write(map[string]string{"docs/new.md": "# Bicycles\n\nBicycles stand in the north shed.\n"})
	commands := [][]string{
		{"ask", "When is the espresso machine descaled?"},
		{"search", "plotter paper"},
		{"source", "list"},
		{"source", "show", "nope"},
		{"ask", "x", "--place", "moon"},
	}
	var alone []outcome
	for _, c := range commands {
		alone = append(alone, u.run(c...))
	}
	release := u.held()
	for i, c := range commands {
		if got := u.run(c...); got != alone[i] {
			t.Errorf("footnote %v differs:\nalone %+v\nshared %+v", c, alone[i], got)
		}
	}
	u.must("source", "sync", "docs")
	if o := u.runIn(t.Context(), "Where do bicycles stand?\n", "chat"); o.code != 0 || !strings.Contains(o.out, "north shed") {
		t.Errorf("a chat through the holder: %+v", o)
	}
	u.must("source", "add", "files", "docs", "--name", "again")
	release()
	if out := u.must("source", "list"); !strings.Contains(out, "again") {
		t.Errorf("what was done through the holder is gone:\n%s", out)
	}
	if _, err := os.Lstat(filepath.Join(u.dir, "data", "footnote.sock")); err == nil {
		t.Error("the socket is left behind")
	}
}

func TestSilentHolderIsNamed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a process that never answers")
	}
	u := withLibrary(t)
	lock, err := control.Hold(filepath.Join(u.dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	inv := u.invocation(strings.NewReader(""), io.Discard, io.Discard, "ask", "x")
	inv.patience = 300 * time.Millisecond
	var errs bytes.Buffer
	inv.streams.Err = &errs
	if code := inv.run(t.Context()); code != exitFailure || !strings.Contains(errs.String(), "--data-dir") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
}

func TestManyCommandsAtOnce(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if a := u.run("ask", "Where do visitors park?"); a.code != 0 || !strings.Contains(a.out, "level minus two") {
				t.Errorf("outcome = %+v", a)
			}
		})
	}
	wait.Wait()
}

func TestNewerLedgerIsLeftAlone(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	path := filepath.Join(u.dir, "data", "footnote.db")
	setUserVersion(t, path, 9999)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := u.run("ask", "Where do visitors park?")
	if o.code == 0 || !strings.Contains(o.err, "9999") || !strings.Contains(o.err, "newer") {
		t.Errorf("outcome = %+v", o)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestDamagedIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	err := filepath.WalkDir(filepath.Join(u.dir, "data", "index"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.WriteFile(path, []byte("garbage"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) != 1 {
		t.Errorf("answer = %+v", a)
	}
	if err := os.RemoveAll(filepath.Join(u.dir, "data", "index")); err != nil {
		t.Fatal(err)
	}
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) != 1 {
		t.Errorf("answer without an index folder = %+v", a)
	}
}
