package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// groupWrite is one group as the tables hold it.
type groupWrite struct {
	principal core.Principal
	source    string
	name      string
	members   core.Access // users and groups, sorted
}

// ReplaceGroups makes the groups all that the source has, in one transaction:
// what is not among them is gone. Checked is when the source told them. A group
// that did not change costs no write. A list that comes twice under one name is
// joined; two names that differ in case only would be one group and are refused,
// as is all else that is no group, with an error of kind invalid.
func (s *Store) ReplaceGroups(ctx context.Context, source string, groups []core.GroupMembers, checked time.Time) error {
	if checked.IsZero() {
		return core.Errorf(core.KindInvalid, "The groups of %q come without the time at which they were told.", source)
	}
	told, err := joinGroups(source, groups)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		if err := markChecked(ctx, tx, source, checked); err != nil {
			return err
		}
		left, err := groupSums(ctx, tx, source)
		if err != nil {
			return err
		}
		for _, g := range told {
			if !bytes.Equal(left[g.principal], g.sum()) {
				if err := putGroup(ctx, tx, g); err != nil {
					return err
				}
			}
			delete(left, g.principal)
		}
		for p := range left {
			if _, err := tx.ExecContext(ctx, `DELETE FROM groups WHERE principal = ?`, string(p)); err != nil {
				return err
			}
		}
		return nil
	})
}

// PutGroup adds one group or replaces its members. It does not make the source's
// other groups any fresher, nor this one: that takes ReplaceGroups, except in
// core.ConfigGroups. Errors are of kind invalid.
func (s *Store) PutGroup(ctx context.Context, g core.GroupMembers) error {
	told, err := joinGroups(g.Source, []core.GroupMembers{g})
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		if err := ensureGroupSource(ctx, tx, g.Source, s.Now()); err != nil {
			return err
		}
		return putGroup(ctx, tx, told[0])
	})
}

// RemoveGroup forgets a group; groups that name it as a member no longer get
// anybody by it. The error is of kind not_found if there is none.
func (s *Store) RemoveGroup(ctx context.Context, group core.Principal) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM groups WHERE principal = ?`, foldGroup(group))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return noGroup(group)
	})
}

// SetGroupsMaxAge sets for how long the source's groups are trusted without being
// told again; 0 means core.DefaultMaxAge, more than core.LongestMaxAge counts as
// that.
func (s *Store) SetGroupsMaxAge(ctx context.Context, source string, limit time.Duration) error {
	if err := checkGroupSource(source); err != nil {
		return err
	}
	limit = min(max(limit, 0), core.LongestMaxAge)
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO group_sources (source, max_age) VALUES (?, ?)
			ON CONFLICT (source) DO UPDATE SET max_age = excluded.max_age`, source, int64(limit))
		return err
	})
}

func markChecked(ctx context.Context, tx *session, source string, checked time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO group_sources (source, checked) VALUES (?, ?)
		ON CONFLICT (source) DO UPDATE SET checked = excluded.checked`, source, checked.UnixMicro())
	return err
}

// ensureGroupSource leaves open when the groups were told, because one group is
// not all; those of footnote.yaml need no telling.
func ensureGroupSource(ctx context.Context, tx *session, source string, now time.Time) error {
	var checked time.Time
	if source == core.ConfigGroups {
		checked = now
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO group_sources (source, checked) VALUES (?, ?)
		ON CONFLICT (source) DO UPDATE SET checked = coalesce(checked, excluded.checked)`, source, micros(checked))
	return err
}

func groupSums(ctx context.Context, tx *session, source string) (map[core.Principal][]byte, error) {
	out := map[core.Principal][]byte{}
	rows, err := tx.QueryContext(ctx, `SELECT principal, sum FROM groups WHERE source = ?`, source)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var p core.Principal
		var sum []byte
		err := rows.Scan(&p, &sum)
		out[p] = sum
		return err
	})
	return out, err
}

// putGroup writes the difference only: one person who joins a large group is one
// row.
func putGroup(ctx context.Context, tx *session, g groupWrite) error {
	members, err := asJSON(g.members)
	if err != nil {
		return err
	}
	p := string(g.principal)
	if _, err := tx.ExecContext(ctx, `INSERT INTO groups (principal, source, name, sum) VALUES (?, ?, ?, ?)
		ON CONFLICT (principal) DO UPDATE SET name = excluded.name, sum = excluded.sum`, p, g.source, g.name, g.sum()); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM members WHERE principal = ?1
		AND member NOT IN (SELECT value FROM json_each(?2))`, p, members); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO members (member, principal, source)
		SELECT value, ?1, ?2 FROM json_each(?3)`, p, g.source, members)
	return err
}

// sum also covers the name, whose spelling may change.
func (g groupWrite) sum() []byte {
	h := sha256.New()
	h.Write(append([]byte(g.name), 0)) // a hash never fails to write
	for _, m := range g.members {
		h.Write(append([]byte(m), 0))
	}
	return h.Sum(nil)
}

// joinGroups checks groups of one source and makes one of each name.
func joinGroups(source string, groups []core.GroupMembers) ([]groupWrite, error) {
	if err := checkGroupSource(source); err != nil {
		return nil, err
	}
	var out []groupWrite
	at := map[core.Principal]int{}
	for _, g := range groups {
		w, err := writeOf(g)
		if g.Source != source {
			err = core.Errorf(core.KindInvalid, "The group %q is of source %q, not of %q.", g.Name, g.Source, source)
		}
		if err != nil {
			return nil, err
		}
		i, again := at[w.principal]
		switch {
		case !again:
			at[w.principal] = len(out)
			out = append(out, w)
		case out[i].name != w.name:
			return nil, core.Errorf(core.KindInvalid,
				"The source %q has two groups %q and %q, which are one for Footnote because case does not count; rename one of them there.",
				source, out[i].name, w.name)
		default:
			out[i].members = core.NewAccess(append(out[i].members, w.members...)...)
		}
	}
	return out, nil
}

func writeOf(g core.GroupMembers) (groupWrite, error) {
	if strings.TrimSpace(g.Name) == "" {
		return groupWrite{}, core.Errorf(core.KindInvalid, "A group of the source %q has no name.", g.Source)
	}
	members := make([]core.Principal, 0, len(g.Users)+len(g.Groups))
	for _, email := range g.Users {
		if email = foldEmail(email); email != "" {
			members = append(members, core.User(email))
		}
	}
	for _, p := range g.Groups {
		if parsed, err := core.ParsePrincipal(string(p)); err != nil || !isGroup(parsed) {
			return groupWrite{}, core.Errorf(core.KindInvalid,
				"The group %q of the source %q has the member %q, which is no group; write group:SOURCE/NAME.", g.Name, g.Source, p)
		}
		members = append(members, p)
	}
	return groupWrite{
		principal: core.Principal(foldGroup(core.Group(g.Source, g.Name))), source: g.Source, name: g.Name,
		members: core.NewAccess(members...),
	}, nil
}

// checkGroupSource keeps groups apart: their principals are cut at the first
// slash.
func checkGroupSource(source string) error {
	if checkName(source) != nil {
		return core.Errorf(core.KindInvalid, "%q cannot have groups: it cannot be the name of a source.", source)
	}
	return nil
}

func isGroup(p core.Principal) bool { return strings.HasPrefix(string(p), "group:") }

// foldGroup is a group as the tables name it, and as core.NewAccess writes it.
func foldGroup(p core.Principal) string { return core.Lower(strings.TrimSpace(string(p))) }

func noGroup(p core.Principal) error {
	return core.Errorf(core.KindNotFound, "There is no group %q.", p)
}
