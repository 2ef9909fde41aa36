package files

import (
	"io/fs"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// changed is when the file system last changed anything about a file, which no
// program can set back; 0 where it is not told.
func changed(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano()
	}
	return 0
}
