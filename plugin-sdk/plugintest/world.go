package plugintest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// World is what testdata/plugintest.json says of the system that a connector is
// tested with. All of it may be missing.
type World struct {
	// Touch is a command that changes one document or adds one; Remove is one that
	// removes one. Both are a program and its arguments, run in the folder that
	// ${testdata} stands for.
	Touch  []string `json:"touch"`
	Remove []string `json:"remove"`
	Script *Script  `json:"script"`
	Token  string   `json:"token"` // an access token, for connectors that ask for OAuth2
	Query  string   `json:"query"`
	Viewer string   `json:"viewer"`
	// Skip names checks that do not fit, each with the reason.
	Skip map[string]string `json:"skip"`
}

// WorldFile is the name of the file beside the configuration.
const WorldFile = "plugintest.json"

// testdataMark stands for a copy of the configuration's folder, which a test may
// change.
const testdataMark = "${testdata}"

// Load reads a configuration file and the WorldFile beside it, if there is one,
// into the subject, and tells which checks to skip. The text ${testdata} in the
// configuration and in commands becomes the path of a copy of the files' folder,
// made inside tmp.
func (s *Subject) Load(configFile, tmp string) (skip map[string]string, err error) {
	config, err := os.ReadFile(configFile)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(config, &object); err != nil {
		return nil, fmt.Errorf("%s has to hold one JSON object: %w", configFile, err)
	}
	dir := filepath.Dir(configFile)
	world, err := readWorld(filepath.Join(dir, WorldFile))
	if err != nil {
		return nil, err
	}
	copied := filepath.Join(tmp, "testdata")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return nil, fmt.Errorf("%s cannot be copied: %w", dir, err)
	}
	path, err := json.Marshal(copied)
	if err != nil {
		return nil, err
	}
	s.Config = bytes.ReplaceAll(config, []byte(testdataMark), bytes.Trim(path, `"`))
	s.Touch, s.Remove = command(world.Touch, copied), command(world.Remove, copied)
	s.Script, s.Token, s.Query, s.Viewer = world.Script, world.Token, world.Query, world.Viewer
	return world.Skip, nil
}

func readWorld(file string) (World, error) {
	var w World
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return w, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return w, fmt.Errorf("%s: %w", file, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return w, fmt.Errorf("%s holds more than one JSON object", file)
	}
	if w.Script != nil && w.Script.Field == "" {
		return w, fmt.Errorf("%s: script needs the name of a configuration field in \"field\"", file)
	}
	return w, nil
}

// command makes a step of the test out of a program and its arguments.
func command(words []string, dir string) func(context.Context) error {
	if len(words) == 0 {
		return nil
	}
	return func(ctx context.Context) error {
		args := make([]string, len(words))
		for i, w := range words {
			args[i] = strings.ReplaceAll(w, testdataMark, dir)
		}
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
		}
		return nil
	}
}
