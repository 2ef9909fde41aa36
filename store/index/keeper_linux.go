package index

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const canGiveBack = true

// giveBackPages takes the pages of a file that is mapped to be read out of this process,
// until they are read again.
func giveBackPages(mapped []byte) error { return unix.Madvise(mapped, unix.MADV_DONTNEED) }

// mappings is what the system says of each piece of this process's memory.
func mappings() ([]byte, error) { return os.ReadFile("/proc/self/smaps") }

// resident is how many bytes of a mapped file count as memory by what mappings said;
// 0 where it said nothing.
func resident(said, mapped []byte) (bytesHeld int64) {
	begin := fmt.Appendf(nil, "\n%x-", uintptr(unsafe.Pointer(unsafe.SliceData(mapped))))
	_, rest, found := bytes.Cut(said, begin)
	if !found && bytes.HasPrefix(said, begin[1:]) {
		rest, found = said, true
	}
	_, rest, told := bytes.Cut(rest, []byte("\nRss:"))
	if !found || !told {
		return 0
	}
	if _, err := fmt.Sscan(string(rest[:min(len(rest), 40)]), &bytesHeld); err != nil {
		return 0
	}
	return bytesHeld << 10
}
