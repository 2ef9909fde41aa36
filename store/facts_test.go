package store

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestTagsIn(t *testing.T) {
	for _, meta := range []map[string]string{
		nil, {}, {"a": "b"}, {"": ""}, {"Space": "HR", "a": "", "ÄÖ": "Ü"}, {"b": "1", "B": "0", "a=": "{x},:"},
		{"quote": `say "x"`, "slash": `\`, "html": "<a&b>", "line": "a\nb", "sep": "\u2028"},
	} {
		column, err := asJSON(meta)
		check(t, err)
		got, err := tagsIn(column)
		check(t, err)
		diff(t, tagsOf(meta), got)
	}
}

// What filters decide on is the same for the index, before and after a restart,
// as for the gate.
func TestFactsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	check(t, err)
	check(t, first.PutSource(t.Context(), handbookSource(core.Workspace)))
	e := page("a", []core.Principal{core.Workspace}, "one")
	e.Document.Folders, e.Document.Created = []string{"hr", "hr/leave"}, time.UnixMicro(1e15).UTC()
	e.Document.Meta = map[string]string{"Space": "HR", "quote": `"x"`}
	put(t, first, e, page("b", nil, "two"))
	want := core.Facts{Document: "handbook/a", Source: "handbook", Title: e.Document.Title, Kind: e.Document.Kind, Access: core.Access{core.Workspace},
		Folders: []string{"handbook/hr", "handbook/hr/leave"}, Tags: []string{`quote="x"`, "space=hr"},
		Created: e.Document.Created, Updated: e.Document.Updated}
	content := backlog(t, first)
	diff(t, want, content.Content[0].Facts)
	check(t, first.Confirm(t.Context(), content))

	e.Document.Folders = []string{"it"}
	e.Facts[0]++
	check(t, first.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{e}}))
	want.Folders = []string{"handbook/it"}
	changed := backlog(t, first)
	diff(t, []core.Facts{want}, changed.Facts)
	diff(t, 0, len(changed.Content))
	check(t, first.Close())

	s := open(t, dir)
	var got []core.Facts
	check(t, s.Facts(t.Context(), func(page []core.Facts) error { got = append(got, page...); return nil }))
	diff(t, want, got[0])
	doc, err := s.Document(t.Context(), "handbook/a")
	check(t, err)
	diff(t, want, doc.Facts())
	diff(t, []string{"it"}, doc.Folders)
}

// A ledger of the version before this table of facts keeps its turns and tells
// what it can.
func TestLedgerWithoutFacts(t *testing.T) {
	dir := t.TempDir()
	path, err := prepare(dir)
	check(t, err)
	known, err := migrations()
	check(t, err)
	old := &Store{path: path, log: slog.New(slog.DiscardHandler)}
	old.writer, err = openSessions(t.Context(), dsn(path), 1)
	check(t, err)
	check(t, old.migrate(t.Context(), known[:4]))
	check(t, old.writer.close())
	raw(t, filepath.Join(dir, FileName),
		`INSERT INTO sources VALUES ('handbook', 'files', '{}', '[]', 0, 'config'), ('new', 'files', '{}', '[]', 0, 'config')`,
		`INSERT INTO sync_runs (source, reason, started, finished, counts, error_kind, error, notes) VALUES
			('handbook', 'first', 1000000, 2000000, '{}', '', '', '[]'), ('handbook', 'poll', 3000000, 4000000, '{}', '', '', '[]'),
			('handbook', 'poll', 5000000, 6000000, '{}', 'auth', 'no', '[]'), ('handbook', 'poll', 7000000, NULL, '{}', '', '', '[]')`,
		`INSERT INTO documents (id, source, title, url, kind, media_type, authors, meta, files, hidden, language, host_access, content_hash, facts_hash)
			VALUES ('handbook/a', 'handbook', 'A', '', '', '', '[]', '{"k":"v"}', '[]', 0, '', 0, zeroblob(32), zeroblob(32))`,
		`INSERT INTO access VALUES (1, 'user:ana@example.com')`,
		`INSERT INTO turns (n, id, parent, place, class, scope, asker, question, answer, started) VALUES
			(1, 't1', '', 'p', 'direct', '[]', '', 'q', '{}', 1), (2, 't2', '', 'p', 'team', '[]', '', 'q', '{}', 1), (3, 't3', '', 'p', 'public', '[]', '', 'q', '{}', 1)`,
		`INSERT INTO citations VALUES (1, 0, 1, '', '', 'wiki/z', '', 0, 1), (1, 1, 2, '', '', 'wiki/a', '', 0, 2),
			(1, 2, 3, '', '', 'wiki/z', '', 0, 3), (1, 3, 4, '', '', '', '', 0, 4)`,
		`INSERT INTO summaries (id, thread, last, covers, text, class, scope, asker, created) VALUES ('s1', '', 't1', '[]', '', 'team', '[]', '', 1)`)

	s := open(t, dir)
	var classes []string
	for _, id := range []string{"t1", "t2", "t3"} {
		turn, err := s.Turn(t.Context(), id)
		check(t, err)
		classes = append(classes, turn.Class)
		if id == "t1" {
			diff(t, []string{"wiki/z", "wiki/a"}, turn.Used)
		}
	}
	diff(t, []string{"dm", "public_channel", "public"}, classes)
	sums, err := s.Summaries(t.Context(), []string{"t1"})
	check(t, err)
	diff(t, "public_channel", sums[0].Class)
	for name, want := range map[string]time.Time{"handbook": time.UnixMicro(3e6).UTC(), "new": {}} {
		st, err := s.SourceStatus(t.Context(), name)
		check(t, err)
		diff(t, want, st.AccessChecked)
	}
	s.Now = func() time.Time { return time.UnixMicro(3e6).Add(core.DefaultMaxAge) }
	ids := []string{"handbook/a"}
	ana := core.Filter{Principals: []core.Principal{"user:ana@example.com"}}
	got, err := s.Readable(t.Context(), ana, ids)
	check(t, err)
	diff(t, map[string]bool{"handbook/a": true}, got)
	s.Now = func() time.Time { return time.UnixMicro(3e6 + 1).Add(core.DefaultMaxAge) }
	got, err = s.Readable(t.Context(), ana, ids)
	check(t, err)
	diff(t, map[string]bool{}, got)
}
