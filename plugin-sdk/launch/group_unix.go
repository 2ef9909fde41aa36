//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// OwnGroup keeps the terminal's Ctrl-C from a program: who starts it decides when it
// stops.
func OwnGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// KillGroup kills a program that OwnGroup was called for, and what it started. It fails
// only where nothing is left to kill.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
