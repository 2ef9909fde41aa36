//go:build !unix

package launch

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing: there are no groups here.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills a program.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
