package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
)

const keyInstall = "install_id" // given once, when the ledger is made

// InstallID is this install's own name: random, the same for as long as the
// ledger lives.
func (s *Store) InstallID(ctx context.Context) (string, error) {
	var id string
	err := s.read(ctx, func(tx *session) (err error) {
		id, err = getMeta(ctx, tx, keyInstall)
		return err
	})
	return id, err
}

// Unconfirm forgets what the index has confirmed: every document counts as not
// indexed. It is for an index that starts empty or is to be built again.
func (s *Store) Unconfirm(ctx context.Context) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `UPDATE documents SET indexed = 0 WHERE indexed > 0`)
		return err
	})
}

// notePrefix keeps the notes of other packages apart from the store's own.
const notePrefix = "note_"

// Note reads what SetNote kept under the key; "" if nothing was.
func (s *Store) Note(ctx context.Context, key string) (string, error) {
	var value string
	err := s.read(ctx, func(tx *session) (err error) {
		value, err = getMeta(ctx, tx, notePrefix+key)
		return err
	})
	return value, err
}

// SetNote keeps a small text under the key, in place of an earlier one.
func (s *Store) SetNote(ctx context.Context, key, value string) error {
	return s.write(ctx, func(tx *session) error { return setMeta(ctx, tx, notePrefix+key, value) })
}

func ensureInstallID(ctx context.Context, tx *session) error {
	id, err := getMeta(ctx, tx, keyInstall)
	if err != nil || id != "" {
		return err
	}
	return setMeta(ctx, tx, keyInstall, rand.Text())
}

func getMeta(ctx context.Context, tx *session, key string) (string, error) {
	var value string
	err := tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

func setMeta(ctx context.Context, tx *session, key, value string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}
