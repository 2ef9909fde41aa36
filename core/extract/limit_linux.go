package extract

import (
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// processOverhead is what the child needs beside the document, in bytes: the
// compiler that runs on the first start is most of it.
const processOverhead = 768 << 20

// limitProcess makes the kernel refuse memory far above the limit, in case the
// reader's own bound fails. Growing the reader's memory copies it once, so the
// process may need twice the limit.
func limitProcess(memory int64) error {
	debug.SetMemoryLimit(memory + processOverhead/2)
	bound := uint64(2*memory + processOverhead)
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &now); err != nil {
		return err
	}
	bound = min(bound, now.Max)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bound, Max: bound}); err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
