package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
)

const (
	keyInstall = "install_id" // given once, when the ledger is made
	keyIndex   = "index_id"   // the index that confirmations in this ledger speak of
)

// InstallID is this install's own name: random, the same for as long as the
// ledger lives.
func (s *Store) InstallID(ctx context.Context) (string, error) {
	var id string
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		id, err = getMeta(ctx, tx, keyInstall)
		return err
	})
	return id, err
}

// AdoptIndex says which index the ledger is confirmed in from now on. If it is
// another one than before, or again is set, everything counts as not indexed.
func (s *Store) AdoptIndex(ctx context.Context, id string, again bool) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		old, err := getMeta(ctx, tx, keyIndex)
		if err != nil || (old == id && !again) {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE documents SET indexed = 0 WHERE indexed > 0`); err != nil {
			return err
		}
		return setMeta(ctx, tx, keyIndex, id)
	})
}

func ensureInstallID(ctx context.Context, tx *sql.Tx) error {
	id, err := getMeta(ctx, tx, keyInstall)
	if err != nil || id != "" {
		return err
	}
	return setMeta(ctx, tx, keyInstall, rand.Text())
}

func getMeta(ctx context.Context, tx *sql.Tx, key string) (string, error) {
	var value string
	err := tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

func setMeta(ctx context.Context, tx *sql.Tx, key, value string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}
