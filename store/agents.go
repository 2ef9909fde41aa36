package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// Agents lists the agents that commands added, by name.
func (s *Store) Agents(ctx context.Context) ([]core.Agent, error) {
	var out []core.Agent
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT definition FROM agents ORDER BY name`)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var a core.Agent
			err := rows.Scan(jsonColumn{&a})
			out = append(out, a)
			return err
		})
	})
	return out, err
}

// PutAgent adds an agent or replaces the one of its name.
func (s *Store) PutAgent(ctx context.Context, a core.Agent) error {
	definition, err := asJSON(a)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO agents (name, definition) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET definition = excluded.definition`, a.Name, definition)
		return err
	})
}

// RemoveAgent forgets an agent; the error is of kind not_found if there is none
// of the name.
func (s *Store) RemoveAgent(ctx context.Context, name string) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM agents WHERE name = ?`, name)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return core.Errorf(core.KindNotFound, "There is no agent %q that a command added.", name)
	})
}
