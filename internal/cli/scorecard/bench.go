package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// result is one benchmark's figures by unit.
type result map[string]float64

// figure prints a figure, or says that it is missing.
func (r result) figure(unit, form string) string {
	v, ok := r[unit]
	if !ok {
		return "not measured"
	}
	return fmt.Sprintf(form, v)
}

// benchmarks runs the benchmarks of a package that match, each as often as
// times says ("5x", "1s"), and returns the figures by name.
func benchmarks(ctx context.Context, pkg, match, times string, count int, env ...string) (map[string]result, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", match, "-timeout", "60m",
		"-benchtime", times, "-count", strconv.Itoa(count), pkg)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", pkg, err, lastLine(out))
	}
	all := parse(out)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no benchmark matches %s", pkg, match)
	}
	return all, nil
}

// parse reads the benchmark lines. Of several runs of one benchmark the smallest
// figure counts: what is above it is the machine.
func parse(out []byte) map[string]result {
	all := map[string]result{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		if all[name] == nil {
			all[name] = result{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if old, ok := all[name][fields[i+1]]; err == nil && (!ok || v < old) {
				all[name][fields[i+1]] = v
			}
		}
	}
	return all
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
