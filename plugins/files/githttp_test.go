package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

const token = "ghp_NeverToBeSeen0123456789"

func TestGitOverHTTP(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a", "docs/b.md": "b"})
	u.commit(map[string]string{"docs/b.md": "b again"})
	h := u.serve("")
	s := startGit(t, t.TempDir(), func(s *Source) { s.Git = h.address() })
	cursor := syncOnce(t, s, nil).cursor
	if cut, err := s.cuts(); err != nil || len(cut) != 1 {
		t.Errorf("the clone is not shallow: %v %v", cut, err)
	}
	u.commit(map[string]string{"docs/b.md": "bb"})
	got := syncOnce(t, s, cursor)
	if got.ids() != "docs/b.md" || got.docs["docs/b.md"].Updated.Day() != 3 {
		t.Errorf("%+v", got.docs)
	}
	before := h.requests.Load()
	if again := syncOnce(t, s, got.cursor); again.ids() != "" {
		t.Errorf("%s", again.ids())
	}
	if asked := h.requests.Load() - before; asked > 2 {
		t.Errorf("%d requests where nothing changed", asked)
	}
}

func TestGitToken(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a"})
	h := u.serve(token)
	for given, hint := range map[string]string{"": "set token", "wrong-" + token: "does not take the token"} {
		s := startGit(t, t.TempDir(), func(s *Source) { s.Git, s.Token = h.address(), sdk.Secret(given) })
		for _, err := range []error{s.Check(t.Context()), s.syncClone(t.Context(), nil, newHaul())} {
			if sdk.KindOf(err) != "auth" || !strings.Contains(err.Error(), hint) || strings.Contains(err.Error(), token) {
				t.Errorf("%q: %v", given, err)
			}
		}
	}
	var mu sync.Mutex
	var seen []string
	h.now(0, func(*http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, arguments()...)
	})
	s := startGit(t, t.TempDir(), func(s *Source) {
		s.Git, s.Token, s.URLTemplate = h.address(), token, "https://git.example/{path}"
	})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := syncOnce(t, s, nil); got.ids() != "a.md" {
		t.Errorf("%s", got.ids())
	}
	mu.Lock()
	defer mu.Unlock()
	all := strings.Join(seen, "\n")
	if hasToken(all) || !strings.Contains(all, "fetch") && len(seen) > 0 {
		t.Errorf("arguments: %s", all)
	}
	err := filepath.WalkDir(s.data, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if hasToken(string(data)) {
			t.Errorf("the token lies in %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// arguments are the command lines of all processes, where the system shows them.
func arguments() []string {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var out []string
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			out = append(out, strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return out
}

func hasToken(text string) bool {
	return strings.Contains(text, token) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token)))
}

// A host's answer decides what the owner is told.
func TestGitHostsThatRefuse(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a"})
	h := u.serve(token)
	data := t.TempDir()
	s := startGit(t, data, func(s *Source) { s.Git, s.Token = h.address(), token })
	cursor := syncOnce(t, s, nil).cursor
	for status, want := range map[int]string{401: "auth", 403: "denied", 404: "config", 302: "config", 429: "busy", 503: "busy", 500: ""} {
		h.now(status, nil)
		err := s.syncClone(t.Context(), cursor, newHaul())
		if err == nil || sdk.KindOf(err) != want || hasToken(err.Error()) {
			t.Errorf("%d: %s %v", status, sdk.KindOf(err), err)
		}
	}
	h.Close()
	if err := s.syncClone(t.Context(), cursor, newHaul()); err == nil || sdk.KindOf(err) != "" {
		t.Errorf("nobody answers: %v", err)
	}
	if err := s.list(t.Context(), func(string, string) error { return nil }); err == nil {
		t.Error("a list of a host that does not answer is complete")
	}
	r, err := s.openClone(t.Context())
	if err != nil {
		t.Fatalf("the clone is gone because the host is: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// Cancelling ends git and what it started, and the next sync begins anew.
func TestGitKilledInMidClone(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a"})
	h := u.serve("")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	released := make(chan struct{})
	h.now(0, func(r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-upload-pack") {
			body, _ := io.ReadAll(r.Body) // a broken request fails by itself
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.Contains(string(body), "command=fetch") {
				cancel()
				<-released
			}
		}
	})
	s := startGit(t, t.TempDir(), func(s *Source) { s.Git = h.address() })
	begun := time.Now()
	err := s.syncClone(ctx, nil, newHaul()) // the host answers after it
	if took := time.Since(begun); err == nil || ctx.Err() == nil || took > generous {
		t.Errorf("%v after %v", err, took)
	}
	running := func(line string) bool { return strings.Contains(line, s.data) || strings.Contains(line, h.address()) }
	for end := time.Now().Add(generous); slices.ContainsFunc(arguments(), running); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) { // what was killed is seen until it is gone
			t.Error("git is still running")
			break
		}
	}
	close(released)
	h.now(0, nil)
	if got := syncOnce(t, s, nil); got.ids() != "a.md" {
		t.Errorf("%s", got.ids())
	}
}

// List and Fetch work in a process of their own, beside a sync.
func TestGitSideBySide(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a", "m.pdf": "%PDF"})
	data := t.TempDir()
	var all sync.WaitGroup
	for i := range 4 {
		s := startGit(t, data, func(s *Source) { s.Git = "file://" + u.bare })
		all.Go(func() {
			if err := s.syncClone(t.Context(), nil, newHaul()); err != nil {
				t.Errorf("sync %d: %v", i, err)
			}
		})
		all.Go(func() {
			if err := s.list(t.Context(), func(string, string) error { return nil }); err != nil {
				t.Errorf("list %d: %v", i, err)
			}
		})
		all.Go(func() {
			f, err := s.Fetch(t.Context(), "x:m.pdf")
			if err != nil {
				t.Errorf("fetch %d: %v", i, err)
				return
			}
			if err := f.Content.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestGitFiveThousandFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 5,000 files")
	}
	u := newUpstream(t, nil)
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("d%02d/page-%04d.md", i%50, i)] = fmt.Sprintf("# Page %d\n\n%s", i, strings.Repeat("text ", 200))
	}
	u.load("", files)
	s := u.source(nil)
	begun := time.Now()
	got := syncOnce(t, s, nil)
	first := time.Since(begun)
	u.load("from refs/heads/main^0\n", map[string]string{"d00/page-0000.md": "# New"})
	begun = time.Now()
	one := syncOnce(t, s, got.cursor)
	second := time.Since(begun)
	begun = time.Now()
	syncOnce(t, s, one.cursor)
	idle := time.Since(begun)
	t.Logf("first %v, one change %v, no change %v", first, second, idle)
	if len(got.docs) != 5000 || one.ids() != "d00/page-0000.md" {
		t.Errorf("%d documents, then %s", len(got.docs), one.ids())
	}
}

// Old versions of git do not take settings from the environment.
func TestGitVersions(t *testing.T) {
	for text, want := range map[string]bool{
		"git version 2.39.5": true, "git version 2.31.0": true, "git version 3.0.0": true, "git version 2.50.1 (Apple Git-155)": true,
		"git version 2.30.2": false, "git version 1.99.0": false, "": false, "git version x.y": false, "git version 2": false,
	} {
		if recentGit(text) != want {
			t.Errorf("%q", text)
		}
	}
	if out, err := exec.Command("git", "version").Output(); err == nil && !recentGit(string(out)) {
		t.Skip("git is too old here")
	}
}
