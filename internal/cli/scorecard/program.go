package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// programFigures measures the built program as a process: size, start, memory.
func programFigures(program string) func(context.Context) ([]row, error) {
	return func(ctx context.Context) ([]row, error) {
		dir, err := os.MkdirTemp("", "footnote-scorecard-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		rows, err := sizeFigures(ctx, dir)
		if err != nil {
			return rows, err
		}
		start, err := medianTime(ctx, 9, program, "version")
		if err != nil {
			return rows, err
		}
		ask := []string{"demo", "--data-dir", dir, "--ask", "How many vacation days do new employees get?", "--json"}
		if _, err := medianTime(ctx, 1, program, ask...); err != nil { // reads the documents
			return rows, err
		}
		answer, err := medianTime(ctx, 9, program, ask...)
		if err != nil {
			return rows, err
		}
		rss, err := idleMemory(ctx, program, filepath.Join(dir, "idle"))
		return append(rows,
			row{"8", "process start to end of footnote version, median", ms(start), ""},
			row{"-", "process start to answer in quotes, sample handbook, median", ms(answer), ""},
			row{"7", "memory of an idle footnote serve (RSS)", fmt.Sprintf("%.0f MB", float64(rss)/1024), "≤ 40 MB"}), err
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000) }

func sizeFigures(ctx context.Context, dir string) ([]row, error) {
	out := filepath.Join(dir, "stripped")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, ".") // as deploy/Dockerfile does
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := build.Run(); err != nil {
		return nil, err
	}
	info, err := os.Stat(out)
	if err != nil {
		return nil, err
	}
	return []row{{"8", "stripped program", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "≤ 60 MB"}}, nil
}

func medianTime(ctx context.Context, runs int, program string, args ...string) (time.Duration, error) {
	var took []time.Duration
	for range runs {
		start := time.Now()
		if err := exec.CommandContext(ctx, program, args...).Run(); err != nil {
			return 0, fmt.Errorf("footnote %s: %w", args[0], err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// idleMemory starts footnote serve on an empty folder, lets it settle and reads
// its resident memory in KiB. It works on Linux only.
func idleMemory(ctx context.Context, program, dir string) (int, error) {
	cmd := exec.CommandContext(ctx, program, "serve", "--data-dir", dir, "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait tells
		cmd.Wait()                          //nolint:errcheck // ended by us
	}()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return 0, fmt.Errorf("footnote serve does not come up: %w", err)
	}
	time.Sleep(2 * time.Second)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("no resident memory in the process's status")
}
