package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/plugins"
)

const (
	pluginsDir = "plugins"      // in the data folder
	lockName   = "plugins.lock" // beside footnote.yaml, or in the data folder
)

// shelfOf is where the connectors of a configuration are installed.
func shelfOf(cfg config.Config) plugins.Shelf {
	return plugins.Shelf{Dir: filepath.Join(cfg.DataDir, pluginsDir), LockFile: lockFile(cfg), Bundled: bundledNames()}
}

// lockFile is the lock beside footnote.yaml, where it is committed together with
// the sources. One that was begun in the data folder before there was a
// footnote.yaml stays there.
func lockFile(cfg config.Config) string {
	inData := filepath.Join(cfg.DataDir, lockName)
	if cfg.File == "" {
		return inData
	}
	beside := filepath.Join(filepath.Dir(cfg.File), lockName)
	if missing(beside) && !missing(inData) {
		return inData
	}
	return beside
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func bundledNames() []string { return slices.Sorted(maps.Keys(bundledConnectors())) }

// startOf tells which program serves a connector that is not pinned.
func startOf(exe string, shelf plugins.Shelf) func(string) (string, []string, error) {
	return func(connector string) (string, []string, error) {
		if _, ok := bundledConnectors()[connector]; ok {
			return exe, []string{"serve-plugin", connector}, nil
		}
		path, args, err := shelf.Command(connector)
		if core.KindOf(err) == core.KindNotFound {
			if _, findErr := shelf.Find(connector); findErr != nil {
				return "", nil, noConnector(shelf, connector)
			}
		}
		return path, args, err
	}
}

// noConnector names the nearest connector and says how to get more.
func noConnector(shelf plugins.Shelf, name string) error {
	known := bundledNames()
	installed, err := shelf.All()
	if err != nil {
		return err
	}
	for _, l := range installed {
		known = append(known, l.Name)
	}
	hint := "the connectors are: " + strings.Join(known, ", ")
	if near := config.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return core.Errorf(core.KindNotFound, "there is no connector %q; %s To add one: footnote plugin install FILE, go:PACKAGE@VERSION or ADDRESS", name, ended(hint))
}

func ended(sentence string) string {
	if strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}

// confirm asks the person once. Where nobody can be asked, nothing is done without
// --yes.
func (inv *invocation) confirm(question string) error {
	if !inv.InTTY {
		return core.Errorf(core.KindUsage, "standard input is no terminal, so nobody can be asked whether this may run; add --yes if it may")
	}
	fmt.Fprint(inv.streams.Err, question+" [y/N] ")
	line, err := bufio.NewReader(inv.streams.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return core.Errorf(core.KindInvalid, "cannot read from standard input: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return core.Errorf(core.KindDenied, "nothing was installed")
}
