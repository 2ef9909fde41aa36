package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// keepAsking lets Bob and Ann search while the program makes the change, through
// HTTP where it listens and as commands.
func (s *shut) keepAsking(ctx context.Context, p *process, random *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		email, shelf := []string{bob, bob, ann}[n%3], random.IntN(shelves)
		ask := s.askCommand
		if p.url != "" && n%2 == 0 {
			ask = s.askHTTP
		}
		if err := s.askOnce(ctx, email, func() ([]string, error) { return ask(ctx, p, email, shelf) }); err == nil {
			s.asked++ // else it is not there yet or no more, or was asked too often
			s.once.Do(func() { close(s.answered) })
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// someResults is how many documents a query asks for while the program is busy.
const someResults = 100

// askOnce searches and compares with the ledger of before the query.
func (s *shut) askOnce(ctx context.Context, email string, ask func() ([]string, error)) error {
	db := s.ledger()
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var before int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sources`).Scan(&before); err != nil {
		return err
	}
	found, err := ask()
	if err != nil {
		return err
	}
	if email == ann {
		if len(found) != someResults {
			s.t.Errorf("Ann finds %d documents while Bob is shut out", len(found))
		}
		return nil
	}
	list, err := json.Marshal(found)
	if err != nil {
		return err
	}
	var open int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM documents d, access a ON a.document = d.n
		WHERE d.id IN (SELECT value FROM json_each(?1)) AND `+openToBob, string(list)).Scan(&open); err != nil {
		return err
	}
	if open != len(found) {
		s.t.Errorf("Bob finds %d documents that were closed before he asked", len(found)-open)
	}
	return nil
}

const openToBob = `a.principal IN (SELECT 'user:bob@example.com' UNION SELECT principal FROM members WHERE member = 'user:bob@example.com')`

func (s *shut) askHTTP(ctx context.Context, p *process, email string, shelf int) ([]string, error) {
	body := fmt.Sprintf(`{"query": "shelf%d", "limit": %d}`, shelf, someResults)
	r, err := http.NewRequestWithContext(ctx, "POST", p.url+"/search", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.tokenOf[email])
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		return nil, errors.Join(err, errors.New(resp.Status))
	}
	var f struct {
		Results []struct{ Document struct{ ID string } }
	}
	err = json.Unmarshal(raw, &f)
	var ids []string
	for _, g := range f.Results {
		ids = append(ids, g.Document.ID)
	}
	return ids, err
}

func (s *shut) askCommand(ctx context.Context, _ *process, email string, shelf int) ([]string, error) {
	var out bytes.Buffer
	code, err := s.inHolder(ctx, &out, "search", fmt.Sprintf("shelf%d", shelf), "--as", email, "--limit", fmt.Sprint(someResults), "--json")
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d", code)
	}
	return s.idsIn(out.String()), err
}

// ledger is opened anew each time, so that nothing of it is held when the program
// starts again.
func (s *shut) ledger() *sql.DB {
	path := url.URL{Scheme: "file", Path: filepath.Join(s.dir, "data", "footnote.db"), RawQuery: "mode=ro&_pragma=busy_timeout(10000)"}
	db, err := sql.Open("sqlite", path.String())
	if err != nil {
		panic(err) // only for a driver that is not there
	}
	return db
}

// openOn lists what the ledger leaves open to Bob on a shelf.
func (s *shut) openOn(shelf int) []string {
	s.t.Helper()
	db := s.ledger()
	defer db.Close()
	rows, err := db.Query(`SELECT d.id FROM documents d, access a ON a.document = d.n
		WHERE d.id LIKE ?1 AND `+openToBob+` ORDER BY d.id`, fmt.Sprintf("%s/s%d/%%", s.source, shelf))
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			s.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return ids
}

// count is how many documents the ledger leaves open to Bob.
func (s *shut) count() int {
	s.t.Helper()
	db := s.ledger()
	defer db.Close()
	return s.countIn(db)
}

func (s *shut) countIn(db *sql.DB) (n int) {
	s.t.Helper()
	if err := db.QueryRow(`SELECT count(*) FROM access a WHERE ` + openToBob).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}
