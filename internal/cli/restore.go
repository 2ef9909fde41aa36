package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
	"github.com/footnote-bot/footnote/store"
)

// restoreFlags say what a restore may do without.
type restoreFlags struct {
	other      bool // the folder may hold another install
	withoutKey bool
	check      bool // nothing is replaced
}

func (inv *invocation) restoreCommand() *cobra.Command {
	var f restoreFlags
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the data folder's contents",
		Long: `Check a backup that footnote backup wrote, and put what is in it into the data folder.
Nothing is replaced before every file in it has its sum, the ledger is sound and not
newer than this program, and its secrets can be opened. What was there is kept in a
folder beside it. Stop footnote serve before. The search index is built again by the
next command.`,
		Args: exactly(1, "a backup's file"),
		RunE: func(c *cobra.Command, args []string) error { return inv.restore(c.Context(), inv.path(args[0]), f) },
	}
	c.Flags().BoolVar(&f.other, "other-install", false, "the data folder may hold another install, which makes room")
	c.Flags().BoolVar(&f.withoutKey, "without-key", false, "go on although the key for secrets is not there: footnote secret reset has to follow")
	c.Flags().BoolVar(&f.check, "check", false, "check the backup and replace nothing")
	return c
}

func (inv *invocation) restore(ctx context.Context, file string, f restoreFlags) (err error) {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	log, err := inv.logger()
	if err != nil {
		return err
	}
	lock, err := control.Hold(cfg.DataDir)
	if errors.Is(err, control.ErrHeld) {
		return core.Errorf(core.KindLocked, "the data folder %s is in use by another footnote process; stop it first, such as footnote serve. Nothing was changed", cfg.DataDir)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if _, err := finishRestore(cfg.DataDir, os.Rename); err != nil {
		return err
	}
	stage := filepath.Join(cfg.DataDir, restoreStage)
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	m, err := stageBackup(ctx, cfg, log, file, f)
	if err != nil {
		return err
	}
	if !missing(filepath.Join(stage, store.FileName+"-wal")) {
		return core.Errorf(core.KindInternal, "the unpacked ledger was not closed; nothing was changed")
	}
	if f.check {
		_, err := fmt.Fprintf(inv.streams.Out, "%s is sound: made %s by Footnote %s, schema %d; nothing was changed\n", file, m.Made.Format(time.RFC3339), m.Program, m.Schema)
		return err
	}
	// What does not belong into the data folder is put down first: once the mark is
	// there, whoever opens the folder carries on without the stage.
	stray, err := inv.layStray(cfg, stage, m)
	if err != nil {
		return core.Errorf(core.KindDisk, "the restore could not begin: %w; nothing was changed", err)
	}
	// From the mark on there is no way back, and none is needed.
	if err := (swap{Aside: asideName(time.Now()), Names: []string{store.FileName, keyFile}}).mark(cfg.DataDir); err != nil {
		return core.Errorf(core.KindDisk, "the restore could not begin: %w; nothing was changed", err)
	}
	aside, err := finishRestore(cfg.DataDir, os.Rename)
	if err != nil {
		return err
	}
	return inv.sayRestored(cfg, file, m, aside, stray)
}

// stageBackup unpacks a backup beside the data and makes of it what this program can
// open. Nothing that counts is touched.
func stageBackup(ctx context.Context, cfg config.Config, log *slog.Logger, file string, f restoreFlags) (m manifest, err error) {
	stage := filepath.Join(cfg.DataDir, restoreStage)
	err = errors.Join(os.RemoveAll(stage), os.Mkdir(stage, 0o700))
	if err != nil {
		return m, core.Errorf(core.KindDisk, "the backup cannot be unpacked beside the data: %w", err)
	}
	if m, err = readBackup(ctx, file, stage); err != nil {
		return m, err
	}
	facts, err := store.Examine(ctx, filepath.Join(stage, store.FileName))
	switch {
	case err != nil:
		return m, err
	case facts.Schema != m.Schema || facts.Install != m.Install:
		return m, core.Errorf(core.KindInvalid, "%s holds another ledger than its manifest says; nothing was changed", file)
	}
	if err := sameInstall(ctx, cfg, m, f.other); err != nil {
		return m, err
	}
	if err := stageKey(cfg, stage); err != nil {
		return m, err
	}
	return m, upgradeStaged(ctx, cfg, log, stage, map[string]string{"restored": filepath.Base(file)}, f.withoutKey)
}

// sameInstall refuses to put one install in the place of another by mistake. A ledger
// that cannot be read is no reason to refuse: backups are for that.
func sameInstall(ctx context.Context, cfg config.Config, m manifest, other bool) error {
	there := filepath.Join(cfg.DataDir, store.FileName)
	if other || missing(there) {
		return nil
	}
	id, err := store.InstallIn(ctx, there)
	if err != nil || id == "" || id == m.Install {
		return ctx.Err()
	}
	return core.Errorf(core.KindConflict,
		"the data folder %s holds another install than the backup; choose another with --data-dir, or say --other-install. Nothing was changed", cfg.DataDir)
}

// stageKey takes the folder's own key along where the backup holds none.
func stageKey(cfg config.Config, stage string) error {
	staged := filepath.Join(stage, keyFile)
	if !missing(staged) {
		return nil
	}
	raw, err := readIfThere(filepath.Join(cfg.DataDir, keyFile))
	if err != nil || raw == nil {
		return err
	}
	if _, err := writeWhole(staged, writeBytes(raw)); err != nil {
		return core.Errorf(core.KindDisk, "the backup cannot be unpacked beside the data: %w", err)
	}
	return nil
}

// upgradeStaged opens the staged ledger as the next command will, which brings it to
// this program's schema and shows whether the key fits.
func upgradeStaged(ctx context.Context, cfg config.Config, log *slog.Logger, stage string, note map[string]string, withoutKey bool) (err error) {
	home := cfg.DataDir
	cfg.DataDir = stage
	a := &app{cfg: cfg, log: log}
	if a.store, err = store.Open(ctx, stage, log); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.store.Close()) }()
	if err := a.openKeys(ctx); core.KindOf(err) == core.KindConfig {
		if !withoutKey {
			return core.Errorf(core.KindConfig,
				"the backup's settings of sources are encrypted, and no key is there that opens them: put the key of that time into the data folder as %s, or give it as secrets.key. Nothing was changed; to restore all but the secrets of sources, say --without-key and run footnote secret reset then",
				filepath.Join(home, keyFile))
		}
	} else if err != nil {
		return err
	}
	// A cluster's collection knows of later documents; another one is filled.
	noted, err := a.store.Note(ctx, indexNote)
	if err == nil && noted != "" && noted != embeddedIndex {
		err = a.store.SetNote(ctx, indexNote, "restored")
	}
	if err != nil {
		return err
	}
	return a.audit(ctx, core.AuditConfig, note)
}
