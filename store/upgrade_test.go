package store

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// older is a ledger that grows as it would have done in use: each version of the
// program brings its tables and writes rows into them.
type older struct{ path string }

func (o older) upgrade(t *testing.T, m migration) {
	rows, err := os.ReadFile(filepath.Join("testdata", "schemas", fmt.Sprintf("%04d.sql", m.number)))
	if err != nil {
		t.Fatalf("every migration needs rows to upgrade: %v", err)
	}
	s := &Store{path: o.path, log: slog.New(slog.DiscardHandler)}
	s.writer, err = openSessions(t.Context(), dsn(o.path, "foreign_keys(1)", "synchronous(OFF)"), 1)
	check(t, err)
	check(t, s.write(t.Context(), func(tx *session) error {
		if err := m.apply(t.Context(), tx); err != nil {
			return err
		}
		_, err := tx.conn.ExecContext(t.Context(), string(rows))
		return err
	}))
	check(t, s.writer.close())
}

// Every schema that was ever committed comes up to date with what stands in it.
func TestUpgradeFromEverySchema(t *testing.T) {
	known, err := migrations()
	check(t, err)
	path, err := prepare(t.TempDir())
	check(t, err)
	for version := range len(known) + 1 {
		if version > 0 {
			older{path}.upgrade(t, known[version-1])
		}
		if testing.Short() && version != 1 && version < len(known)-1 {
			continue // with the race detector each takes seconds; make test goes through all
		}
		t.Run(fmt.Sprintf("schema_%04d", version), func(t *testing.T) {
			dir := t.TempDir()
			raw, err := os.ReadFile(path)
			check(t, err)
			check(t, os.WriteFile(filepath.Join(dir, FileName), raw, 0o600))
			s := open(t, dir)
			check(t, s.QuickCheck(t.Context()))
			if version > 0 {
				stillThere(t, s)
			}
			check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
			put(t, s, page("a", []core.Principal{core.Public}, "one"))
			if len(around(t, s, "a")) != 1 {
				t.Fatal("the migrated ledger does not hold what was put")
			}
		})
	}
}

func stillThere(t *testing.T, s *Store) {
	// The connector of the source states access itself; it was told lately.
	s.Now = func() time.Time { return time.UnixMicro(1700000000000000).Add(time.Hour) }
	found, err := s.Visible(t.Context(), core.Filter{Principals: []core.Principal{core.Workspace}}, []core.PassageID{40, 41})
	check(t, err)
	if len(found) != 1 || found[0].Passage.Text != "Thirty days of leave a year." || found[0].Document.Title != "Leave" {
		t.Errorf("a search finds %+v", found)
	}
	found, err = s.Visible(t.Context(), core.Filter{Principals: []core.Principal{core.Public}}, []core.PassageID{40, 41})
	if check(t, err); len(found) != 0 {
		t.Errorf("the public finds %+v", found)
	}
	turn, err := s.Turn(t.Context(), "first")
	check(t, err)
	if turn.Question != "How much leave is there?" || turn.Answer.Text != "Thirty days [1]." || len(turn.Answer.Citations) != 1 ||
		turn.Class != "public_channel" || turn.Answer.Citations[0].Passage != "Thirty days of leave a year." {
		t.Errorf("the turn is %+v", turn)
	}
	diff(t, []string{"wiki/leave"}, turn.Used)
	status, err := s.SourceStatus(t.Context(), "wiki")
	if check(t, err); status.Documents != 2 || status.Held != 2 || len(status.Failures) != 1 || status.LastRun == nil {
		t.Errorf("the source is %+v", status)
	}
	backlog, err := s.Backlog(t.Context(), 10, 1<<20)
	if check(t, err); len(backlog.Deleted) != 1 || len(backlog.Content) != 2 {
		t.Errorf("the index lacks %+v", backlog)
	}
}
