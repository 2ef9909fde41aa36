package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func trail(t *testing.T, s *Store, q AuditQuery) []core.AuditEntry {
	t.Helper()
	var out []core.AuditEntry
	check(t, s.AuditTrail(t.Context(), q, func(e core.AuditEntry) error {
		out = append(out, e)
		return nil
	}))
	return out
}

func numbers(entries []core.AuditEntry) string {
	var out []int64
	for _, e := range entries {
		out = append(out, e.N)
	}
	return fmt.Sprint(out)
}

func TestAuditTrail(t *testing.T) {
	s := open(t, t.TempDir())
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	full := core.AuditEntry{N: 99, At: at(1), Action: core.AuditAnswer, Actor: "ann@x.org", Place: "slack:T1/C1", Class: "public_channel",
		Scope: "abc", TurnID: "t1", Mode: core.ModeQuotes, Documents: []string{"wiki/2", "wiki/1", "wiki/2"}, Detail: map[string]string{"k": "v"}}
	entries := []core.AuditEntry{
		full,
		{At: at(2), Action: core.AuditSearch, Actor: "Bob@x.org", Place: "slack:T1/C2", Documents: []string{"wiki/1"}},
		{At: at(2), Action: core.AuditGrant, Actor: "operator", Place: "slack:T1/C1", Detail: map[string]string{"collection": "a"}},
		{At: at(4), Action: core.AuditAnswer, Actor: "ann@x.org", TurnID: "t2", Documents: []string{"wiki/3"}},
		{At: at(3), Action: core.AuditAnswer, Actor: "slack:T1/U1", TurnID: "t1"},
	}
	for _, e := range entries {
		check(t, s.Audit(t.Context(), e))
	}
	full.N, full.Documents = 1, []string{"wiki/2", "wiki/1"}
	diff(t, full, trail(t, s, AuditQuery{})[0])
	rows := []struct {
		name string
		q    AuditQuery
		want string
	}{
		{"all", AuditQuery{}, "[1 2 3 4 5]"},
		{"since is included", AuditQuery{Since: at(3)}, "[4 5]"},
		{"until is not", AuditQuery{Until: at(2)}, "[1]"},
		{"span", AuditQuery{Since: at(2), Until: at(4)}, "[2 3 5]"},
		{"in the future", AuditQuery{Since: at(9)}, "[]"},
		{"actor", AuditQuery{Actor: "ann@x.org"}, "[1 4]"},
		{"actor in another case", AuditQuery{Actor: "bob@X.org"}, "[2]"},
		{"actor as a pattern", AuditQuery{Actor: "%"}, "[]"},
		{"place", AuditQuery{Place: "slack:T1/C1"}, "[1 3]"},
		{"action", AuditQuery{Action: core.AuditAnswer}, "[1 4 5]"},
		{"who learned of it", AuditQuery{Document: "wiki/1"}, "[1 2]"},
		{"nobody learned of it", AuditQuery{Document: "wiki"}, "[]"},
		{"turn", AuditQuery{TurnID: "t1"}, "[1 5]"},
		{"after", AuditQuery{After: 3}, "[4 5]"},
		{"limit", AuditQuery{Limit: 2}, "[1 2]"},
		{"limit after", AuditQuery{After: 1, Limit: 2, Action: core.AuditAnswer}, "[4 5]"},
		{"everything", AuditQuery{Since: at(0), Until: at(2), Actor: "ann@x.org", Place: "slack:T1/C1", Action: core.AuditAnswer,
			Document: "wiki/2", TurnID: "t1", After: 0, Limit: 9}, "[1]"},
		{"everything but one", AuditQuery{Since: at(0), Until: at(2), Actor: "ann@x.org", Place: "slack:T1/C1", Action: core.AuditAnswer,
			Document: "wiki/3", TurnID: "t1"}, "[]"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) { diff(t, row.want, numbers(trail(t, s, row.q))) })
	}
	for _, e := range []core.AuditEntry{{Action: "x"}, {Actor: "x"}} {
		wantKind(t, s.Audit(t.Context(), e), core.KindInvalid)
	}
}

// The trail goes over pages, may be added to on the way, and ends with its reader.
func TestAuditTrailStreams(t *testing.T) {
	s := open(t, t.TempDir())
	const n = 2*auditPage + 7
	check(t, s.write(t.Context(), func(tx *session) error {
		_, err := tx.ExecContext(t.Context(), `WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?)
			INSERT INTO audit (at, action, actor, place, class, scope, turn_id, mode, detail)
			SELECT i, 'answer', 'ann', '', '', '', '', '', 'null' FROM c`, n)
		return err
	}))
	for limit, want := range map[int]int{0: n, 1: 1, auditPage: auditPage, auditPage + 1: auditPage + 1, 2 * n: n} {
		if got := len(trail(t, s, AuditQuery{After: 0, Limit: limit, Until: noon})); got != want {
			t.Errorf("limit %d: %d entries", limit, got)
		}
	}
	seen := 0
	check(t, s.AuditTrail(t.Context(), AuditQuery{}, func(core.AuditEntry) error {
		if seen++; seen > n {
			return errors.New("the trail does not end")
		}
		if seen%100 > 0 {
			return nil
		}
		return s.Audit(t.Context(), core.AuditEntry{Action: core.AuditExport, Actor: "operator"})
	}))
	diff(t, n, seen)
	stop := errors.New("enough")
	if err := s.AuditTrail(t.Context(), AuditQuery{}, func(core.AuditEntry) error { return stop }); err != stop {
		t.Fatalf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := s.AuditTrail(ctx, AuditQuery{}, func(core.AuditEntry) error { cancel(); return nil })
	wantKind(t, err, core.KindCancelled)
}

func TestAuditIsOnlyAddedTo(t *testing.T) {
	s := open(t, t.TempDir())
	for i := range 3 {
		check(t, s.Audit(t.Context(), core.AuditEntry{At: noon.Add(time.Duration(i) * time.Hour), Action: "answer", Actor: "ann", Documents: []string{"wiki/1"}}))
	}
	before := trail(t, s, AuditQuery{})
	row := `INTO audit (n, at, action, actor, place, class, scope, turn_id, mode, detail) VALUES (1, 1, 'x', 'x', '', '', '', '', '', 'null')`
	for _, statement := range []string{
		`UPDATE audit SET actor = 'bob'`, `UPDATE audit_documents SET document = 'wiki/2'`,
		`DELETE FROM audit`, `DELETE FROM audit WHERE n = 2`, `DELETE FROM audit_documents`,
		`INSERT OR REPLACE ` + row, `REPLACE ` + row, `INSERT OR IGNORE ` + row,
		`INSERT ` + strings.TrimSuffix(row, ")") + `) ON CONFLICT (n) DO UPDATE SET actor = 'bob'`,
		`INSERT OR REPLACE INTO audit_documents (document, entry, position) VALUES ('wiki/1', 1, 7)`,
	} {
		if err := s.write(t.Context(), func(tx *session) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}); err == nil {
			t.Errorf("%s was let through", statement)
		}
		diff(t, before, trail(t, s, AuditQuery{}))
	}

	gone, err := s.PruneAudit(t.Context(), noon.Add(time.Hour))
	check(t, err)
	diff(t, int64(1), gone)
	diff(t, before[1:], trail(t, s, AuditQuery{}))
	diff(t, "[2 3]", numbers(trail(t, s, AuditQuery{Document: "wiki/1"})))
	check(t, s.write(t.Context(), func(tx *session) error {
		if _, err := tx.ExecContext(t.Context(), `DELETE FROM audit_documents`); err == nil {
			t.Error("pruning left the audit open")
		}
		return nil
	}))
	gone, err = s.PruneAudit(t.Context(), noon.Add(9*time.Hour))
	check(t, err)
	diff(t, int64(2), gone)
	check(t, s.Audit(t.Context(), core.AuditEntry{Action: "answer", Actor: "ann"}))
	diff(t, "[4]", numbers(trail(t, s, AuditQuery{}))) // no number is given twice
}

func TestPruneAuditInBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("batches are of thousands of rows")
	}
	s := open(t, t.TempDir())
	const n = 2*pruneBatch + 5
	check(t, s.write(t.Context(), func(tx *session) error {
		for _, statement := range []string{
			`WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?)
			INSERT INTO audit (at, action, actor, place, class, scope, turn_id, mode, detail)
			SELECT i, 'answer', 'ann', '', '', '', '', '', 'null' FROM c`,
			`INSERT INTO audit_documents (document, entry, position) SELECT 'wiki/1', n, 0 FROM audit WHERE n <= ?`,
		} {
			if _, err := tx.ExecContext(t.Context(), statement, n); err != nil {
				return err
			}
		}
		return nil
	}))
	gone, err := s.PruneAudit(t.Context(), time.UnixMicro(n))
	check(t, err)
	diff(t, int64(n-1), gone)
	diff(t, fmt.Sprint([]int{n}), numbers(trail(t, s, AuditQuery{Document: "wiki/1"})))
}
