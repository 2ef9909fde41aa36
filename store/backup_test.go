package store

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// A copy that is taken while others write is of one instant: what is in it fits together.
func TestCopyIsOfOneInstant(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "0"), page("b", []core.Principal{core.Public}, "0")) // always both
	for range 2 {
		dir := t.TempDir()
		to := filepath.Join(dir, FileName)
		writing := startWriting(t, s)
		err := s.CopyTo(t.Context(), to)
		writing.stop()
		check(t, err)
		info, err := os.Stat(to)
		check(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the copy has mode %o", info.Mode().Perm())
		}
		facts, err := Examine(t.Context(), to)
		check(t, err)
		newest, err := Schema()
		check(t, err)
		install, err := s.InstallID(t.Context())
		check(t, err)
		diff(t, Facts{Schema: newest, Install: install, Documents: 2}, facts)
		c := open(t, dir)
		a, b := around(t, c, "a"), around(t, c, "b")
		if len(a) != 1 || a[0].Passage.Text != b[0].Passage.Text {
			t.Errorf("one copy holds %v and %v", a, b)
		}
		check(t, c.QuickCheck(t.Context()))
	}
}

// writing is somebody who writes both of two documents over and over.
type writing struct{ quit, ended chan struct{} }

// startWriting returns when the first pair was written.
func startWriting(t *testing.T, s *Store) writing {
	w, began := writing{make(chan struct{}), make(chan struct{})}, make(chan struct{})
	go func() {
		defer close(w.ended)
		begin := sync.OnceFunc(func() { close(began) })
		defer begin()
		for i := 0; ; i++ {
			select {
			case <-w.quit:
				return
			default:
			}
			text := strings.Repeat("x", i%50+1)
			if err := s.Commit(t.Context(), core.Batch{Source: "handbook", Content: []core.Entry{
				page("a", []core.Principal{core.Public}, text), page("b", []core.Principal{core.Public}, text)}}); err != nil {
				t.Error(err)
				return
			}
			begin()
		}
	}()
	<-began
	return w
}

func (w writing) stop() { close(w.quit); <-w.ended }

func TestCopyLeavesNothingHalf(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", nil, "one"))
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	check(t, os.WriteFile(there, []byte("mine"), 0o600))
	wantKind(t, s.CopyTo(t.Context(), there), core.KindConflict)
	wantKind(t, s.CopyTo(t.Context(), filepath.Join(dir, "none", "x")), core.KindDisk)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wantKind(t, s.CopyTo(ended, filepath.Join(dir, "x")), core.KindCancelled)
	files, err := os.ReadDir(dir)
	check(t, err)
	if raw, _ := os.ReadFile(there); len(files) != 1 || string(raw) != "mine" {
		t.Errorf("left: %v, %q", files, raw)
	}
}

func TestExamineRefuses(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", nil, strings.Repeat("word ", 20_000)))
	first := filepath.Join(t.TempDir(), FileName)
	check(t, s.CopyTo(t.Context(), first))
	sound, err := os.ReadFile(first)
	check(t, err)
	for name, row := range map[string]struct {
		spoil func(t *testing.T, path string)
		kind  core.Kind
		says  string
	}{
		"another_program": {func(t *testing.T, path string) { raw(t, path, `PRAGMA application_id = 1`) }, core.KindConflict, "no ledger"},
		"newer":           {func(t *testing.T, path string) { raw(t, path, `PRAGMA user_version = 99`) }, core.KindConflict, "schema 99"},
		"references":      {func(t *testing.T, path string) { raw(t, path, `DELETE FROM sources`) }, core.KindDisk, "documents refers"},
		"cut_off":         {func(t *testing.T, path string) { check(t, os.Truncate(path, 40_000)) }, core.KindDisk, "damaged"},
		"page": {func(t *testing.T, path string) {
			all, err := os.ReadFile(path)
			check(t, err)
			at := bytes.LastIndex(all, []byte("word word"))
			copy(all[at-at%4096:], bytes.Repeat([]byte{0xff}, 4096))
			check(t, os.WriteFile(path, all, 0o600))
		}, core.KindDisk, "damaged"},
		"gone": {func(t *testing.T, path string) { check(t, os.Remove(path)) }, core.KindDisk, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			check(t, os.WriteFile(path, sound, 0o600))
			row.spoil(t, path)
			before, _ := os.ReadFile(path)
			_, err := Examine(t.Context(), path)
			wantKind(t, err, row.kind)
			if !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v does not say %q", err, row.says)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// An upgrade keeps one copy of the ledger as the older program left it.
func TestUpgradeKeepsACopy(t *testing.T) {
	dir := t.TempDir()
	known, err := migrations()
	check(t, err)
	at := func(n int) {
		path, err := prepare(dir)
		check(t, err)
		old := &Store{path: path, log: slog.New(slog.DiscardHandler)}
		old.writer, err = openSessions(t.Context(), dsn(path), 1)
		check(t, err)
		check(t, old.migrate(t.Context(), known[:n]))
		check(t, old.writer.close())
	}
	kept := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, beforePrefix+"*"))
		check(t, err)
		return found
	}
	if at(3); len(kept()) != 0 {
		t.Errorf("a new ledger has copies: %v", kept())
	}
	at(5)
	at(9)
	found := kept()
	if len(found) != 1 || filepath.Base(found[0]) != "footnote-before-schema-0006.db" {
		t.Fatalf("kept: %v", found)
	}
	facts, err := Examine(t.Context(), found[0])
	check(t, err)
	if facts.Schema != 5 {
		t.Errorf("the copy has schema %d", facts.Schema)
	}
	at(9)
	if again := kept(); len(again) != 1 || again[0] != found[0] {
		t.Errorf("opening without an upgrade left %v", again)
	}
}
