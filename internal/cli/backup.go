package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
	"github.com/footnote-bot/footnote/store"
)

const (
	backupPrefix = "footnote-backup-"
	backupSuffix = ".tar.gz"
	// backupKey is the ledger's note of when the last backup was made.
	backupKey = "backup_last"
)

// backupFlags say what goes into a backup and how many are kept.
type backupFlags struct {
	withKey bool
	keep    int
	asJSON  bool
}

func (inv *invocation) backupCommand() *cobra.Command {
	var f backupFlags
	c := &cobra.Command{
		Use:   "backup [FILE | FOLDER]",
		Short: "Write a consistent copy of everything that Footnote remembers",
		Long: `Write one file that footnote restore reads: the ledger as it is at one instant,
plugins.lock and footnote.yaml. It may be made while footnote serve runs. Without a
name the file gets one with the time in it, here or in the folder that is named.

The key that opens the secrets of sources stays out, and so does a footnote.yaml that
holds keys or tokens: keep them apart, or put them in with --with-key and guard the
file as you would guard them. The search index is not in it; it is built again.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.keep < 0 {
				return core.Errorf(core.KindUsage, "--keep: %d is below zero", f.keep)
			}
			to := strings.Join(args, "")
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error { return inv.backup(ctx, a, to, f) })
		},
	}
	c.Flags().BoolVar(&f.withKey, "with-key", false, "put in the key for secrets, and footnote.yaml whatever it holds")
	c.Flags().IntVar(&f.keep, "keep", 0, "remove all but so many of the newest backups from the folder (default: remove none)")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

// backupView is a backup as --json prints it.
type backupView struct {
	File    string   `json:"file"`
	Bytes   int64    `json:"bytes"`
	Schema  int      `json:"schema"`
	Members []member `json:"members"`
	Without []string `json:"without"`
	Removed []string `json:"removed,omitempty"`
}

func (inv *invocation) backup(ctx context.Context, a *app, to string, f backupFlags) error {
	now := a.store.Now()
	path, named := inv.backupPath(to, now)
	if named && f.keep > 0 {
		return core.Errorf(core.KindUsage, "--keep goes with a folder, in which backups have names with the time in them; %s is a file", path)
	}
	v, err := a.backUp(ctx, path, f.withKey, now)
	if err != nil {
		return err
	}
	if err := a.store.SetNote(ctx, backupKey, now.UTC().Format(time.RFC3339)); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"backup": filepath.Base(path)}); err != nil {
		return err
	}
	if f.keep > 0 {
		if v.Removed, err = pruneBackups(filepath.Dir(path), f.keep); err != nil {
			return err
		}
	}
	if f.asJSON {
		return inv.printJSON(v)
	}
	_, err = io.WriteString(inv.streams.Out, v.text())
	return err
}

func (v backupView) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s, %.1f MB, schema %d\n", v.File, float64(v.Bytes)/1e6, v.Schema)
	for _, m := range v.Members {
		fmt.Fprintf(&b, "  %s\n", m.Name)
	}
	for _, w := range v.Without {
		fmt.Fprintf(&b, "not in it: %s\n", w)
	}
	for _, r := range v.Removed {
		fmt.Fprintf(&b, "removed %s\n", r)
	}
	return b.String()
}

// backupPath is where the backup goes, and whether that file was named.
func (inv *invocation) backupPath(to string, now time.Time) (path string, named bool) {
	path = inv.path(to)
	if info, err := os.Stat(path); to != "" && (err != nil || !info.IsDir()) {
		return path, true
	}
	return filepath.Join(path, backupPrefix+now.UTC().Format("20060102-150405")+backupSuffix), false
}

// backUp writes the file beside its place and puts it there when it is whole.
func (a *app) backUp(ctx context.Context, path string, withKey bool, now time.Time) (v backupView, err error) {
	if !missing(path) {
		return v, core.Errorf(core.KindConflict, "%s exists already; a backup never replaces a file", path)
	}
	if err := sweepBackups(filepath.Dir(path)); err != nil {
		a.log.WarnContext(ctx, "what a killed backup left was not removed", "error", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), unfinished)
	if err != nil {
		return v, core.Errorf(core.KindDisk, "cannot write a backup into %s: %w", filepath.Dir(path), err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lock, err := control.Hold(dir)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	m, without, err := a.backupContents(ctx, dir, withKey, now)
	if err != nil {
		return v, err
	}
	whole := filepath.Join(dir, "backup")
	size, err := writeWhole(whole, func(w io.Writer) error { return writeBackup(ctx, w, m) })
	if err == nil {
		err = errors.Join(os.Rename(whole, path), syncFolder(filepath.Dir(path)))
	}
	switch {
	case ctx.Err() != nil:
		return v, context.Cause(ctx)
	case err != nil:
		return v, core.Errorf(core.KindDisk, "the backup could not be written: %w; nothing of it is left", err)
	}
	return backupView{File: path, Bytes: size, Schema: m.Schema, Members: m.Members, Without: without}, nil
}

// backupContents copies the ledger and lists what else goes in. A key that changes
// meanwhile would not fit the ledger.
func (a *app) backupContents(ctx context.Context, dir string, withKey bool, now time.Time) (m manifest, without []string, err error) {
	key := filepath.Join(a.cfg.DataDir, keyFile)
	before, err := readIfThere(key)
	if err != nil {
		return m, nil, err
	}
	ledger := filepath.Join(dir, store.FileName)
	if err := a.store.CopyTo(ctx, ledger); err != nil {
		return m, nil, err
	}
	after, err := readIfThere(key)
	if err != nil {
		return m, nil, err
	}
	if !bytes.Equal(before, after) {
		return m, nil, core.Errorf(core.KindConflict, "the key for secrets changed while the backup was made; run it again")
	}
	m = manifest{Format: backupFormat, Made: now.UTC(), Program: thisBuild().Version}
	if m.Install, err = a.store.InstallID(ctx); err != nil {
		return m, nil, err
	}
	if m.Schema, err = store.Schema(); err != nil {
		return m, nil, err
	}
	paths := map[string]string{store.FileName: ledger}
	switch {
	case after == nil:
		without = append(without, "the key for secrets, which is configured as secrets.key: keep it apart")
	case withKey:
		paths[keyFile] = key
	default:
		without = append(without, key+", the key that opens the secrets of sources: keep it apart, or use --with-key")
	}
	if file := a.cfg.File; file != "" && a.cfg.HoldsSecrets() && !withKey {
		without = append(without, file+", which holds keys or tokens: keep it apart, or use --with-key")
	} else if file != "" {
		paths[config.DefaultFile] = file
	}
	if lock := a.shelf.LockFile; !missing(lock) {
		paths[lockName] = lock
		without = append(without, "the programs of installed connectors: footnote plugin install gets those that "+lockName+" names")
	}
	for _, name := range backupMembers {
		if path, is := paths[name]; is {
			one, err := sumOf(ctx, name, path)
			if err != nil {
				return m, nil, core.Errorf(core.KindDisk, "cannot read what is to be backed up: %w", err)
			}
			m.Members = append(m.Members, one)
		}
	}
	return m, without, nil
}
