package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mapping is one piece of the program's file in memory.
type mapping struct {
	start, end uintptr
	clean      bool // all of its pages are still the file's
}

// giveBackProgram takes those pages of the program's own file out of this process that
// can be read from it again: code and constants, most of which only the start touched.
// They stay in the system's cache and come back when they are run or read.
func giveBackProgram() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := readOnly(f, program)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.clean {
			continue // written by the loader or a debugger, which would be lost
		}
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("pages of the program at %x: %w", m.start, errno)
		}
	}
	return nil
}

// readOnly finds the mappings of a file that nobody may write to, in the form of
// /proc/self/smaps: a line of address, rights, offset, device, number and path for
// each, and lines that tell of its pages.
func readOnly(smaps io.Reader, file string) (found []mapping, err error) {
	in, lines := false, bufio.NewScanner(smaps)
	for lines.Scan() {
		line := lines.Text()
		if m, rights, ok := parseMapping(line); ok {
			in = strings.HasSuffix(line, " "+file) && (rights == "r-xp" || rights == "r--p")
			if in {
				found = append(found, m)
			}
		} else if pages, ok := strings.CutPrefix(line, "Anonymous:"); ok && in {
			found[len(found)-1].clean = strings.TrimSpace(pages) == "0 kB"
		} else if pages, ok := strings.CutPrefix(line, "Swap:"); ok && in && strings.TrimSpace(pages) != "0 kB" {
			found[len(found)-1].clean = false // what was written and swapped out is no longer counted above
		}
	}
	return found, lines.Err()
}

func parseMapping(line string) (m mapping, rights string, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return m, "", false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	start, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	return mapping{start: uintptr(start), end: uintptr(end)}, fields[1], err1 == nil && err2 == nil
}
