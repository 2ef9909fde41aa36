package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// folder is a data folder for the built program, with its configuration beside it.
type folder struct {
	program, dir string
	tokens       []string // of members
}

// askers is how many people ask: each may ask ten times a second.
const askers = 8

const folderConfig = `data_dir: data
http: {listen: "127.0.0.1:0"}
members: {domains: [scale.test]}
sources:
  - {name: large, connector: scaled, every: 24h, config: {count: %d}}
`

// newFolder builds the connector of made-up documents and installs it.
func newFolder(ctx context.Context, program string, documents int) (*folder, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	f := &folder{program: program}
	if f.dir, err = os.MkdirTemp("", "footnote-scorecard-"); err != nil {
		return nil, err
	}
	if err := f.prepare(ctx, documents); err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

func (f *folder) prepare(ctx context.Context, documents int) error {
	connector := filepath.Join(f.dir, "scaled")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", connector, "./internal/cli/scorecard/scaled").CombinedOutput(); err != nil {
		return fmt.Errorf("the connector cannot be built: %w: %s", err, lastLine(out))
	}
	if err := os.WriteFile(filepath.Join(f.dir, "footnote.yaml"), fmt.Appendf(nil, folderConfig, documents), 0o600); err != nil {
		return err
	}
	if _, err := f.run(ctx, "plugin", "install", "--dev", "--yes", connector); err != nil {
		return err
	}
	for i := range askers {
		out, err := f.run(ctx, "token", "create", "--as", fmt.Sprintf("member%d@scale.test", i))
		if err != nil {
			return err
		}
		f.tokens = append(f.tokens, strings.TrimSpace(out))
	}
	return nil
}

func (f *folder) remove() error { return os.RemoveAll(f.dir) }

func (f *folder) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, f.program, args...)
	cmd.Dir = f.dir
	return cmd
}

func (f *folder) run(ctx context.Context, args ...string) (string, error) {
	cmd := f.command(ctx, args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("footnote %s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err, lastLine(complaints.Bytes()))
	}
	return string(out), nil
}

// sync reads a source and tells what it cost, the connector's process included.
func (f *folder) sync(ctx context.Context, source string) (spent, error) {
	cmd := f.command(ctx, "sync", source)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return spent{}, fmt.Errorf("footnote sync: %w: %s", err, lastLine(out))
	}
	return spent{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}
