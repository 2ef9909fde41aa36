package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Limits of linking by code.
const (
	// LongestLink is the longest time that a code may be open.
	LongestLink = 7 * 24 * time.Hour

	openLinks     = 3 // codes of one person at a time; a newer one closes the oldest
	linkMisses    = 5 // wrong codes of one account within missesCount
	missesCount   = 15 * time.Minute
	codeLength    = 8
	codeAlphabet  = "23456789ACDEFGHJKMNPQRTVWXY" // of what reads alike at most one: 0 O, 1 I L, 5 S, 8 B, 2 Z, U V
	codeSeparator = " -\t"
)

// NewLink makes a code by which an account can be linked to the person, once and
// within the time to live, which is at most LongestLink. The code has 8
// characters and is kept only as a hash: it cannot be read again. A person has
// at most 3 open codes; one more closes the oldest. Errors are of kind invalid.
func (s *Store) NewLink(ctx context.Context, email string, ttl time.Duration) (string, error) {
	return s.newLink(ctx, email, ttl, s.Now())
}

func (s *Store) newLink(ctx context.Context, email string, ttl time.Duration, now time.Time) (string, error) {
	email = foldEmail(email)
	if at := strings.Index(email, "@"); at < 1 || at == len(email)-1 {
		return "", core.Errorf(core.KindInvalid, "%q is not an e-mail address; a code links an account to a person named by one.", email)
	}
	if ttl <= 0 || ttl > LongestLink {
		return "", core.Errorf(core.KindInvalid, "A code cannot be open for %v; choose a time above zero and up to %v.", ttl, LongestLink)
	}
	code, err := newCode()
	if err != nil {
		return "", core.Wrap(core.KindInternal, err, "The system has no random numbers to make a code from.")
	}
	return code, s.write(ctx, func(tx *session) error {
		if err := closeLinks(ctx, tx, now); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM link_codes WHERE hash IN (SELECT hash FROM link_codes
			WHERE email = ? ORDER BY created DESC, hash LIMIT -1 OFFSET ?)`, email, openLinks-1); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO link_codes (hash, email, created, expires) VALUES (?, ?, ?, ?)`,
			hashCode(code), email, now.UnixMicro(), now.Add(ttl).UnixMicro())
		return err
	})
}

// Link makes the account stand for the person for whom the code was made, in
// place of an earlier one, and gives that person's address. One never seen before
// is put; what is known of others stays as it is, so that its key and class are
// all that is needed. The code may be written in any case, with spaces and
// dashes; it works once. Errors: denied for bots and deactivated accounts, as
// given or as known; not_found for a code that is wrong, used or
// expired; busy after 5 of these by one account in 15 minutes, whatever the code.
func (s *Store) Link(ctx context.Context, a core.Account, code string) (string, error) {
	return s.link(ctx, a, code, s.Now())
}

func (s *Store) link(ctx context.Context, a core.Account, code string, now time.Time) (string, error) {
	if err := checkAccount(a); err != nil {
		return "", err
	}
	if err := checkLinkable(a); err != nil {
		return "", err
	}
	var email string
	var refused error // a wrong try has to stay, so that the transaction ends well
	err := s.write(ctx, func(tx *session) (err error) {
		if err := errors.Join(closeLinks(ctx, tx, now), ensureLinkable(ctx, tx, a)); err != nil {
			return err
		}
		if refused, err = tooManyMisses(ctx, tx, a.Key()); err != nil || refused != nil {
			return err
		}
		email, err = redeem(ctx, tx, code)
		if errors.Is(err, sql.ErrNoRows) {
			refused = core.Errorf(core.KindNotFound, "This code links to nobody: it is wrong, was used, or its time is over; ask for a new one.")
			_, err = tx.ExecContext(ctx, `INSERT INTO link_misses (account, at) VALUES (?, ?)`, a.Key(), now.UnixMicro())
			return err
		}
		if err != nil {
			return err
		}
		return setLink(ctx, tx, a.Key(), email)
	})
	if err := errors.Join(err, refused); err != nil {
		return "", err
	}
	return email, nil
}

// Unlink takes back what a code linked the account to; the error is of kind
// not_found if it is not linked.
func (s *Store) Unlink(ctx context.Context, accountKey string) error {
	return s.write(ctx, func(tx *session) error {
		a, err := getAccount(ctx, tx, accountKey)
		if err != nil {
			return err
		}
		if a.Linked == "" {
			return core.Errorf(core.KindNotFound, "The account %s is not linked to anybody by a code.", accountKey)
		}
		_, err = tx.ExecContext(ctx, `UPDATE accounts SET linked = '' WHERE key = ?`, accountKey)
		return err
	})
}

func checkLinkable(a core.Account) error {
	if a.Class == core.AccountBot || a.Class == core.AccountDeactivated {
		return core.Errorf(core.KindDenied, "The account %s is a bot's or deactivated; only accounts that people use can be linked.", a.Key())
	}
	return nil
}

func ensureLinkable(ctx context.Context, tx *session, a core.Account) error {
	known, err := getAccount(ctx, tx, a.Key())
	if core.KindOf(err) == core.KindNotFound {
		return putAccount(ctx, tx, a)
	}
	if err != nil {
		return err
	}
	return checkLinkable(known)
}

// setLink also takes the address from those who had it before: the owner says
// who has it now.
func setLink(ctx context.Context, tx *session, account, email string) error {
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET linked = ? WHERE key = ?`, email, account); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM former_emails WHERE email = ? AND account <> ?`, email, account); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM link_misses WHERE account = ?`, account)
	return err
}

// closeLinks forgets what the time has made void, and codes that were made much
// later than now: the clock was set back, and their time would not end.
func closeLinks(ctx context.Context, tx *session, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM link_codes WHERE expires <= ?1 OR created > ?2`,
		now.UnixMicro(), now.Add(missesCount).UnixMicro()); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM link_misses WHERE at <= ?`, now.Add(-missesCount).UnixMicro())
	return err
}

func tooManyMisses(ctx context.Context, tx *session, account string) (refused, err error) {
	var n int
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM link_misses WHERE account = ?`, account).Scan(&n)
	if err != nil || n < linkMisses {
		return nil, err
	}
	return core.Errorf(core.KindBusy, "There were %d wrong codes from this account; try again in %d minutes.",
		n, int(missesCount.Minutes())), nil
}

// redeem uses the code up; the error is sql.ErrNoRows where it is not open. How
// long that takes tells nothing of use, as with TokenByHash.
func redeem(ctx context.Context, tx *session, code string) (email string, err error) {
	hash := hashCode(code)
	if err := tx.QueryRowContext(ctx, `SELECT email FROM link_codes WHERE hash = ?`, hash).Scan(&email); err != nil {
		return "", err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM link_codes WHERE hash = ?`, hash)
	return email, err
}

func newCode() (string, error) {
	most := big.NewInt(int64(len(codeAlphabet)))
	var b strings.Builder
	for range codeLength {
		n, err := rand.Int(rand.Reader, most)
		if err != nil {
			return "", err
		}
		b.WriteByte(codeAlphabet[n.Int64()])
	}
	return b.String(), nil
}

// hashCode is the hash of a code as a person may write it.
func hashCode(code string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(codeSeparator, r) {
			return -1
		}
		return r
	}, strings.ToUpper(strings.TrimSpace(code)))
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:])
}
