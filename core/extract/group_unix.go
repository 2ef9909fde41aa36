//go:build unix

package extract

import "syscall"

// ownGroup keeps a Ctrl-C in the terminal from ending the child in the middle
// of a file that the parent still wants to finish or to cancel by itself.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
