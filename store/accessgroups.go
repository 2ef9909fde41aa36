package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// setGroups writes the groups that came in a pass, and forgets those that went.
func (a account) setGroups(ctx context.Context, tx *session, b core.AccessBatch, counts *core.AccessCounts) error {
	told, err := joinGroups(b.Source, b.Groups)
	if err != nil {
		return err
	}
	if len(told) > 0 {
		if err := ensureGroupSource(ctx, tx, b.Source, time.Time{}); err != nil {
			return err
		}
		if err := setGroupsAge(ctx, tx, a.source); err != nil {
			return err
		}
	}
	for _, name := range b.Gone {
		res, err := tx.ExecContext(ctx, `DELETE FROM groups WHERE principal = ? AND source = ? AND name = ?`,
			foldGroup(core.Group(b.Source, name)), b.Source, name)
		if err := addChanged(res, err, &counts.Groups); err != nil {
			return err
		}
	}
	names := make([]string, len(told))
	for i, g := range told {
		names[i] = string(g.principal)
		changed, err := a.setGroup(ctx, tx, g)
		if err != nil {
			return err
		}
		if changed {
			counts.Groups++
		}
	}
	return noteTold(ctx, tx, b.Source, true, names, a.pass)
}

// setGroup costs no write where nothing changed. Another spelling of a name that
// is in use is another group of the source: joined, each would get the other's
// members.
func (a account) setGroup(ctx context.Context, tx *session, g groupWrite) (changed bool, err error) {
	var name string
	var sum []byte
	var told bool
	err = tx.QueryRowContext(ctx, `SELECT name, sum, EXISTS (SELECT 1 FROM access_told
			WHERE source = groups.source AND is_group = 1 AND name = groups.principal)
		FROM groups WHERE principal = ?`, string(g.principal)).Scan(&name, &sum, &told)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return false, err
	case name != g.name && (told || !a.open):
		return false, core.Errorf(core.KindInvalid,
			"The source %q has two groups %q and %q, which are one for Footnote because case does not count; rename one of them there, then: footnote sync %s --full.",
			g.source, name, g.name, g.source)
	case bytes.Equal(sum, g.sum()):
		return false, nil
	}
	return true, putGroup(ctx, tx, g)
}

// end closes an account or a pass that ended well. What was told counts as told
// when the pass began: each pass tells all that changed before it.
func (a account) end(ctx context.Context, tx *session, whole core.AccessWhole, counts *core.AccessCounts) error {
	// A pass that went on in the middle of an account ends it, although that pass
	// alone has not told everything.
	joined := a.open && a.resumed
	if whole.AllGroups || joined {
		if err := a.dropGroups(ctx, tx, whole.AllGroups, counts); err != nil {
			return err
		}
	}
	groups := whole.AllGroups || joined || !a.open && a.groupsKnown
	documents := !a.open && a.documentsKnown
	if whole.AllDocuments || joined {
		tells, err := a.closeUntold(ctx, tx, whole.AllDocuments, counts)
		if err != nil {
			return err
		}
		documents = tells
	}
	folders, err := foldersTold(ctx, tx, a.source.Name)
	if err != nil {
		return err
	}
	if groups {
		if err := a.groupsChecked(ctx, tx); err != nil {
			return err
		}
	}
	if documents || folders {
		if _, err := tx.ExecContext(ctx, `UPDATE sources SET access_checked = ? WHERE name = ?`, a.started, a.source.Name); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM access_told WHERE source = ?`, a.source.Name); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE access_accounts SET open = 0, groups_known = ?, documents_known = ?
		WHERE source = ?`, groups, documents, a.source.Name)
	return err
}

// left is what of an account counts as named: what its last pass named where that
// one told all, else what any of its passes did.
const left = `SELECT name FROM access_told WHERE source = ?1 AND is_group = ?2 AND (pass = ?3 OR NOT ?4)`

func (a account) dropGroups(ctx context.Context, tx *session, thisPass bool, counts *core.AccessCounts) error {
	res, err := tx.ExecContext(ctx, `DELETE FROM groups WHERE source = ?1 AND principal NOT IN (`+left+`)`,
		a.source.Name, true, a.pass, thisPass)
	return addChanged(res, err, &counts.Groups)
}

// closeUntold takes the readers from documents that were not named. A source that
// named none tells of groups only; its documents' readers come with them.
func (a account) closeUntold(ctx context.Context, tx *session, thisPass bool, counts *core.AccessCounts) (tells bool, err error) {
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (`+left+`)`, a.source.Name, false, a.pass, thisPass).Scan(&tells); err != nil || !tells {
		return false, err
	}
	const unnamed = `source = ?1 AND NOT host_access AND id NOT IN (` + left + `)
		AND EXISTS (SELECT 1 FROM access WHERE document = documents.n)`
	closed := 0
	res, err := tx.ExecContext(ctx, `UPDATE documents SET untold = NULL, facts_hash = zeroblob(32),
		facts_generation = facts_generation + 1 WHERE `+unnamed, a.source.Name, false, a.pass, thisPass)
	if err := addChanged(res, err, &closed); err != nil || closed == 0 {
		return true, err
	}
	counts.Closed += closed
	counts.Documents += closed
	_, err = tx.ExecContext(ctx, `DELETE FROM access WHERE document IN (SELECT n FROM documents WHERE `+unnamed+`)`,
		a.source.Name, false, a.pass, thisPass)
	return true, err
}

func (a account) groupsChecked(ctx context.Context, tx *session) error {
	if err := markChecked(ctx, tx, a.source.Name, fromMicros(a.started)); err != nil {
		return err
	}
	return setGroupsAge(ctx, tx, a.source)
}

// setGroupsAge trusts the groups of a source for as long as its documents' readers.
func setGroupsAge(ctx context.Context, tx *session, src core.Source) error {
	limit := min(max(src.MaxAge, 0), core.LongestMaxAge)
	_, err := tx.ExecContext(ctx, `UPDATE group_sources SET max_age = ?1 WHERE source = ?2 AND max_age <> ?1`, int64(limit), src.Name)
	return err
}

func addChanged(res sql.Result, err error, to *int) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	*to += int(n)
	return err
}
