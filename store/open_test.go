package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	check(t, err)
	for _, s := range statements {
		_, err := db.Exec(s)
		check(t, err)
	}
	check(t, db.Close())
}

func openFails(t *testing.T, dir string, kind core.Kind, words ...string) {
	t.Helper()
	s, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err == nil {
		s.Close()
	}
	wantKind(t, err, kind)
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not mention %q", err, w)
		}
	}
}

// A migration that was committed is never edited: ledgers out there have run it.
// Write a new one instead, and add its sum here.
func TestMigrationsStayAsTheyWere(t *testing.T) {
	sums := []string{
		"4aaa38056a82ae88610b18b0207e2f7ed8a7c6d71351723425b31879e877c30e",
		"70bc7a02a16029b809c42fc9bd28d99f38898a3b249cef1e74b7fe48896a41b6",
		"eef0f76020fc61e83445c248adb63e413ac49b09323b80a5bf25df6ab51f117a",
		"0085670634bea0ce1e4cfe39140b47436c702f0542f2e5882a8fdc69a23c7d9f",
		"82a9be2d01450f62e9008af5e3a0c6db422ecc14293189580d892c5adeac320d",
		"e23290736b23d1702d726c32ad81bd89b02d38a7f2c816a3f9fd94bb13d59b06",
		"726fab5c955fd8c2470d9412a3a19c14433b6ac9cb5cd169696005bc733846d1",
		"b86e17cbf9e6f6119e3c3aabe7610e13ddc706bee5fa3005e9d8d5e77dd46d09",
		"5a119655a4fa8ba65ee222d9b510057cd5ead2725cbeca95f1634d4f488f2e70",
		"95d5f23caa1859c057cf1d3af333d3889d990d2496fef17e3b94391963b307f8",
		"b3bba007aaf01581b2719d284c577dcc8379de7d70ac487cb0e6a5870bd44ac0",
		"b34f1af1362b7b48686407cb4fd3039dc47ba3d9cf2a46ec6b50983611a0d452",
		"e74f1da7d96511220df27e1001ee4e80c09a6e5aa65164d8db16f4ad2ef56e79",
		"ff4289a3c8d887e6cb72a5797a73670db49efb6b39ac7ea1d13a93faff92baae",
		"98269d485d37362e2d9e40482177ccea99d71e0b061f49eccc21b07f8a80ab96",
		"54f83430cd59272a8d731fb2f3e31cbdb790ef45a269a4d201ef5b6eff33b5f2",
		"70e2d4cb7be920ccb76ede76fbba6c1072dd61276bc9557d688e492969303eb2",
		"c635f2d4e9ac44828521e2524d0614f0e9b2eb60eca6bdaea0fb777093e89949",
		"a1c469b8843b269cdf8796f8a4858a0a532fd2cb19b29a36f6c38a051b5da4f8",
		"f33242b37521f72b14ccd1e89d1f0bcd15f4105b3fd3d07c8022ac3ef78d620b",
	}
	known, err := migrations()
	check(t, err)
	var got []string
	for _, m := range known {
		got = append(got, fmt.Sprintf("%x", sha256.Sum256([]byte(m.sql))))
	}
	diff(t, sums, got)
}

// A migration that fails half way leaves nothing of itself behind.
func TestMigrationIsOneTransaction(t *testing.T) {
	s := open(t, t.TempDir())
	known, err := migrations()
	check(t, err)
	broken := migration{number: len(known) + 1, name: "broken", sql: `CREATE TABLE extra (x); SELECT * FROM missing;`}
	wantKind(t, s.migrate(t.Context(), append(known, broken)), core.KindInternal)
	var version, tables int
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE name = 'extra')
			FROM pragma_user_version`).Scan(&version, &tables)
	}))
	if version != len(known) || tables != 0 {
		t.Fatalf("schema %d with %d tables of the broken migration", version, tables)
	}
}

func TestNewerLedgerStaysUntouched(t *testing.T) {
	dir := t.TempDir()
	known, err := migrations()
	check(t, err)
	s, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	check(t, err)
	check(t, s.Close())
	path := filepath.Join(dir, FileName)
	raw(t, path, `PRAGMA user_version = 99`)
	before, err := os.ReadFile(path)
	check(t, err)
	openFails(t, dir, core.KindConflict, path, "schema 99", fmt.Sprintf("schema %d;", len(known)), "newer Footnote")
	after, err := os.ReadFile(path)
	check(t, err)
	if !bytes.Equal(before, after) {
		t.Fatal("opening changed the file")
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Run("another_program", func(t *testing.T) {
		dir := t.TempDir()
		raw(t, filepath.Join(dir, FileName), `CREATE TABLE notes (x)`)
		openFails(t, dir, core.KindConflict, dir, "another program")
	})
	t.Run("not_a_database", func(t *testing.T) {
		dir := t.TempDir()
		check(t, os.WriteFile(filepath.Join(dir, FileName), bytes.Repeat([]byte("not SQLite "), 500), 0o600))
		openFails(t, dir, core.KindDisk, dir, "damaged", "footnote sync")
	})
	t.Run("folder_is_a_file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "data")
		check(t, os.WriteFile(file, nil, 0o600))
		openFails(t, file, core.KindDisk, file)
	})
	t.Run("ledger_is_a_folder", func(t *testing.T) {
		dir := t.TempDir()
		check(t, os.Mkdir(filepath.Join(dir, FileName), 0o700))
		openFails(t, dir, core.KindDisk, dir)
	})
	t.Run("odd_name", func(t *testing.T) {
		s := openAsIs(t, filepath.Join(t.TempDir(), "a b?c%20#d"))
		_, err := os.Stat(s.path)
		check(t, err)
	})
}

// A full disk takes back the transaction and nothing else.
func TestDiskFull(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one"))
	limit := func(n string) {
		x := <-s.writer.idle
		_, err := x.conn.ExecContext(t.Context(), `PRAGMA max_page_count = `+n)
		s.writer.idle <- x
		check(t, err)
	}
	limit("1") // SQLite takes the present size as the least
	err := s.Commit(t.Context(), core.Batch{Source: "handbook", Content: []core.Entry{
		page("a", []core.Principal{core.Public}, "two"), page("b", []core.Principal{core.Public}, strings.Repeat("text ", 100_000)),
	}})
	wantKind(t, err, core.KindDisk)
	if !strings.Contains(err.Error(), s.path) {
		t.Errorf("error %q does not name the file", err)
	}
	if got := around(t, s, "a"); len(got) != 1 || got[0].Passage.Text != "one" {
		t.Fatalf("got %+v", got)
	}
	limit("1000000")
	put(t, s, page("a", []core.Principal{core.Public}, "two"))
	if got := around(t, s, "a"); got[0].Passage.Text != "two" {
		t.Fatalf("got %+v", got)
	}
}

func TestEndOfContext(t *testing.T) {
	s := handbook(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sources`)
		cancel()
		return errors.Join(err, ctx.Err())
	})
	wantKind(t, err, core.KindCancelled)
	if _, err := s.Source(t.Context(), "handbook"); err != nil {
		t.Fatalf("a cancelled transaction stayed: %v", err)
	}
	check(t, s.PutSource(t.Context(), handbookSource())) // the connection is free for the next transaction
	_, err = s.Sources(ctx)
	wantKind(t, err, core.KindCancelled)
}

func TestClosedLedger(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	check(t, err)
	check(t, s.Close())
	_, err = s.Sources(t.Context())
	wantKind(t, err, core.KindUnavailable)
	wantKind(t, s.PutSource(t.Context(), handbookSource()), core.KindUnavailable)
}

// A ledger that was put back from a copy is its owner's alone again.
func TestLedgerIsItsOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	check(t, os.WriteFile(path, nil, 0o600))
	check(t, os.Chmod(path, 0o666))
	s := openAsIs(t, dir)
	check(t, s.PutAgent(t.Context(), core.Agent{Name: "a"}))
	files, err := filepath.Glob(path + "*")
	check(t, err)
	for _, f := range files {
		info, err := os.Stat(f)
		check(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", f, info.Mode())
		}
	}
}
