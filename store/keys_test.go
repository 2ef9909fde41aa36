package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func key(fill byte) []byte { return bytes.Repeat([]byte{fill}, KeyLength) }

func secretSource(name, secret string) core.Source {
	return core.Source{Name: name, Connector: "wiki", Config: json.RawMessage(`{"token":"` + secret + `"}`), Access: core.Access{}, Origin: core.FromCommand}
}

// stored is the column as it is.
func stored(t *testing.T, s *Store, name string) (config string) {
	t.Helper()
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT config FROM sources WHERE name = ?`, name).Scan(&config)
	}))
	return config
}

func wantConfig(t *testing.T, s *Store, name, secret string) {
	t.Helper()
	src, err := s.Source(t.Context(), name)
	check(t, err)
	diff(t, secretSource(name, secret), src)
	all, err := s.Sources(t.Context())
	check(t, err)
	status, err := s.SourceStatus(t.Context(), name)
	check(t, err)
	diff(t, src, status.Source)
	for _, other := range all {
		if other.Name == name {
			diff(t, src, other)
		}
	}
}

func TestConfigsAreEncrypted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.PutSource(t.Context(), secretSource("before", "s3cret-1")))
	diff(t, `{"token":"s3cret-1"}`, stored(t, s, "before"))
	check(t, s.UseKeys(t.Context(), key(1)))
	check(t, s.PutSource(t.Context(), secretSource("after", "s3cret-2")))
	id, _, err := newAEAD(key(1))
	check(t, err)
	if len(id) != 8 {
		t.Errorf("key id %q", id)
	}
	for name, secret := range map[string]string{"before": "s3cret-1", "after": "s3cret-2"} {
		if got := stored(t, s, name); !strings.HasPrefix(got, "enc1:"+id+":") || strings.Contains(got, "token") {
			t.Errorf("stored as %q", got)
		}
		wantConfig(t, s, name, secret)
	}

	first := stored(t, s, "before")
	check(t, s.UseKeys(t.Context(), key(1)))
	rows := changes(t, s)
	check(t, s.UseKeys(t.Context(), key(1), key(2)))
	check(t, s.PutSource(t.Context(), secretSource("before", "s3cret-1")))
	if n := changes(t, s) - rows; n != 0 || stored(t, s, "before") != first {
		t.Fatalf("listing again what is there wrote %d rows", n)
	}
	check(t, s.PutSource(t.Context(), secretSource("before", "s3cret-3")))
	wantConfig(t, s, "before", "s3cret-3")
	check(t, s.PutSource(t.Context(), secretSource("twin", "s3cret-3")))
	if a, b := stored(t, s, "before"), stored(t, s, "twin"); a == b {
		t.Error("equal secrets look equal")
	}
}

func TestChangeOfKey(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.UseKeys(t.Context(), key(1)))
	check(t, s.PutSource(t.Context(), secretSource("a", "s3cret-1")))
	check(t, s.PutSource(t.Context(), secretSource("b", "s3cret-2")))
	check(t, s.UseKeys(t.Context(), key(2), key(1)))
	wantConfig(t, s, "a", "s3cret-1")

	again := reopened(t, dir, s)
	one, _, err := newAEAD(key(1))
	check(t, err)
	two, _, err := newAEAD(key(2))
	check(t, err)
	says := func(err error) {
		t.Helper()
		wantKind(t, err, core.KindConfig)
		for _, word := range []string{two, "source", "start Footnote with that key", "remove the source"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q does not say %q", err, word)
			}
		}
	}
	for _, use := range []func() error{
		func() error { return again.UseKeys(t.Context(), key(1)) },
		func() error { return again.UseKeys(t.Context(), key(3), key(1)) },
		func() error { _, err := again.Source(t.Context(), "a"); return err },
		func() error { _, err := again.Sources(t.Context()); return err },
		func() error { _, err := again.SourceStatus(t.Context(), "a"); return err },
		func() error { return again.PutSource(t.Context(), secretSource("a", "s3cret-1")) }, // not made plain again by accident
	} {
		says(use())
	}
	if got := stored(t, again, "a"); !strings.HasPrefix(got, "enc1:"+two) || strings.Contains(got, one) {
		t.Fatalf("stored as %q", got)
	}

	check(t, again.RemoveSource(t.Context(), "a")) // the way out
	check(t, again.UseKeys(t.Context(), key(3), key(2)))
	check(t, again.PutSource(t.Context(), secretSource("a", "s3cret-1")))
	wantConfig(t, again, "a", "s3cret-1")
	wantConfig(t, again, "b", "s3cret-2")
}

// reopened closes a ledger as the end of a process does.
func reopened(t *testing.T, dir string, s *Store) *Store {
	t.Helper()
	again, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { check(t, again.Close()) })
	return again
}

func TestKeysThatCannotBeUsed(t *testing.T) {
	s := open(t, t.TempDir())
	wantKind(t, s.UseKeys(t.Context(), nil), core.KindConfig)
	wantKind(t, s.UseKeys(t.Context(), key(1)[1:]), core.KindConfig)
	wantKind(t, s.UseKeys(t.Context(), key(1), []byte("short")), core.KindConfig)
	check(t, s.PutSource(t.Context(), secretSource("a", "s3cret-1")))
	diff(t, `{"token":"s3cret-1"}`, stored(t, s, "a"))

	long := []byte("correct horse battery staple, and more of the kind")
	check(t, s.UseKeys(t.Context(), long))
	wantConfig(t, s, "a", "s3cret-1")
	long[len(long)-1]++ // every byte of a longer key counts
	again := reopened(t, filepath.Dir(s.path), s)
	wantKind(t, again.UseKeys(t.Context(), long), core.KindConfig)
}

// A row that was changed or moved to another source is not taken for a config.
func TestForgedConfigs(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.UseKeys(t.Context(), key(1)))
	check(t, s.PutSource(t.Context(), secretSource("a", "s3cret-1")))
	good := stored(t, s, "a")
	parts := strings.SplitN(good, ":", 3)
	flipped := []byte(good)
	flipped[len(flipped)-6] ^= 1
	for name, forged := range map[string]string{
		"flipped": string(flipped), "cut": good[:len(good)-8], "no_data": parts[0] + ":" + parts[1] + ":",
		"no_colon": parts[0] + ":" + parts[1], "not_base64": parts[0] + ":" + parts[1] + ":%%%", "no_id": "enc1:", "moved": good,
	} {
		t.Run(name, func(t *testing.T) {
			check(t, s.PutSource(t.Context(), secretSource("b", "s3cret-2")))
			check(t, s.write(t.Context(), func(tx *session) error {
				_, err := tx.ExecContext(t.Context(), `UPDATE sources SET config = ? WHERE name = 'b'`, forged)
				return err
			}))
			_, err := s.Source(t.Context(), "b")
			wantKind(t, err, core.KindConfig)
			if !strings.Contains(err.Error(), `"b"`) {
				t.Errorf("%v", err)
			}
			wantKind(t, s.UseKeys(t.Context(), key(2), key(1)), core.KindConfig)
			check(t, s.RemoveSource(t.Context(), "b"))
		})
	}
	wantConfig(t, s, "a", "s3cret-1")
}

// After the first use of a key nothing plain is left in any file: not the rows,
// not what they were before, not sources that are gone, not the log.
func TestNothingPlainIsLeft(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	secret := func(i int) string { return fmt.Sprintf("s3cret-%d-%s", i, strings.Repeat("x", i*37)) }
	for i := range 60 {
		check(t, s.PutSource(t.Context(), secretSource(fmt.Sprint("src", i%20), secret(i))))
	}
	for i := range 5 {
		check(t, s.RemoveSource(t.Context(), fmt.Sprint("src", i)))
	}
	traces := func(word string) (n int) {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		check(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			check(t, err)
			n += bytes.Count(data, []byte(word))
		}
		return n
	}
	if traces("s3cret-") < 60 {
		t.Fatal("the search finds nothing even before")
	}
	check(t, s.UseKeys(t.Context(), key(1)))
	if n := traces("s3cret-"); n > 0 {
		t.Errorf("%d traces of secrets", n)
	}
	id, _, err := newAEAD(key(1))
	check(t, err)
	if traces(id) < 15 {
		t.Error("the search finds no rows at all")
	}
	check(t, s.PutSource(t.Context(), secretSource("late", secret(61))))
	check(t, s.UseKeys(t.Context(), key(2), key(1)))
	if n := traces("s3cret-") + traces("enc1:"+id); n > 0 {
		t.Errorf("%d traces of secrets, or of the old key's rows", n)
	}
	wantConfig(t, s, "src19", secret(59))
}

// A reader of an older state keeps the log from being emptied: that is an error,
// and the next call does it.
func TestTracesAreClearedLater(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.PutSource(t.Context(), secretSource("a", "s3cret-1")))
	x := <-s.writer.idle
	_, err := x.conn.ExecContext(t.Context(), `PRAGMA busy_timeout = 50`)
	s.writer.idle <- x
	check(t, err)
	check(t, s.read(t.Context(), func(tx *session) error {
		var n int
		if err := tx.QueryRowContext(t.Context(), `SELECT count(*) FROM sources`).Scan(&n); err != nil {
			return err
		}
		wantKind(t, s.UseKeys(t.Context(), key(1)), core.KindLocked)
		return nil
	}))
	wantConfig(t, s, "a", "s3cret-1")
	check(t, s.UseKeys(t.Context(), key(1)))
	for _, file := range []string{s.path, s.path + "-wal"} {
		data, err := os.ReadFile(file)
		check(t, err)
		if bytes.Contains(data, []byte("s3cret-1")) {
			t.Errorf("%s holds the secret", file)
		}
	}
}

// Whoever reads or writes while the key changes never meets what they cannot open.
func TestChangeOfKeyWhileInUse(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutSource(t.Context(), secretSource("a", "s3cret-0")))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	use := func(f func(i int) error) {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				time.Sleep(time.Millisecond) // else the change of the key waits for its turn most of the time
				if err := f(i); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	use(func(int) error { _, err := s.Sources(ctx); return err })
	use(func(int) error { _, err := s.Source(ctx, "a"); return err })
	use(func(i int) error { return s.PutSource(ctx, secretSource("a", fmt.Sprint("s3cret-", i))) })
	for i := range byte(8) {
		if err := s.UseKeys(ctx, key(i+1), key(i), key(0)); err != nil && core.KindOf(err) != core.KindLocked {
			t.Fatal(err)
		}
	}
	cancel()
	wg.Wait()
	id, _, err := newAEAD(key(8))
	check(t, err)
	if got := stored(t, s, "a"); !strings.HasPrefix(got, "enc1:"+id) {
		t.Fatalf("stored as %q", got)
	}
}
