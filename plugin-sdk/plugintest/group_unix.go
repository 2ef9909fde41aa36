//go:build unix

package plugintest

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup fails only where there is nothing left to kill.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
