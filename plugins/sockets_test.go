package plugins

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What was left by a host and a connector that were killed together goes; all that
// may still be used stays.
func TestSweepSockets(t *testing.T) {
	dir, err := os.MkdirTemp("", "sweep") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listen := func(name string) *net.UnixListener {
		t.Helper()
		path := filepath.Join(dir, name, "plugin-dir1", "plugin1")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		return l
	}
	for _, name := range []string{"fn-dead", "fn-file", "other"} {
		if err := listen(name).Close(); err != nil {
			t.Fatal(err)
		}
	}
	defer listen("fn-alive").Close()
	if err := os.Mkdir(filepath.Join(dir, "fn-empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fn-file", "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sweepSockets(dir, time.Now())
	if left := names(t, dir); len(left) != 5 {
		t.Errorf("young ones were removed: %v", left)
	}
	sweepSockets(dir, time.Now().Add(2*youngSocket))
	if left := names(t, dir); len(left) != 3 || left[0] != "fn-alive" || left[1] != "fn-file" || left[2] != "other" {
		t.Errorf("left: %v", left)
	}
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
