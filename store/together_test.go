package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

var errOwn = errors.New("its own failure")

// waitTogether makes all the writes wait for the connection before any is begun, and
// gives what each ended with.
func waitTogether(t *testing.T, s *Store, writes []func(context.Context, context.CancelFunc, *session) error) []string {
	t.Helper()
	x := <-s.writer.idle
	ends := make([]string, len(writes))
	done := make(chan struct{})
	for i, do := range writes {
		go func() {
			defer func() {
				if fault := recover(); fault != nil {
					ends[i] = fmt.Sprint("panic ", fault)
				}
				done <- struct{}{}
			}()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if err := s.short(ctx, func(tx *session) error { return do(ctx, cancel, tx) }); err != nil {
				ends[i] = err.Error()
			}
		}()
		for end := time.Now().Add(time.Minute); s.writer.queue.length() <= i; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a write does not wait")
			}
		}
	}
	s.writer.idle <- x
	for range writes {
		<-done
	}
	return ends
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waits)
}

func note(ctx context.Context, tx *session, key string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO seen_events (key, at) VALUES (?, 1)`, key)
	return err
}

func noted(t *testing.T, s *Store) string {
	t.Helper()
	var keys []string
	check(t, s.read(t.Context(), func(tx *session) error {
		keys = names(t, tx, `SELECT key FROM seen_events ORDER BY key`)
		return nil
	}))
	return strings.Join(keys, " ")
}

// Writes that share a commit end as if each were alone.
func TestWritesTogether(t *testing.T) {
	s := open(t, t.TempDir())
	key := func(key string) func(context.Context, context.CancelFunc, *session) error {
		return func(ctx context.Context, _ context.CancelFunc, tx *session) error {
			if !tx.whole {
				t.Error("a write does not share its transaction")
			}
			return note(ctx, tx, key)
		}
	}
	got := waitTogether(t, s, []func(context.Context, context.CancelFunc, *session) error{
		key("a"),
		func(ctx context.Context, _ context.CancelFunc, tx *session) error {
			return errors.Join(note(ctx, tx, "fails"), errOwn)
		},
		key("b"),
		func(ctx context.Context, _ context.CancelFunc, tx *session) error {
			note(ctx, tx, "panics") //nolint:errcheck // it comes to nothing
			panic("fault")
		},
		func(ctx context.Context, cancel context.CancelFunc, tx *session) error {
			cancel()
			return note(ctx, tx, "was cancelled")
		},
		func(ctx context.Context, _ context.CancelFunc, tx *session) error {
			return errors.Join(note(ctx, tx, "c"), note(ctx, tx, "a")) // there is one
		},
		key("d"),
	})
	for i, want := range []string{"", errOwn.Error(), "", "panic fault", context.Canceled.Error(), "1555", ""} {
		if want == "" && got[i] != "" || !strings.Contains(got[i], want) {
			t.Errorf("write %d ended with %q, not %q", i, got[i], want)
		}
	}
	if got := noted(t, s); got != "a b d" {
		t.Errorf("what stays is %s", got)
	}
}

// Where a failure ends the transaction, nobody is told that their write is there.
func TestWritesTogetherLoseTheirTransaction(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutAccount(t.Context(), core.Account{Platform: "slack", Team: "T", ID: "U0"}))
	before := changesOf(s)
	got := waitTogether(t, s, []func(context.Context, context.CancelFunc, *session) error{
		func(ctx context.Context, _ context.CancelFunc, tx *session) error { return note(ctx, tx, "a") },
		func(ctx context.Context, _ context.CancelFunc, tx *session) error {
			_, err := tx.conn.ExecContext(ctx, `ROLLBACK`)
			return errors.Join(err, errOwn)
		},
		func(ctx context.Context, _ context.CancelFunc, tx *session) error { return note(ctx, tx, "b") },
	})
	for i, end := range got {
		if end == "" {
			t.Errorf("write %d says that it is there", i)
		}
	}
	if got := noted(t, s); got != "" {
		t.Errorf("what stays is %s", got)
	}
	diff(t, before, changesOf(s))
	check(t, s.short(t.Context(), func(tx *session) error { return note(t.Context(), tx, "after") }))
}

// A write that has not begun ends with its context, or with the ledger.
func TestWritesTogetherStopWaiting(t *testing.T) {
	s := open(t, t.TempDir())
	x := <-s.writer.idle
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.short(ctx, func(*session) error { t.Error("it began"); return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
	s.writer.idle <- x
	if n := s.writer.queue.length(); n != 0 {
		t.Errorf("%d wait", n)
	}
	check(t, s.short(t.Context(), func(tx *session) error { return note(t.Context(), tx, "a") }))
}

// Whatever contexts end meanwhile, a write is there if and only if its caller was told.
func TestWritesTogetherTellTheTruth(t *testing.T) {
	s := open(t, t.TempDir())
	var told sync.Map
	var work sync.WaitGroup
	for g := range 8 {
		work.Go(func() {
			for i := range 60 {
				ctx, cancel := context.WithCancel(context.Background())
				if i%3 == 0 {
					go cancel()
				}
				key := fmt.Sprintf("%d/%d", g, i)
				err := s.short(ctx, func(tx *session) error { return note(ctx, tx, key) })
				cancel()
				if err == nil {
					told.Store(key, true)
				} else if !errors.Is(err, context.Canceled) {
					t.Errorf("%s ended with %v", key, err)
				}
			}
		})
	}
	work.Wait()
	var want []string
	for key := range told.Range {
		want = append(want, key.(string))
	}
	slices.Sort(want)
	diff(t, strings.Join(want, " "), noted(t, s))
}
