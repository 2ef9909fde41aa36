package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store"
)

func (inv *invocation) secretResetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Forget the settings that a lost key encrypts",
		Long: `Forget the settings of the sources that none of the keys at hand opens: for when
the key is lost. Documents stay. Sources of footnote.yaml get their settings from
there again; the others have to be removed and added anew.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return inv.resetSecrets(c.Context()) },
	}
}

// resetSecrets opens the ledger alone: without its key the folder cannot be
// opened as a whole.
func (inv *invocation) resetSecrets(ctx context.Context) (err error) {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	log, err := inv.logger()
	if err != nil {
		return err
	}
	lock, err := inv.takeOwn(ctx, cfg.DataDir, false, manager{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	ledger, err := store.Open(ctx, cfg.DataDir, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	keys, err := keysAtHand(cfg)
	if err != nil {
		return err
	}
	names, err := ledger.ForgetSealed(ctx, keys...)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		fmt.Fprintln(inv.streams.Err, "all settings can be read; nothing was forgotten")
	}
	for _, name := range names {
		e := core.AuditEntry{At: time.Now(), Action: core.AuditConfig, Actor: operatorName, Detail: map[string]string{"source": name, "settings": "forgotten"}}
		if err := ledger.Audit(ctx, e); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(inv.streams.Out, "forgot the settings of source %s; unless footnote.yaml lists it, run footnote source remove %s and add it again\n", name, name); err != nil {
			return err
		}
	}
	return nil
}

// keysAtHand is every key that is configured or lies in the data folder.
func keysAtHand(cfg config.Config) ([][]byte, error) {
	var out [][]byte
	for _, s := range []string{cfg.Secrets.Key, cfg.Secrets.OldKey} {
		if s == "" {
			continue
		}
		k, err := readKey(s)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	for _, name := range []string{keyFile, keyFile + ".new"} {
		if raw, err := os.ReadFile(filepath.Join(cfg.DataDir, name)); err == nil {
			if k, err := readKey(string(raw)); err == nil {
				out = append(out, k)
			}
		}
	}
	return out, nil
}
