package files

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// generous is for what has to happen: a machine may stand still for seconds.
const generous = 2 * time.Minute

// upstream is a repository that somebody works in, and its bare copy that is
// cloned.
type upstream struct {
	t    *testing.T
	work string
	bare string
	day  int // of the next commit
}

func newUpstream(t *testing.T, files map[string]string) *upstream {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	u := &upstream{t: t, work: filepath.Join(dir, "work"), bare: filepath.Join(dir, "team", "wiki.git"), day: 1}
	u.in(dir, "init", "--quiet", "--bare", "--initial-branch=main", u.bare)
	u.in(dir, "init", "--quiet", "--initial-branch=main", u.work)
	u.git("remote", "add", "origin", u.bare)
	if files != nil {
		u.commit(files)
	}
	return u
}

func (u *upstream) in(dir string, args ...string) string {
	u.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	date := time.Date(2026, 1, u.day, 12, 0, 0, 0, time.UTC).Format(time.RFC3339)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (u *upstream) git(args ...string) string { u.t.Helper(); return u.in(u.work, args...) }

// commit writes files ("" removes one, "->x" makes a link), commits them a day
// after the last commit and pushes by force.
func (u *upstream) commit(files map[string]string) string {
	u.t.Helper()
	for name, content := range files {
		full := filepath.Join(u.work, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.RemoveAll(full)); err != nil {
			u.t.Fatal(err)
		}
		target, isLink := strings.CutPrefix(content, "->")
		switch {
		case isLink:
			if err := os.Symlink(target, full); err != nil {
				u.t.Fatal(err)
			}
		case content != "":
			write(u.t, full, content)
		}
	}
	u.git("add", "--all", "--force")
	u.git("commit", "--quiet", "--allow-empty", "--message", "change")
	u.day++
	u.push()
	return u.git("rev-parse", "HEAD")
}

// load commits many files to the bare copy at once.
func (u *upstream) load(from string, files map[string]string) {
	u.t.Helper()
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ann <ann@example.com> %d +0000\ndata 6\nchange\n%s",
		time.Date(2026, 1, u.day, 12, 0, 0, 0, time.UTC).Unix(), from)
	for name, content := range files {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
	}
	u.day++
	cmd := exec.Command("git", "--git-dir="+u.bare, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		u.t.Fatalf("%v: %s", err, out)
	}
}

func (u *upstream) push() {
	u.t.Helper()
	u.git("push", "--quiet", "--force", "origin", "HEAD")
}

// source makes a started source of the repository.
func (u *upstream) source(change func(*Source)) *Source {
	u.t.Helper()
	return startGit(u.t, u.t.TempDir(), func(s *Source) {
		s.Git = "file://" + u.bare
		if change != nil {
			change(s)
		}
	})
}

func startGit(t *testing.T, data string, change func(*Source)) *Source {
	t.Helper()
	s := &Source{MaxSize: 20 << 20, MaxClone: 1 << 30, local: true}
	change(s)
	if err := s.Start(t.Context(), &sdk.Env{Dir: data}); err != nil {
		t.Fatal(err)
	}
	return s
}

// haul is what a sync brought.
type haul struct {
	docs   map[string]sdk.Document
	failed map[string]error
	notes  []string
	cursor sdk.Cursor
	stop   func() error // asked before each document
}

func (h *haul) Document(d sdk.Document) error {
	if h.stop != nil {
		if err := h.stop(); err != nil {
			return err
		}
	}
	h.docs[d.ID] = d
	return nil
}

func (h *haul) Unread(d sdk.Document, err error) error      { h.failed[d.ID] = err; return nil }
func (h *haul) FolderFailed(folder string, err error) error { h.failed[folder] = err; return nil }
func (h *haul) Note(text string) error                      { h.notes = append(h.notes, text); return nil }
func (h *haul) Checkpoint(c sdk.Cursor) error               { h.cursor = c; return nil }
func (h *haul) ids() string                                 { return joined(h.docs) }

func joined[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

func newHaul() *haul { return &haul{docs: map[string]sdk.Document{}, failed: map[string]error{}} }

func syncOnce(t *testing.T, s *Source, since sdk.Cursor) *haul {
	t.Helper()
	h := newHaul()
	if err := s.syncClone(t.Context(), since, h); err != nil {
		t.Fatal(err)
	}
	return h
}

func listOf(t *testing.T, s *Source) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := s.list(t.Context(), func(id, revision string) error { out[id] = revision; return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// host serves the repository over git's own HTTP program, to those who know the
// password if there is one.
type host struct {
	*httptest.Server
	password string
	requests atomic.Int64

	mu     sync.Mutex
	hold   func(*http.Request) // runs before a request is answered
	status int                 // answered to every request, if set
}

// now makes the host answer otherwise.
func (h *host) now(status int, hold func(*http.Request)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status, h.hold = status, hold
}

func (h *host) manner() (status int, hold func(*http.Request)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status, h.hold
}

func (u *upstream) serve(password string) *host {
	u.t.Helper()
	core, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(core)), "git-http-backend")
	if err != nil {
		u.t.Fatal(err)
	}
	if _, err := os.Stat(backend); err != nil {
		u.t.Skip("git comes without git-http-backend here")
	}
	h := &host{password: password}
	program := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(filepath.Dir(u.bare)), "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}, InheritEnv: []string{"PATH"}, Stderr: new(strings.Builder)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.requests.Add(1)
		status, hold := h.manner()
		if hold != nil {
			hold(r)
		}
		_, given, _ := r.BasicAuth()
		switch {
		case status == http.StatusFound:
			http.Redirect(w, r, "http://127.0.0.1:1"+r.URL.Path, status)
		case status != 0:
			http.Error(w, "no", status)
		case given != password:
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
		default:
			program.ServeHTTP(w, r)
		}
	}))
	u.t.Cleanup(h.Close)
	return h
}

func (h *host) address() string { return h.URL + "/team/wiki.git" }
