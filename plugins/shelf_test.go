package plugins_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins"
)

var here = runtime.GOOS + "/" + runtime.GOARCH

// program is a connector as a script: small, and different for each name, version
// and mark. It starts the test binary.
func program(name, version, mark string) []byte {
	return fmt.Appendf(nil, "#!/bin/sh\n# %s\n%s exec '%s' serve-installed '%s' '%s'\n", mark, quickEnd, os.Args[0], name, version)
}

func serveInstalled(name, version string) {
	sdk.Serve(name, version, func() sdk.Source { return new(installed) })
}

// installed is a connector that sends one document.
type installed struct{}

func (*installed) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	return out.Document(sdk.Document{ID: "one", Body: "one", Access: sdk.Workspace})
}

func (*installed) List(_ context.Context, out *sdk.Listing) error { return out.Document("one", "") }

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// machine is a shelf and what installs on it.
type machine struct {
	*plugins.Installer
	t *testing.T
}

func newMachine(t *testing.T) machine {
	t.Helper()
	dir := t.TempDir()
	return machine{t: t, Installer: &plugins.Installer{
		Shelf:   plugins.Shelf{Dir: filepath.Join(dir, "plugins"), LockFile: filepath.Join(dir, "plugins.lock"), Bundled: []string{"files"}},
		Version: "v1.4.2", Dir: dir,
	}}
}

// elsewhere is another machine with the same lock and nothing else.
func (m machine) elsewhere(platform string) machine {
	other := newMachine(m.t)
	other.LockFile, other.Platform = m.LockFile, platform
	return other
}

func (m machine) write(name string, data []byte) string {
	m.t.Helper()
	path := filepath.Join(m.Installer.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o755); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func (m machine) install(w plugins.Wanted) (plugins.Locked, error) {
	p, err := m.Plan(m.t.Context(), w)
	if err != nil {
		return plugins.Locked{}, err
	}
	return m.Install(m.t.Context(), p)
}

func (m machine) must(w plugins.Wanted) plugins.Locked {
	m.t.Helper()
	l, err := m.install(w)
	if err != nil {
		m.t.Fatalf("install %s: %v", w.Ref, err)
	}
	return l
}

// fails installs what must not be installed, and looks for the words in the error.
func (m machine) fails(w plugins.Wanted, kind core.Kind, words ...string) {
	m.t.Helper()
	before := m.lock()
	_, err := m.install(w)
	wantError(m.t, err, kind, words...)
	if after := m.lock(); after != before {
		m.t.Errorf("the lock changed:\n%s\nwas\n%s", after, before)
	}
	left, _ := filepath.Glob(filepath.Join(m.Shelf.Dir, ".new-*"))
	if len(left) > 0 {
		m.t.Errorf("left behind: %v", left)
	}
}

func wantError(t *testing.T, err error, kind core.Kind, words ...string) {
	t.Helper()
	if core.KindOf(err) != kind {
		t.Fatalf("error %v is of kind %q, not %q", err, core.KindOf(err), kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is missing in: %v", w, err)
		}
	}
}

func (m machine) lock() string {
	text, err := os.ReadFile(m.LockFile)
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	return string(text)
}

// run starts an installed connector as a source does.
func (m machine) run(connector string) error {
	host := newHost(m.t, plugins.Options{Pin: m.Pin, Command: m.Command})
	c, err := host.Open(m.t.Context(), core.Source{Name: "s", Connector: connector})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Sync(m.t.Context(), nil, core.SyncFirst, func(core.Change) error { return nil })
}

// server serves files that a test may change.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte
	asked map[string]int
}

func newServer(t *testing.T) *server {
	s := &server{files: map[string][]byte{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[r.URL.Path]++
		data, ok := s.files[r.URL.Path]
		if to, found := strings.CutPrefix(string(data), "redirect "); found {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) put(path string, data []byte) (address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = data
	return s.URL + path
}

// member is a file of an archive.
type member struct {
	name string
	body []byte
	mode int64
	kind byte // of tar; 0 means a file
	link string
}

func newTarGz(to io.Writer) (*gzip.Writer, *tar.Writer) {
	z := gzip.NewWriter(to)
	return z, tar.NewWriter(z)
}

func tarGz(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z, w := newTarGz(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: m.mode, Size: int64(len(m.body)), Typeflag: m.kind, Linkname: m.link}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(os.FileMode(m.mode & 0o777))
		if m.kind == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(m.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
