package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// buildConnector makes a program of a connector's folder: Go is built into tmp,
// and a package.json names its own start.
func buildConnector(ctx context.Context, folder, tmp string) (foundConnector, error) {
	data, err := os.ReadFile(filepath.Join(folder, "package.json"))
	switch {
	case err == nil:
		return startScript(folder, data)
	case !errors.Is(err, os.ErrNotExist):
		return foundConnector{}, core.Errorf(core.KindDisk, "the connector cannot be read: %w", err)
	}
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(sources) == 0 {
		return foundConnector{}, core.Errorf(core.KindNotFound,
			"%s holds neither a Go program nor a package.json: name the program itself", folder)
	}
	program := filepath.Join(tmp, "connector")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return foundConnector{}, core.Errorf(core.KindNotFound, "building %s needs Go, which is not installed: build it elsewhere and name the program", folder)
	}
	if err != nil {
		return foundConnector{}, core.Errorf(core.KindInvalid, "%s does not build: %w\n%s", folder, err, bytes.TrimSpace(out))
	}
	if info, err := os.Stat(program); err != nil || info.Mode()&0o111 == 0 {
		return foundConnector{}, core.Errorf(core.KindInvalid, "%s is not a program: its package has to be main", folder)
	}
	return foundConnector{command: []string{program}, folder: folder}, nil
}

// startScript runs what npm start would run, without npm in between: the
// connector has to see its host's end.
func startScript(folder string, packageJSON []byte) (foundConnector, error) {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	file := filepath.Join(folder, "package.json")
	if err := json.Unmarshal(packageJSON, &p); err != nil {
		return foundConnector{}, core.Errorf(core.KindInvalid, "%s cannot be read: %w", file, err)
	}
	start := strings.TrimSpace(p.Scripts["start"])
	if start == "" {
		return foundConnector{}, core.Errorf(core.KindInvalid, "%s has no start script: put one such as \"node main.js\" under scripts", file)
	}
	line := `PATH="$0/node_modules/.bin:$PATH"; `
	if !strings.ContainsAny(start, "&|;<>()$`\n") {
		line += "exec "
	}
	return foundConnector{command: []string{"/bin/sh", "-c", line + start, folder}, dir: folder, folder: folder}, nil
}
