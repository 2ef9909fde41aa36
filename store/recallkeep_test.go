package store

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// What was set for a place is a caller's own to the last byte.
func TestRecalledSettingsAreEachCallersOwn(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutPlaceSettings(t.Context(), "slack:T/C0", json.RawMessage(`{"n":1}`), core.FromCommand))
	for range 2 {
		got, err := s.PlaceSettings(t.Context(), "slack:T/C0")
		check(t, err)
		diff(t, `{"n":1}`, string(got[0].Settings))
		check(t, json.Unmarshal([]byte(`{"n":2}`), &got[0].Settings)) // into the memory that is there
	}
}

// Groups that came while somebody asked are not kept as those of a time when they
// count no more.
func TestRecalledGroupsBelongToTheirTime(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := t.Context()
	replace(t, s, "long", noon, group("long", "L", "ann@x.org"))
	check(t, s.SetGroupsMaxAge(ctx, "long", 1000*time.Hour))
	replace(t, s, "short", noon.Add(-100*time.Hour), group("short", "S", "ann@x.org"))
	check(t, s.SetGroupsMaxAge(ctx, "short", 10*time.Hour))

	people, err := asJSON(usersOf([]string{"ann@x.org"}))
	check(t, err)
	fresh, err := asJSON([]string{core.ConfigGroups, "long"}) // all that somebody knew who then waited
	check(t, err)
	replace(t, s, "short", noon, group("short", "S", "ann@x.org"))
	held, err := s.held(ctx, people, fresh, noon)
	check(t, err)
	diff(t, Memberships{Groups: []core.Principal{"group:long/l", "group:short/s"}}, held)

	held, err = s.Memberships(ctx, []string{"ann@x.org"}, noon.Add(20*time.Hour))
	check(t, err)
	diff(t, Memberships{Groups: []core.Principal{"group:long/l"}, Stale: []core.Principal{"group:short/s"}}, held)
}

// What is kept is bounded by how much it is, however many answers that are.
func TestRecalledIsBounded(t *testing.T) {
	var r recall
	many := Memberships{Groups: make([]core.Principal, mostRecalled/4)}
	for i := range 100 {
		r.put(string(rune('a'+i)), 0, many)
		kept := 0
		for key, v := range r.known {
			kept += weight(key, v)
		}
		if kept > mostRecalled || kept != r.kept {
			t.Fatalf("%d are kept, and counted as %d", kept, r.kept)
		}
		if _, ok := r.get(string(rune('a'+i)), 0); !ok {
			t.Fatal("the newest is not kept")
		}
	}
	r.put("huge", 0, make([]core.Grant, mostRecalled))
	if _, ok := r.get("huge", 0); ok || r.kept > mostRecalled {
		t.Errorf("%d are kept", r.kept)
	}
}

// A read that began before a change does not bring the old answer back after it.
func TestRecalledFromBeforeAChange(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := t.Context()
	check(t, s.PutAccount(ctx, core.Account{Platform: "slack", Team: "T", ID: "U0", Class: core.AccountMember}))
	_, err := recallOr(ctx, s, ofAccounts, "slack:T/U0", func(tx *session) (core.Account, error) {
		old, err := getAccount(ctx, tx, "slack:T/U0")
		check(t, s.PutAccount(ctx, core.Account{Platform: "slack", Team: "T", ID: "U0", Class: core.AccountGuest}))
		return old, err
	})
	check(t, err)
	now, err := s.Account(ctx, "slack", "T", "U0")
	check(t, err)
	diff(t, core.AccountGuest, now.Class)
}

// However a transaction ends, what it touched is read again.
func TestRecalledAfterAnyEnd(t *testing.T) {
	s := open(t, t.TempDir())
	touch := func(ctx context.Context, tx *session) {
		_, err := tx.ExecContext(ctx, `UPDATE grants SET external = 0`)
		check(t, err)
	}
	for name, end := range map[string]func(func(context.Context, func(*session) error) error){
		"error": func(write func(context.Context, func(*session) error) error) {
			if write(t.Context(), func(tx *session) error { touch(t.Context(), tx); return errOwn }) == nil {
				t.Error("no error")
			}
		},
		"panic": func(write func(context.Context, func(*session) error) error) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			write(t.Context(), func(tx *session) error { touch(t.Context(), tx); panic("fault") }) //nolint:errcheck // it never returns
		},
		"context": func(write func(context.Context, func(*session) error) error) {
			ctx, cancel := context.WithCancel(t.Context())
			if write(ctx, func(tx *session) error { touch(ctx, tx); cancel(); return nil }) == nil {
				t.Error("no error")
			}
		},
	} {
		for way, write := range map[string]func(context.Context, func(*session) error) error{"alone": s.write, "short": s.short} {
			before := changesOf(s)
			end(write)
			if changesOf(s)[ofPlaces] == before[ofPlaces] {
				t.Errorf("%s, %s: nothing is read again", way, name)
			}
			check(t, write(t.Context(), func(tx *session) error { return nil }))
		}
	}
}
