package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
)

// keyFile is where the key lies that was not given by configuration.
const keyFile = "secrets.key"

const keySize = 32

// openKeys tells the ledger the key that secrets are encrypted with, and those
// that may have been used before: one that was configured earlier, or the one
// that a rotation left beside the file when it was stopped.
func (a *app) openKeys(ctx context.Context) error {
	key, err := a.secretsKey(ctx)
	if err != nil {
		return err
	}
	old, err := keysAtHand(a.cfg)
	if err != nil {
		return err
	}
	old = slices.DeleteFunc(old, func(k []byte) bool { return bytes.Equal(k, key) })
	err = a.store.UseKeys(ctx, key, old...)
	if core.KindOf(err) == core.KindConfig {
		return core.Errorf(core.KindConfig, "%w If the key is lost, footnote secret reset forgets what only it opens; documents stay.", err)
	}
	return err
}

// secretsKey is the configured key, or the one in the data folder. Where there is
// none it is made, unless something is encrypted with one already.
func (a *app) secretsKey(ctx context.Context) ([]byte, error) {
	if a.cfg.Secrets.Key != "" {
		return readKey(a.cfg.Secrets.Key)
	}
	path := filepath.Join(a.cfg.DataDir, keyFile)
	raw, err := os.ReadFile(path)
	switch {
	case err == nil:
		key, err := readKey(string(raw))
		if err != nil {
			return nil, core.Errorf(core.KindConfig, "%s holds no key for secrets; put the right file there, or, if the key is lost, remove the file and run footnote secret reset", path)
		}
		return key, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, core.Errorf(core.KindConfig, "cannot read the key for secrets: %w", err)
	}
	keys, err := keysAtHand(a.cfg)
	if err != nil {
		return nil, err
	}
	sealed, err := a.store.Sealed(ctx)
	if err != nil {
		return nil, err
	}
	if sealed && len(keys) == 0 {
		return nil, core.Errorf(core.KindConfig, "settings of sources are encrypted, and their key is missing: put it back as %s, or give it as secrets.key; if it is lost, footnote secret reset forgets what only it opens; documents stay", path)
	}
	return newKey(path)
}

// readKey takes 32 bytes in hexadecimal or base64, or a passphrase that is long
// enough to be one.
func readKey(s string) ([]byte, error) {
	s = strings.TrimSpace(s)
	if raw, err := hex.DecodeString(s); err == nil && len(raw) == keySize {
		return raw, nil
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if raw, err := enc.DecodeString(s); err == nil && len(raw) == keySize {
			return raw, nil
		}
	}
	if len(s) < keySize {
		return nil, core.Errorf(core.KindConfig, "the key for secrets (secrets.key) is too short: write 32 bytes in hexadecimal or base64, or a passphrase of at least 32 characters")
	}
	return []byte(s), nil
}

// newKey makes a key and puts it into the file, which only this user may read.
func newKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	rand.Read(key) // never fails: the program ends where there is no randomness
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "cannot keep the key for secrets: %w", err)
	}
	_, err = fmt.Fprintln(f, hex.EncodeToString(key))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
		return nil, core.Errorf(core.KindDisk, "cannot keep the key for secrets: %w", err)
	}
	return key, nil
}

func (inv *invocation) secretCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "secret",
		Short: "Look after the key that encrypts secrets in the data folder",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.secretRotateCommand(), inv.secretResetCommand())
	return c
}

func (inv *invocation) secretRotateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all secrets with a new key",
		Long: `Encrypt all secrets with a new key. The key in the data folder is replaced. If
the key is configured, give the old one as secrets.old_key beside the new one in secrets.key.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), inv.rotateKey)
		},
	}
}

// rotateKey writes the new key beside the old one first: whichever step it is
// stopped at, one of the two files opens every secret.
func (inv *invocation) rotateKey(ctx context.Context, a *app) error {
	if a.cfg.Secrets.Key != "" {
		return core.Errorf(core.KindDenied, "the key is configured as secrets.key: put the new one there, the old one into secrets.old_key, and run any command; secrets are encrypted anew when the data folder is opened")
	}
	path := filepath.Join(a.cfg.DataDir, keyFile)
	old, err := a.secretsKey(ctx)
	if err != nil {
		return err
	}
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.Errorf(core.KindDisk, "cannot replace the key for secrets: %w", err)
	}
	key, err := newKey(next)
	if err != nil {
		return err
	}
	if err := a.store.UseKeys(ctx, key, old); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return core.Errorf(core.KindDisk, "cannot replace the key for secrets: %w; it is in %s", err, next)
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"secrets": "new key"}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(inv.streams.Out, "all secrets are encrypted with a new key")
	return err
}
