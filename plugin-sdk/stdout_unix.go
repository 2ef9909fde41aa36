//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sdk

import (
	"os"
	"syscall"
)

// moveStdout sends file descriptor 1 and os.Stdout to standard error, so that
// no print of the author, of a library or of a child process can get between
// the host and the handshake. It returns the real standard output.
func moveStdout() (*os.File, error) {
	fd, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := redirect(2, 1); err != nil {
		return nil, err
	}
	os.Stdout = os.Stderr
	return os.NewFile(uintptr(fd), "handshake"), nil
}
