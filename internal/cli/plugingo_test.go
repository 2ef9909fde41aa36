package cli

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goProxy is a folder that serves modules as a proxy does.
type goProxy struct {
	t   *testing.T
	dir string
}

// put adds a version of a module with the files that keep lets through.
func (p goProxy) put(module, version, folder string, keep func(string) bool) {
	p.t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !keep(name) {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		f, err := w.Create(module + "@" + version + "/" + name)
		if err == nil {
			_, err = f.Write(text)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		p.t.Fatal(err)
	}
	to := filepath.Join(p.dir, module, "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".mod": mod, version + ".zip": b.Bytes(),
		version + ".info": []byte(`{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`),
	} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}

// alone is an environment in which Go sees this proxy and what was downloaded before,
// and no network. What it downloads begins anew each time.
func (p goProxy) alone() []string {
	p.t.Helper()
	cache, err := exec.CommandContext(p.t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		p.t.Fatal(err)
	}
	old := filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
	return append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(p.dir)+",file://"+filepath.ToSlash(old),
		"GOSUMDB=off", "GOFLAGS="+goFlags("-modcacherw"), "GOMODCACHE="+p.t.TempDir())
}

func sdkFiles(name string) bool {
	return name == "go.mod" || strings.HasPrefix(name, "plugin-sdk/") && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

func TestInstallWithTheGoToolchain(t *testing.T) {
	t.Parallel()
	u := author(t)
	dir := filepath.Join(u.dir, "notes")
	goTool(t, dir, "mod", "tidy", "-e")
	goTool(t, dir, "mod", "edit", "-dropreplace="+modulePath, "-require="+modulePath+"@v0.9.9")
	proxy := goProxy{t, t.TempDir()}
	const module = "example.org/footnote-notes"
	proxy.put(modulePath, "v0.9.9", sourceFolder(""), sdkFiles)
	goFiles := func(name string) bool { return name == "go.mod" || filepath.Ext(name) == ".go" }
	proxy.put(module, "v0.3.0", dir, goFiles)
	u.goEnv = proxy.alone()

	if o := u.answering("n\n", "plugin", "install", "go:"+module+"@v0.3.0"); o.code != exitDenied || !strings.Contains(o.err, "go install -trimpath "+module+"@v0.3.0") {
		t.Fatalf("refused: %+v", o)
	}
	u.must("plugin", "install", "--yes", "go:"+module+"@latest")
	lock, err := os.ReadFile(filepath.Join(u.dir, "data", lockName))
	if err != nil || !strings.Contains(string(lock), "  source go:"+module+"@v0.3.0\n") || !strings.Contains(string(lock), "  module "+module+" v0.3.0 h1:") {
		t.Errorf("lock:\n%s%v", lock, err)
	}
	u.must("source", "add", "notes", u.notesFolder(), "--name", "n")
	u.must("sync")
	if out := u.must("plugin", "install", "go:"+module+"@v0.3.0"); !strings.Contains(out, "already") {
		t.Errorf("twice: %q", out)
	}

	// Another machine with the same lock makes the same program.
	if err := os.RemoveAll(filepath.Join(u.dir, "data", pluginsDir)); err != nil {
		t.Fatal(err)
	}
	u.must("plugin", "install", "--yes")
	if again, err := os.ReadFile(filepath.Join(u.dir, "data", lockName)); err != nil || !bytes.Equal(again, lock) {
		t.Errorf("lock:\n%s%v", again, err)
	}
	u.must("sync")

	// The same version with other content.
	if err := os.RemoveAll(filepath.Join(u.dir, "data", pluginsDir)); err != nil {
		t.Fatal(err)
	}
	u.write(map[string]string{"notes/more.go": "package main\n\nvar _ = version\n"})
	proxy.put(module, "v0.3.0", dir, goFiles)
	u.goEnv = proxy.alone()
	for _, ref := range []string{"notes", "go:" + module + "@v0.3.0"} {
		if o := u.run("plugin", "install", "--yes", ref); o.code != exitConfig || !strings.Contains(o.err, "released again") {
			t.Errorf("%s released again: %+v", ref, o)
		}
	}
	if o := u.run("plugin", "install", "--yes", "go:"+module+"@v9.9.9"); o.code != exitFailure || !strings.Contains(o.err, "v9.9.9") {
		t.Errorf("no such version: %+v", o)
	}
}
