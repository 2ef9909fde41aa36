//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sdk

import "os"

// moveStdout sends os.Stdout to standard error and returns the real one.
func moveStdout() (*os.File, error) {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	return stdout, nil
}
