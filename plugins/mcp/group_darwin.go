package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a process that can be ended with all that it starts.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup fails only where there is nothing left to kill.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
