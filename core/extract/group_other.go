//go:build !unix

package extract

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
