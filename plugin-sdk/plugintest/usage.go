package plugintest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// usage is what a connector's processes hold; -1 where that cannot be told.
type usage struct {
	memory     int64 // bytes of resident memory
	threads    int
	files      int // open files
	goroutines int
}

// usage looks at the process and everything it started.
func (p *process) usage() usage {
	goroutines := p.probe.goroutines()
	group := p.cmd.Process.Pid
	if u, ok := usageFromProc(group); ok {
		u.goroutines = goroutines
		return u
	}
	return usage{memory: memoryFromPS(group), threads: -1, files: -1, goroutines: goroutines}
}

func usageFromProc(group int) (usage, bool) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return usage{}, false
	}
	var out usage
	found := false
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		// After the name in parentheses: state, parent, group, …
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) < 3 || fields[2] != strconv.Itoa(group) {
			continue
		}
		found = true
		dir := filepath.Dir(path)
		out.memory += 1024 * statusNumber(dir, "VmRSS:")
		out.threads += int(statusNumber(dir, "Threads:"))
		if open, err := os.ReadDir(filepath.Join(dir, "fd")); err == nil {
			out.files += len(open)
		}
	}
	return out, found
}

func statusNumber(dir, key string) int64 {
	data, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), key); ok {
			fields := strings.Fields(rest)
			n, err := strconv.ParseInt(fields[0], 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}

func memoryFromPS(group int) int64 {
	out, err := exec.Command("ps", "-A", "-o", "pgid=,rss=").Output()
	if err != nil {
		return -1
	}
	total := int64(-1)
	for line := range strings.Lines(string(out)) {
		var pgid int
		var rss int64
		if _, err := fmt.Sscan(line, &pgid, &rss); err == nil && pgid == group {
			total = max(total, 0) + 1024*rss
		}
	}
	return total
}

// Bounds on growth. Memory is judged coarsely: a heap breathes, and a large one
// deeper; a quarter of it may be added.
const (
	memorySlack    = 16 << 20 // bytes, at least
	threadSlack    = 10
	fileSlack      = 8
	goroutineSlack = 8
)

// growth compares the most of the samples before with the least of those after,
// so that only what stays counts. It returns "" where nothing grew.
func growth(before, after []usage) string {
	var grown []string
	look := func(what string, slack int64, show func(int64) string, get func(usage) int64) {
		from, to := int64(-1), int64(-1)
		for _, u := range before {
			from = max(from, get(u))
		}
		for i, u := range after {
			if n := get(u); i == 0 || n < to {
				to = n
			}
		}
		if what == "memory" {
			slack = max(slack, from/4)
		}
		if from >= 0 && to > from+slack {
			grown = append(grown, fmt.Sprintf("%s from %s to %s", what, show(from), show(to)))
		}
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	look("memory", memorySlack, mebibytes, func(u usage) int64 { return u.memory })
	look("threads", threadSlack, number, func(u usage) int64 { return int64(u.threads) })
	look("open files", fileSlack, number, func(u usage) int64 { return int64(u.files) })
	look("goroutines", goroutineSlack, number, func(u usage) int64 { return int64(u.goroutines) })
	return strings.Join(slices.Compact(grown), ", ")
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
