//go:build unix

package plugins

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C from the connector: the host decides
// when it stops.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup fails only where there is nothing left to kill.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
