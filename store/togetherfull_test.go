package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// pagesLeft lets the ledger's file grow by so many pages only; fewer than none lifts it.
func pagesLeft(t *testing.T, s *Store, n int) {
	t.Helper()
	x := <-s.writer.idle
	defer func() { s.writer.idle <- x }()
	pages := 1 << 30
	if n >= 0 {
		check(t, x.conn.QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&pages))
		pages += n
	}
	_, err := x.conn.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, pages))
	check(t, err)
}

// On a full disk what was said to be written is, and nothing else; afterwards all goes on.
func TestWritesTogetherOnAFullDisk(t *testing.T) {
	for _, left := range []int{0, 1, 2, 5, 20, 400, 3000} { // the last ones do not fit into the cache
		s := open(t, t.TempDir())
		pagesLeft(t, s, left)
		var writes []func(context.Context, context.CancelFunc, *session) error
		for i := range 12 {
			size := 10 << (2 * (i % 12))
			writes = append(writes, func(ctx context.Context, _ context.CancelFunc, tx *session) error {
				err := note(ctx, tx, fmt.Sprintf("%02d a %s", i, strings.Repeat("x", min(size, 20<<20))))
				if i%4 == 3 {
					err = nil // what it does not say shows all the same
				}
				return errors.Join(err, note(ctx, tx, fmt.Sprintf("%02d b", i)))
			})
		}
		got := waitTogether(t, s, writes)
		var want []string
		for i, end := range got {
			if end == "" {
				want = append(want, fmt.Sprintf("%02d b", i))
			}
		}
		pagesLeft(t, s, -1)
		var kept []string
		check(t, s.read(t.Context(), func(tx *session) error {
			kept = names(t, tx, `SELECT key FROM seen_events WHERE key LIKE '___b' ORDER BY key`)
			return nil
		}))
		if !slices.Equal(kept, want) {
			t.Errorf("%d pages left: %q is there, told was %q (%q)", left, kept, want, got)
		}
		check(t, s.short(t.Context(), func(tx *session) error { return note(t.Context(), tx, "after") }))
		check(t, s.write(t.Context(), func(tx *session) error { return note(t.Context(), tx, "after too") }))
	}
}

const killedEnv = "FOOTNOTE_TEST_KILLED_WRITES"

// What was said to be written is there after the process was killed at any moment.
func TestWritesTogetherOutlastAKill(t *testing.T) {
	if dir := os.Getenv(killedEnv); dir != "" {
		writeUntilKilled(t, dir)
	}
	for _, lines := range []int{1, 40, 300} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWritesTogetherOutlastAKill$")
		cmd.Env = append(os.Environ(), killedEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		var told []string
		for scan := bufio.NewScanner(out); scan.Scan(); {
			if told = append(told, scan.Text()); len(told) == lines {
				check(t, cmd.Process.Kill())
			}
		}
		cmd.Wait() //nolint:errcheck // it was killed
		if len(told) < lines {
			t.Fatalf("it ended by itself: %q", told)
		}
		kept := strings.Fields(noted(t, open(t, dir)))
		for _, key := range told {
			if _, ok := slices.BinarySearch(kept, key); !ok {
				t.Errorf("%s was said to be there", key)
			}
		}
	}
}

func writeUntilKilled(t *testing.T, dir string) {
	s := open(t, dir)
	for g := range 8 {
		go func() {
			for i := 0; ; i++ {
				ctx := context.Background()
				key := fmt.Sprintf("%d/%d", g, i)
				write := s.short
				if i%9 == 0 {
					write = s.write
				}
				if err := write(ctx, func(tx *session) error { return note(ctx, tx, key) }); err != nil {
					fmt.Println("error", core.KindOf(err), err)
					continue
				}
				fmt.Println(key)
			}
		}()
	}
	select {}
}
