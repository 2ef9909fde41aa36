//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package sdk

import "syscall"

func redirect(from, to int) error { return syscall.Dup2(from, to) }
