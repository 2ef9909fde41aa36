package store

import (
	"context"
	"crypto/cipher"
	"slices"
)

// Sealed tells whether the config of any source is encrypted.
func (s *Store) Sealed(ctx context.Context) (sealed bool, err error) {
	err = s.read(ctx, func(tx *session) error {
		stored, err := storedConfigs(ctx, tx)
		for _, config := range stored {
			_, _, is := cutEnvelope(config)
			sealed = sealed || is
		}
		return err
	})
	return sealed, err
}

// ForgetSealed empties the configs that none of the keys opens, for the owner who
// lost theirs, and names their sources in order. Documents stay; cursors do not,
// as with any change of a config.
func (s *Store) ForgetSealed(ctx context.Context, keys ...[]byte) ([]string, error) {
	ring := keyring{keys: map[string]cipher.AEAD{}}
	for _, key := range keys {
		id, aead, err := newAEAD(key)
		if err != nil {
			return nil, err
		}
		ring.keys[id] = aead
	}
	var names []string
	err := s.write(ctx, func(tx *session) error {
		stored, err := storedConfigs(ctx, tx)
		if err != nil {
			return err
		}
		for name, config := range stored {
			if _, err := ring.open(name, config); err == nil {
				continue
			}
			names = append(names, name)
			for _, statement := range []string{`UPDATE sources SET config = '{}' WHERE name = ?`, `DELETE FROM cursors WHERE source = ?`} {
				if _, err := tx.ExecContext(ctx, statement, name); err != nil {
					return err
				}
			}
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}
