package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

// besideMark ends the name of a file of a backup that lies beside the one that counts.
const besideMark = ".from-backup"

// strayFile is a member of a backup that does not go into the data folder.
type strayFile struct {
	name string
	path string // where it counts
}

// layStray puts footnote.yaml and plugins.lock of a staged backup beside those that
// count, where they differ: these may have been changed on purpose.
func (inv *invocation) layStray(cfg config.Config, stage string, m manifest) (out []strayFile, err error) {
	for _, one := range []strayFile{{config.DefaultFile, inv.configFile(cfg)}, {lockName, lockFile(cfg)}} {
		if !m.has(one.name) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(stage, one.name))
		if err != nil {
			return nil, err
		}
		there, err := readIfThere(one.path)
		if err != nil {
			return nil, err
		}
		if there != nil && bytes.Equal(there, raw) {
			continue
		}
		if err := replaceFile(one.path+besideMark, raw); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// sayRestored tells what a restore did. Stray files get their names where nothing has
// them.
func (inv *invocation) sayRestored(cfg config.Config, file string, m manifest, aside string, stray []strayFile) error {
	out := inv.streams.Out
	fmt.Fprintf(out, "restored %s, made %s by Footnote %s, into %s\n", file, m.Made.Format(time.RFC3339), m.Program, cfg.DataDir)
	if aside != "" {
		fmt.Fprintf(out, "what was there is in %s; remove it when all is well\n", aside)
	}
	for _, one := range stray {
		if !missing(one.path) {
			fmt.Fprintf(out, "the backup's %s differs from yours and is in %s\n", one.name, one.path+besideMark)
			continue
		}
		if err := os.Rename(one.path+besideMark, one.path); err != nil {
			return err
		}
		fmt.Fprintf(out, "wrote %s\n", one.path)
	}
	_, err := fmt.Fprintln(out, "look at it with: footnote doctor")
	return err
}
