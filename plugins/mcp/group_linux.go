package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a process that can be ended with all that it starts, and that
// ends with this one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup fails only where there is nothing left to kill.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
