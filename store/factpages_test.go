package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// rowsOf are the facts as the rows tell them, whatever pages say.
func rowsOf(t *testing.T, s *Store) (all []core.Facts) {
	t.Helper()
	check(t, s.read(t.Context(), func(tx *session) error {
		return factsOfRows(t.Context(), tx, 0, math.MaxInt64, func(page []core.Facts) error {
			all = append(all, page...)
			return nil
		})
	}))
	return all
}

func factsIn(t *testing.T, s *Store) (all []core.Facts) {
	t.Helper()
	check(t, s.Facts(t.Context(), func(page []core.Facts) error {
		all = append(all, page...)
		return nil
	}))
	return all
}

func pagesIn(t *testing.T, s *Store) int {
	t.Helper()
	var n int
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM fact_pages`).Scan(&n)
	}))
	return n
}

func statement(ctx context.Context, s *Store, query string) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.conn.ExecContext(ctx, query)
		return err
	})
}

// manyFacts is a ledger with rows on so many pages, with gaps between them.
func manyFacts(t *testing.T, pages int) *Store {
	s := open(t, t.TempDir())
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	check(t, statement(t.Context(), s, fmt.Sprintf(`
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 300 FROM c WHERE n + 300 < %d)
		INSERT INTO documents (n, id, source, title, url, kind, media_type, authors, created, updated, meta, files, folders, hidden, language, host_access, content_hash, facts_hash)
		SELECT n, 'handbook/' || n, 'handbook', 'Title ' || n, '', iif(n %% 2, 'page', ''), 'text/plain', '[]', iif(n %% 3, n * 1000000, NULL), NULL,
			json_object('Space', 'S' || (n %% 4), 'quote', '"x\'), '[]', iif(n %% 5, '["a","a/b"]', '[]'), n %% 7 = 0, 'en', 0, zeroblob(32), zeroblob(32) FROM c`, pages<<pageBits)))
	check(t, statement(t.Context(), s, `INSERT INTO access SELECT n, 'group:handbook/g' || (n % 3) FROM documents WHERE n % 11 > 0
		UNION ALL SELECT n, 'workspace' FROM documents WHERE n % 2`))
	return s
}

func TestFactPagesTellWhatTheRowsTell(t *testing.T) {
	s := manyFacts(t, fewPages+3)
	want := rowsOf(t, s)
	diff(t, want, factsIn(t, s))
	check(t, s.RenewFacts(t.Context()))
	diff(t, fewPages+3, pagesIn(t, s))
	diff(t, want, factsIn(t, s))
	check(t, statement(t.Context(), s, `DELETE FROM fact_pages WHERE page IN (0, 4, 5, 10)`))
	diff(t, want, factsIn(t, s))
	check(t, s.RenewFacts(t.Context())) // few are left to the next start
	diff(t, fewPages-1, pagesIn(t, s))
}

// Every way in which a row can change throws its page away and no other.
func TestFactPagesEndWithTheirRows(t *testing.T) {
	s := manyFacts(t, 3)
	doc := func(set string) string { return `UPDATE documents SET ` + set + ` WHERE n = 1201` }
	for _, change := range []string{
		doc(`title = 'new'`), doc(`kind = 'mail'`), doc(`hidden = 1 - hidden`), doc(`folders = '["z"]'`), doc(`meta = '{"a":"b"}'`),
		doc(`created = 5`), doc(`updated = 6`), doc(`id = 'handbook/other'`), doc(`source = source`),
		`INSERT INTO access VALUES (1201, 'user:a@b.example')`, `INSERT OR REPLACE INTO access VALUES (1201, 'user:a@b.example')`,
		`UPDATE access SET principal = 'public' WHERE document = 1201 AND principal LIKE 'user:%'`, `DELETE FROM access WHERE document = 1201 AND principal = 'public'`,
		`INSERT INTO documents SELECT 1300, 'handbook/more', source, title, url, kind, media_type, authors, created, updated, meta, files, hidden, language, host_access,
			content_hash, facts_hash, generation, indexed, facts_generation, facts_indexed, folders, untold, stated_hidden, contexts FROM documents WHERE n = 1`,
		`DELETE FROM documents WHERE n = 1201`,
	} {
		for page := range int64(3) {
			check(t, s.makePage(t.Context(), page))
		}
		check(t, statement(t.Context(), s, change))
		if got := pagesIn(t, s); got != 2 {
			t.Errorf("%s leaves %d pages, not 2", change, got)
		}
		diff(t, rowsOf(t, s), factsIn(t, s))
	}
}

// Confirming what the index has is no change of facts.
func TestFactPagesOutliveWhatIsNoFact(t *testing.T) {
	s := manyFacts(t, 2)
	for page := range int64(2) {
		check(t, s.makePage(t.Context(), page))
	}
	check(t, s.Confirm(t.Context(), backlog(t, s)))
	check(t, s.Unconfirm(t.Context()))
	diff(t, 2, pagesIn(t, s))
}

// What the ledger's own methods change is told by pages as by rows, in any order.
func TestFactPagesThroughCommits(t *testing.T) {
	s := manyFacts(t, 1)
	r := rand.New(rand.NewPCG(1, 2))
	principals := []core.Principal{core.Public, core.Workspace, core.User("ann@example.com"), core.Group("handbook", "hr")}
	for range 60 {
		name := string(rune('a' + r.IntN(6)))
		e := page(name, principals[:r.IntN(len(principals)+1)], fmt.Sprint(r.IntN(3)))
		e.Document.Hidden, e.Document.Folders = r.IntN(4) == 0, []string{fmt.Sprint(r.IntN(3))}
		switch r.IntN(5) {
		case 0, 1:
			put(t, s, e)
		case 2:
			e.Facts[0] = byte(r.IntN(256))
			check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{e}}))
		case 3:
			check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{name}}))
		case 4:
			check(t, s.makePage(t.Context(), 0))
			check(t, s.makePage(t.Context(), 1))
		}
		diff(t, rowsOf(t, s), factsIn(t, s))
	}
}

func TestDamagedFactPages(t *testing.T) {
	good := packFacts(sampleFacts())
	newer := packFacts(sampleFacts())
	newer[0]++
	for name, packed := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)/2], "noise": []byte("\x00\x01\x02 no page"), "zeros": make([]byte, 400), "of another form": newer,
	} {
		t.Run(name, func(t *testing.T) {
			s := manyFacts(t, 2)
			check(t, s.makePage(t.Context(), 1))
			raw(t, filepath.Join(filepath.Dir(s.path), FileName), fmt.Sprintf(`UPDATE fact_pages SET facts = x'%x'`, packed))
			diff(t, rowsOf(t, s), factsIn(t, s))
			diff(t, 0, pagesIn(t, s))
		})
	}
}

func sampleFacts() []core.Facts {
	at := time.UnixMicro(-1e15).UTC()
	return []core.Facts{
		{Document: "a/b", Source: "a", Title: "Ä", Access: core.Access{core.Public, core.Workspace}, Created: at, Updated: at.AddDate(300, 0, 0)},
		{Document: "a/c", Source: "a", Kind: "mail", Access: core.Access{core.Public, core.Workspace}, Folders: []string{"a/x", "a/y"}, Tags: []string{"k=v"}, Hidden: true},
		{},
		{Document: "b/" + strings.Repeat("long ", 100), Source: "b", Tags: []string{"", "a/x"}, Updated: time.UnixMicro(1).UTC()},
	}
}

func TestFactsArePackedAsTheyAre(t *testing.T) {
	for n := range len(sampleFacts()) + 1 {
		want := sampleFacts()[:n]
		got, err := unpackFacts(packFacts(want), nil)
		check(t, err)
		diff(t, len(want), len(got))
		for i := range want {
			diff(t, want[i], got[i])
		}
	}
}

// FuzzUnpackFacts: whatever stands in a page, even with a checksum that fits, is read as
// facts or is an error.
func FuzzUnpackFacts(f *testing.F) {
	good := packFacts(sampleFacts())
	f.Add(good[:len(good)-4])
	for i := range good {
		flipped := append([]byte(nil), good[:len(good)-4]...)
		flipped[min(i, len(flipped)-1)] ^= 0x40
		f.Add(flipped)
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		sealed := binary.BigEndian.AppendUint32(page[:len(page):len(page)], crc32.ChecksumIEEE(page))
		facts, err := unpackFacts(sealed, nil)
		if err != nil {
			return
		}
		again, err := unpackFacts(packFacts(facts), nil)
		if err != nil || len(again) != len(facts) {
			t.Errorf("%d facts become %d: %v", len(facts), len(again), err)
		}
	})
}
