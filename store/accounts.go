package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

const accountColumns = `key, platform, team, id, name, class, email, verified, linked, seen`

// PutAccount keeps an account as the platform describes it now. Its Linked and
// Former are the ledger's own and not taken over. An address that the account
// had as a member, and that the platform had confirmed, becomes one of its
// former ones when it changes, unless another account stands for it by now. An
// address that this account states as confirmed is nobody else's former one any
// more. Errors are of kind invalid for an account without platform or id.
func (s *Store) PutAccount(ctx context.Context, a core.Account) error {
	if err := checkAccount(a); err != nil {
		return err
	}
	return s.short(ctx, func(tx *session) error { return putAccount(ctx, tx, a) })
}

// Account finds one; the error is of kind not_found if it was never put.
func (s *Store) Account(ctx context.Context, platform, team, id string) (core.Account, error) {
	key := core.Account{Platform: platform, Team: team, ID: id}.Key()
	out, err := recallOr(ctx, s, ofAccounts, key, func(tx *session) (core.Account, error) {
		return getAccount(ctx, tx, key)
	})
	out.Former = slices.Clone(out.Former)
	return out, err
}

// Accounts lists the accounts of which the address is the linked person, the
// stated address or a former one, whatever its case; "" lists all. The order is
// by platform, team and id.
func (s *Store) Accounts(ctx context.Context, email string) ([]core.Account, error) {
	if email == "" {
		return s.accounts(ctx, ``)
	}
	if foldEmail(email) == "" {
		return nil, nil // not those that have no address
	}
	return s.accounts(ctx, `WHERE key IN (SELECT key FROM accounts WHERE email = ?1
		UNION SELECT key FROM accounts WHERE linked = ?1
		UNION SELECT account FROM former_emails WHERE email = ?1)`, foldEmail(email))
}

func (s *Store) accounts(ctx context.Context, where string, args ...any) ([]core.Account, error) {
	var out []core.Account
	err := s.read(ctx, func(tx *session) (err error) {
		out, err = listAccounts(ctx, tx, where, args...)
		return err
	})
	return out, err
}

func listAccounts(ctx context.Context, tx *session, where string, args ...any) ([]core.Account, error) {
	var out []core.Account
	rows, err := tx.QueryContext(ctx, `SELECT `+accountColumns+`,
			(SELECT json_group_array(email) FROM (SELECT email FROM former_emails WHERE account = key ORDER BY email))
		FROM accounts `+where+` ORDER BY platform, team, id`, args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var a core.Account
		var key string
		var seen sql.NullInt64
		err := rows.Scan(&key, &a.Platform, &a.Team, &a.ID, &a.Name, &a.Class, &a.Email, &a.Verified,
			&a.Linked, &seen, jsonColumn{&a.Former})
		if a.Seen = fromMicros(seen); len(a.Former) == 0 {
			a.Former = nil
		}
		out = append(out, a)
		return err
	})
	return out, err
}

func getAccount(ctx context.Context, tx *session, key string) (core.Account, error) {
	found, err := listAccounts(ctx, tx, `WHERE key = ?`, key)
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.KindNotFound, "The account %s is not known; footnote identity list shows all that were seen.", key)
	}
	if err != nil {
		return core.Account{}, err
	}
	return found[0], nil
}

func putAccount(ctx context.Context, tx *session, a core.Account) error {
	old, err := getAccount(ctx, tx, a.Key())
	if err != nil && core.KindOf(err) != core.KindNotFound {
		return err
	}
	a.Email = foldEmail(a.Email)
	if _, err := tx.ExecContext(ctx, `INSERT INTO accounts (`+accountColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?)
		ON CONFLICT (key) DO UPDATE SET name = excluded.name, class = excluded.class, email = excluded.email,
			verified = excluded.verified, seen = excluded.seen`,
		a.Key(), a.Platform, a.Team, a.ID, a.Name, string(a.Class), a.Email, a.Verified, micros(a.Seen)); err != nil {
		return err
	}
	if a.Email != old.Email && old.Verified && old.Class == core.AccountMember {
		if err := addFormer(ctx, tx, a.Key(), old.Email); err != nil {
			return err
		}
	}
	return takeEmail(ctx, tx, a)
}

// addFormer keeps an address that the account had, unless somebody else has it.
func addFormer(ctx context.Context, tx *session, account, email string) error {
	if email == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO former_emails (account, email) SELECT ?1, ?2
		WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email = ?2 AND verified AND key <> ?1)
		AND NOT EXISTS (SELECT 1 FROM accounts WHERE linked = ?2 AND key <> ?1)`, account, email)
	return err
}

// takeEmail takes the account's address out of everybody's former ones. Without
// the platform's word that it was confirmed anybody could state it, so that then
// it leaves only the account's own.
func takeEmail(ctx context.Context, tx *session, a core.Account) error {
	if a.Email == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM former_emails WHERE email = ? AND (? OR account = ?)`,
		a.Email, a.Verified, a.Key())
	return err
}

// checkAccount keeps keys unambiguous: they are cut at their first colon and the
// first slash after it.
func checkAccount(a core.Account) error {
	if a.Platform == "" || a.ID == "" || strings.ContainsAny(a.Platform, ":/") || strings.Contains(a.Team, "/") {
		return core.Errorf(core.KindInvalid, "%q cannot be an account; it is named platform:team/id, with a platform and an id.", a.Key())
	}
	return nil
}

// foldEmail makes addresses comparable: they are one whatever their case.
func foldEmail(email string) string { return core.Lower(strings.TrimSpace(email)) }
