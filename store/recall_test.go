package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// asked is all that is recalled, for a few people and places.
type asked struct {
	Accounts []string
	Held     []Memberships
	Settings [][]PlaceSetting
	Grants   [][]core.Grant
}

var recallPlaces = []string{"slack:T/C0", "slack:T/C1", ""}

func askAll(t *testing.T, s *Store, now time.Time) (out asked) {
	t.Helper()
	for i := range 3 {
		a, err := s.Account(t.Context(), "slack", "T", fmt.Sprint("U", i))
		out.Accounts = append(out.Accounts, fmt.Sprintf("%+v %s", a, core.KindOf(err)))
		held, err := s.Memberships(t.Context(), []string{fmt.Sprintf("u%d@x.org", i), fmt.Sprintf("old%d@x.org", i)}, now)
		check(t, err)
		out.Held = append(out.Held, held)
		settings, err := s.PlaceSettings(t.Context(), recallPlaces[i])
		check(t, err)
		grants, err := s.Grants(t.Context(), recallPlaces[i])
		check(t, err)
		out.Settings, out.Grants = append(out.Settings, settings), append(out.Grants, grants)
	}
	return out
}

// Whatever changes, what is recalled is what a ledger that was opened just now says.
func TestRecalledIsWhatIsCommitted(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, r := t.Context(), rand.New(rand.NewPCG(7, 9))
	for _, name := range []string{"a", "b"} {
		check(t, s.PutCollection(ctx, core.Collection{Name: name, Sources: []string{"x"}}))
	}
	place := func() string { return recallPlaces[r.IntN(2)] }
	account := func() core.Account {
		n := r.IntN(3)
		return core.Account{
			Platform: "slack", Team: "T", ID: fmt.Sprint("U", n), Class: core.AccountMember, Verified: r.IntN(2) == 0,
			Email: fmt.Sprintf("%s%d@x.org", []string{"u", "old"}[r.IntN(2)], r.IntN(3)),
		}
	}
	may := func(err error) { // what is not there cannot be taken away
		if kind := core.KindOf(err); err != nil && kind != core.KindNotFound && kind != core.KindConflict {
			t.Fatal(err)
		}
	}
	writes := []func(){
		func() { check(t, s.PutAccount(ctx, account())) },
		func() {
			code, err := s.NewLink(ctx, fmt.Sprintf("u%d@x.org", r.IntN(3)), time.Hour)
			check(t, err)
			_, err = s.Link(ctx, account(), code)
			may(err)
		},
		func() { may(s.Unlink(ctx, account().Key())) },
		func() {
			replace(t, s, "src", noon.Add(-time.Duration(r.IntN(30))*time.Hour),
				group("src", "G", fmt.Sprintf("u%d@x.org", r.IntN(3)), fmt.Sprintf("old%d@x.org", r.IntN(3))))
		},
		func() { may(s.SetGroupsMaxAge(ctx, "src", time.Duration(1+r.IntN(30))*time.Hour)) },
		func() { check(t, s.PutSource(ctx, core.Source{Name: "src", Connector: "files"})) },
		func() { may(s.RemoveSource(ctx, "src")) },
		func() {
			check(t, s.PutPlaceSettings(ctx, place(), json.RawMessage(fmt.Sprintf(`{"n":%d}`, r.IntN(9))), core.FromCommand))
		},
		func() { may(s.RemovePlaceSettings(ctx, place())) },
		func() {
			check(t, s.PutGrant(ctx, core.Grant{Place: place(), Collection: []string{"a", "b"}[r.IntN(2)], External: r.IntN(2) == 0}))
		},
		func() { may(s.RemoveGrant(ctx, place(), []string{"a", "b"}[r.IntN(2)])) },
	}
	for range 400 {
		writes[r.IntN(len(writes))]()
		now := noon.Add(time.Duration(r.IntN(20)) * time.Hour) // groups age meanwhile
		askAll(t, s, now.Add(-24*time.Hour))
		got := askAll(t, s, now)
		for kind := range s.recall {
			s.recall[kind].changes.Add(1) // nothing is known any more
		}
		diff(t, askAll(t, s, now), got)
	}
}

// The tables that the answers of a kind are read from, and those by which a foreign
// key or a trigger changes one of them, are all among those that are watched.
func TestRecalledTables(t *testing.T) {
	s := open(t, t.TempDir())
	for len(s.readers.idle) > 1 { // one does it all
		x := <-s.readers.idle
		defer func() { s.readers.idle <- x }()
	}
	check(t, s.PutAccount(t.Context(), core.Account{Platform: "slack", Team: "T", ID: "U0"}))
	seen := map[string]bool{}
	for kind, ask := range [recalledKinds]func() error{
		ofAccounts: func() error { _, err := s.Account(t.Context(), "slack", "T", "U0"); return err },
		ofGroups:   func() error { _, err := s.Memberships(t.Context(), []string{"u0@x.org"}, noon); return err },
		ofPlaces: func() error {
			_, err := s.PlaceSettings(t.Context(), "slack:T/C0")
			_, one := s.Grants(t.Context(), "slack:T/C0")
			_, all := s.Grants(t.Context(), "")
			return errors.Join(err, one, all)
		},
	} {
		check(t, ask())
		check(t, s.read(t.Context(), func(tx *session) error {
			var texts []string
			for text := range tx.stmts {
				if !seen[text] {
					texts = append(texts, text)
				}
			}
			checkWatched(t, tx, recalledFrom()[kind], texts)
			for text := range tx.stmts { // the check's own too
				seen[text] = true
			}
			return nil
		}))
	}
}

func checkWatched(t *testing.T, tx *session, watched *regexp.Regexp, texts []string) {
	t.Helper()
	read := 0
	for _, table := range names(t, tx, `SELECT name FROM sqlite_master WHERE type = 'table'`) {
		if slices.ContainsFunc(texts, regexp.MustCompile(`\b`+table+`\b`).MatchString) {
			if read++; !watched.MatchString(table) {
				t.Errorf("%s is read and not watched", table)
			}
		}
		if !watched.MatchString(table) {
			continue
		}
		for _, parent := range names(t, tx, `SELECT "table" FROM pragma_foreign_key_list('`+table+`') WHERE on_delete <> 'NO ACTION' OR on_update <> 'NO ACTION'`) {
			if !watched.MatchString(parent) {
				t.Errorf("%s changes %s and is not watched", parent, table)
			}
		}
	}
	if read == 0 {
		t.Errorf("nothing is read by %q", texts)
	}
	for _, trigger := range names(t, tx, `SELECT tbl_name || ' ' || substr(sql, instr(sql, 'BEGIN')) FROM sqlite_master WHERE type = 'trigger'`) {
		on, does, _ := strings.Cut(trigger, " ")
		if watched.MatchString(does) && !watched.MatchString(on) {
			t.Errorf("a trigger of %s changes what is recalled and is not watched: %s", on, does)
		}
	}
}

func names(t *testing.T, tx *session, query string) (out []string) {
	t.Helper()
	rows, err := tx.QueryContext(context.Background(), query)
	check(t, scanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		out = append(out, name)
		return err
	}))
	return out
}

// What every question writes leaves what is known as it is.
func TestQuestionsLeaveWhatIsRecalled(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := t.Context()
	askAll(t, s, noon)
	before := changesOf(s)
	_, err := s.Expect(ctx, "event", noon, func() core.Posted { return core.Posted{ID: "p", TurnID: "t", Updated: noon} })
	check(t, err)
	check(t, s.PutPosted(ctx, core.Posted{ID: "p", TurnID: "t", Updated: noon}))
	_, err = s.TakeFrom(ctx, "person", core.Rate{Burst: 1, Every: time.Second}, noon)
	check(t, err)
	_, err = s.NotePlace(ctx, "slack:T/C0", "public", "public", "general", noon)
	check(t, err)
	check(t, s.SaveTurn(ctx, core.Turn{ID: "t", Thread: "th", Started: noon}))
	check(t, s.Audit(ctx, core.AuditEntry{At: noon, Action: core.AuditAnswer, Actor: "ann"}))
	check(t, s.PutOutcome(ctx, Outcome{TurnID: "t", At: noon}))
	check(t, s.PutSpent(ctx, Spent{Turn: "t", At: noon}))
	diff(t, before, changesOf(s))
	check(t, s.PutAccount(ctx, core.Account{Platform: "slack", Team: "T", ID: "U0"}))
	before[ofAccounts]++
	diff(t, before, changesOf(s))
}

func changesOf(s *Store) (out [recalledKinds]uint64) {
	for kind := range s.recall {
		out[kind] = s.recall[kind].changes.Load()
	}
	return out
}

// What a caller does to an answer is not seen by the next one.
func TestRecalledIsEachCallersOwn(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutCollection(t.Context(), core.Collection{Name: "a", Sources: []string{"x"}}))
	check(t, s.PutGrant(t.Context(), core.Grant{Place: "slack:T/C0", Collection: "a"}))
	replace(t, s, "src", noon, group("src", "G", "u0@x.org"))
	want := askAll(t, s, noon)
	got := askAll(t, s, noon)
	got.Held[0].Groups[0], got.Grants[0][0].Collection = "group:x/y", "b"
	diff(t, want, askAll(t, s, noon))
}
