package store

import (
	"cmp"
	"context"
	"crypto/cipher"
	"database/sql"
	"encoding/json"
	"maps"

	"github.com/footnote-bot/footnote/core"
)

// KeyLength is how many bytes a key of UseKeys has at least.
const KeyLength = 32

// keyClean names the key since whose first use the file was cleared of traces.
const keyClean = "secrets_clean"

// UseKeys encrypts the sources' configs at rest from now on, under the current
// key, and rewrites in one transaction those that are still plain or under one
// of the old keys. To change the key, give the new one and the old one. A key of
// 32 bytes is used as it is; a longer one, such as a text, is hashed to that
// length. The first time, and whenever it rewrote any, it also rebuilds the
// ledger's file, so that nothing of what was there is left in it; that needs as
// much free disk as the file is large, and where it fails it is done again by the
// next call. Errors: config for a key that is too short and for a config under a
// key that is not given, then nothing was changed; disk and locked where the file
// could not be rebuilt, then the configs are encrypted all the same.
func (s *Store) UseKeys(ctx context.Context, current []byte, old ...[]byte) error {
	given := keyring{keys: map[string]cipher.AEAD{}}
	for _, key := range append([][]byte{current}, old...) {
		id, aead, err := newAEAD(key)
		if err != nil {
			return err
		}
		given.current = cmp.Or(given.current, id)
		given.keys[id] = aead
	}
	var before *keyring
	var clean string
	err := s.write(ctx, func(tx *session) (err error) {
		if before = s.keys.Load(); before != nil {
			// Readers of an earlier snapshot still meet what the new keys do not open.
			maps.Copy(given.keys, before.keys)
		}
		if err := recrypt(ctx, tx, &given); err != nil {
			return err
		}
		if clean, err = getMeta(ctx, tx, keyClean); err != nil {
			return err
		}
		s.keys.Store(&given) // before the commit: nobody may meet a row that cannot be opened
		return nil
	})
	if err != nil {
		s.keys.CompareAndSwap(&given, given.writing(before)) // only a commit can have failed
		return err
	}
	if clean == given.current {
		return nil
	}
	return s.clearTraces(ctx, given.current)
}

// recrypt brings all configs under the current key, and takes back that the file
// is clean where there were others.
func recrypt(ctx context.Context, tx *session, ring *keyring) error {
	stored, err := storedConfigs(ctx, tx)
	if err != nil {
		return err
	}
	for name, config := range stored {
		plain, err := ring.open(name, config)
		if err != nil {
			return err
		}
		if id, _, _ := cutEnvelope(config); id == ring.current {
			continue
		}
		// The least that can be done about what is overwritten, should rebuilding fail.
		if _, err := tx.conn.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
			return err
		}
		sealed, err := ring.seal(name, plain)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE sources SET config = ? WHERE name = ?`, sealed, name); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM meta WHERE key = ?`, keyClean); err != nil {
			return err
		}
	}
	return nil
}

func storedConfigs(ctx context.Context, tx *session) (map[string]string, error) {
	out := map[string]string{}
	rows, err := tx.QueryContext(ctx, `SELECT name, config FROM sources`)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var name, config string
		err := rows.Scan(&name, &config)
		out[name] = config
		return err
	})
	return out, err
}

// clearTraces rebuilds the file without its free space, where earlier versions
// of a row and removed sources may lie, and empties the write-ahead log into it.
// A transaction that reads an older state holds the latter up.
func (s *Store) clearTraces(ctx context.Context, key string) error {
	err := s.outsideTx(ctx, func(conn *sql.Conn) error {
		var busy, pages, moved int
		_, err := conn.ExecContext(ctx, `VACUUM`)
		if err == nil {
			err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
		}
		if err == nil && busy != 0 {
			err = core.Errorf(core.KindLocked,
				"The secrets are encrypted, but a reader keeps their earlier versions in %s-wal; start Footnote again to clear them.", s.path)
		}
		if err == nil {
			_, err = conn.ExecContext(ctx, `PRAGMA secure_delete = OFF`)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error { return setMeta(ctx, tx, keyClean, key) })
}

// outsideTx runs f on the writer's connection without a transaction.
func (s *Store) outsideTx(ctx context.Context, f func(*sql.Conn) error) error {
	select {
	case x := <-s.writer.idle:
		defer func() { s.writer.idle <- x }()
		return s.failIn(ctx, f(x.conn))
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.writer.closed:
		return core.Errorf(core.KindUnavailable, "The ledger is closed; Footnote is stopping.")
	}
}

// ring is the keys of now. It is asked only after a row was read: keys are given
// out before the rows that need them.
func (x *session) ring() *keyring {
	return x.keys.Load()
}

// unseal makes a source as it was read one that can be used.
func (x *session) unseal(src core.Source, err error) (core.Source, error) {
	if err != nil {
		return src, err
	}
	plain, err := x.ring().open(src.Name, string(src.Config))
	if src.Config = json.RawMessage(plain); err != nil {
		return core.Source{}, err
	}
	return src, nil
}

// withKeys lets a transaction know where the keys are.
func (s *Store) withKeys(f func(*session) error) func(*session) error {
	return func(tx *session) error {
		tx.keys = &s.keys
		return f(tx)
	}
}
