package control

import (
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

const (
	socketName = "footnote.sock"
	// longestSocket is what the smallest of the supported systems allows in a
	// socket's path, with its closing zero (macOS: 104).
	longestSocket = 103
)

// listen opens the folder's socket. Only the lock's holder may call it, so what
// lies there is left over from a process that died.
func listen(dir string) (net.Listener, error) {
	path := filepath.Join(dir, socketName)
	remove(path)
	if len(path) <= longestSocket {
		return bind(path)
	}
	short, err := os.MkdirTemp("", "footnote-")
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "cannot make a folder for the command socket: %w", err)
	}
	real := filepath.Join(short, "s")
	l, err := bind(real)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, []byte(real+"\n"), 0o600); err != nil {
		l.Close()
		return nil, core.Errorf(core.KindDisk, "cannot write %s: %w", path, err)
	}
	return l, nil
}

func bind(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "cannot open the command socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, core.Errorf(core.KindDisk, "cannot protect the command socket: %w", err)
	}
	return l, nil
}

// remove clears the folder's socket and, behind a long path, the real one.
func remove(path string) {
	if real, ok := pointed(path); ok {
		os.Remove(real)
		os.Remove(filepath.Dir(real))
	}
	os.Remove(path)
}

// pointed reads where the real socket is if path is a plain file.
func pointed(path string) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", false
	}
	raw, err := os.ReadFile(path)
	real := strings.TrimSpace(string(raw))
	return real, err == nil && filepath.IsAbs(real) && filepath.Base(real) == "s" &&
		strings.HasPrefix(filepath.Base(filepath.Dir(real)), "footnote-")
}

func address(dir string) string {
	path := filepath.Join(dir, socketName)
	if real, ok := pointed(path); ok {
		return real
	}
	return path
}
