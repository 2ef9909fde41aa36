package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// ListedDocument is a document in a list for the owner.
type ListedDocument struct {
	ID, Source, Title string
	Access            core.Access // as it was told, also where that is stale
	Updated           time.Time
	Hidden            bool
}

// DocumentListQuery looks for documents; what is empty does not narrow.
type DocumentListQuery struct {
	Words  []string // all of them are in the title or the id, whatever the case of ASCII letters
	Source string
	Hidden bool // only those that are hidden
	Offset int
	Limit  int // most documents; 0 means 50
}

// ListDocuments lists documents by id, whoever may read them: for the owner only.
func (s *Store) ListDocuments(ctx context.Context, q DocumentListQuery) (out []ListedDocument, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	var patterns []string
	for _, w := range q.Words {
		patterns = append(patterns, "%"+likeEscaper.Replace(w)+"%")
	}
	words, err := asJSON(listOf(patterns))
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, source, title, updated, hidden,
				(SELECT json_group_array(principal) FROM (SELECT principal FROM access WHERE document = n ORDER BY principal))
			FROM documents WHERE (?1 = '' OR source = ?1) AND (NOT ?2 OR hidden)
				AND NOT EXISTS (SELECT 1 FROM json_each(?3) WHERE NOT (title LIKE value ESCAPE '\' OR id LIKE value ESCAPE '\'))
			ORDER BY id LIMIT ?4 OFFSET ?5`, q.Source, q.Hidden, words, limit, q.Offset)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var d ListedDocument
			var updated sql.NullInt64
			err := rows.Scan(&d.ID, &d.Source, &d.Title, &updated, &d.Hidden, jsonColumn{&d.Access})
			d.Updated = fromMicros(updated)
			out = append(out, d)
			return err
		})
	})
	return out, err
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// CountPassages is how many passages a document has; 0 also if there is none.
func (s *Store) CountPassages(ctx context.Context, document string) (n int, err error) {
	err = s.read(ctx, func(tx *session) error {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM passages WHERE document = (SELECT n FROM documents WHERE id = ?)`, document).Scan(&n)
	})
	return n, err
}

// UsedIn lists the questions whose answers may rest on the document, newest first,
// at most so many: for the owner only.
func (s *Store) UsedIn(ctx context.Context, document string, limit int) (out []Asked, err error) {
	return s.askedWhere(ctx, `WHERE t.n IN (SELECT turn FROM turn_documents WHERE document = ?1)`, limit, document)
}

// AskedTurn is one question with how it ended; the error is of kind not_found if
// there is none.
func (s *Store) AskedTurn(ctx context.Context, turn string) (Asked, error) {
	found, err := s.askedWhere(ctx, `WHERE t.id = ?1`, 1, turn)
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.KindNotFound, "There is no turn %q in the ledger.", turn)
	}
	if err != nil {
		return Asked{}, err
	}
	return found[0], nil
}
