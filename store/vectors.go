package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// NextPassages walks over the passages that the index has confirmed, from the
// first behind after, at most limit of them, and tells which of them have a vector
// in the set. It stops before the first that the index has not confirmed.
func (s *Store) NextPassages(ctx context.Context, set core.VectorSet, after core.PassageID, limit int) (core.EmbeddingPage, error) {
	page, unnamed, err := s.nextPassages(ctx, set, after, limit)
	if err != nil || len(unnamed) == 0 {
		return page, err
	}
	if err := s.nameTexts(ctx, unnamed); err != nil {
		return page, err
	}
	page, _, err = s.nextPassages(ctx, set, after, limit)
	return page, err
}

// nextPassages also returns those whose text has no hash yet.
func (s *Store) nextPassages(ctx context.Context, set core.VectorSet, after core.PassageID, limit int) (core.EmbeddingPage, []core.UnembeddedPassage, error) {
	page := core.EmbeddingPage{Last: after}
	var unnamed []core.UnembeddedPassage
	read, stopped := 0, false
	err := s.read(ctx, func(tx *session) error {
		// The text is only read where it is needed.
		rows, err := tx.QueryContext(ctx, `SELECT p.id, d.id, d.indexed >= d.generation, t.hash, v.n IS NOT NULL, v.vector IS NOT NULL,
			CASE WHEN v.n IS NULL THEN d.title ELSE '' END, CASE WHEN v.n IS NULL THEN p.heading ELSE '' END,
			CASE WHEN v.n IS NULL THEN p.context ELSE '' END,
			CASE WHEN v.n IS NULL THEN p.text ELSE '' END
			FROM passages p JOIN documents d ON d.n = p.document
			LEFT JOIN passage_texts t ON t.passage = p.id
			LEFT JOIN vectors v ON v.hash = t.hash AND v.space = (SELECT n FROM vector_sets WHERE model = ? AND dimensions = ?)
			WHERE p.id > ? ORDER BY p.id LIMIT ?`, set.Model, set.Dimensions, after, limit)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var p core.UnembeddedPassage
			var hash []byte
			var indexed, known, ready bool
			var title, heading, about, text string
			if err := rows.Scan(&p.Passage, &p.Document, &indexed, &hash, &known, &ready, &title, &heading, &about, &text); err != nil {
				return err
			}
			read++
			if stopped = stopped || !indexed; stopped {
				return nil
			}
			page.Last = p.Passage
			switch {
			case ready:
				page.Ready = append(page.Ready, p.Passage)
			case !known:
				p.Text = core.EmbeddedText(title, heading, about, text)
				p.Hash = core.TextHash(p.Text)
				page.Waiting = append(page.Waiting, p)
			}
			if hash == nil {
				unnamed = append(unnamed, p)
			}
			return nil
		})
	})
	page.More = read == limit && !stopped
	return page, unnamed, err
}

// nameTexts keeps the hashes of passages' texts. Passages that are gone meanwhile
// are passed over.
func (s *Store) nameTexts(ctx context.Context, passages []core.UnembeddedPassage) error {
	return s.write(ctx, func(tx *session) error {
		for _, p := range passages {
			if _, err := tx.ExecContext(ctx, `INSERT INTO passage_texts (passage, hash)
				SELECT id, ? FROM passages WHERE id = ? ON CONFLICT DO NOTHING`, p.Hash[:], p.Passage); err != nil {
				return err
			}
		}
		return nil
	})
}

// PassageVectors returns the vectors of those of the passages whose text has one
// in the set, in the order of their ids.
func (s *Store) PassageVectors(ctx context.Context, set core.VectorSet, ids []core.PassageID) ([]core.PassageVector, error) {
	list, err := asJSON(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	out := make([]core.PassageVector, 0, len(ids))
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT p.id, d.id, v.vector FROM passages p JOIN documents d ON d.n = p.document
			JOIN passage_texts t ON t.passage = p.id
			JOIN vectors v ON v.hash = t.hash AND v.space = (SELECT n FROM vector_sets WHERE model = ? AND dimensions = ?)
			WHERE v.vector IS NOT NULL AND p.id IN (SELECT value FROM json_each(?)) ORDER BY p.id`, set.Model, set.Dimensions, list)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			p := core.PassageVector{}
			var packed sql.RawBytes
			if err := rows.Scan(&p.Passage, &p.Document, &packed); err != nil {
				return err
			}
			p.Vector = unpackVector(packed)
			out = append(out, p)
			return nil
		})
	})
	return out, err
}

// PutVectors keeps vectors of a set, which begins with its first, and the texts
// that its model refuses. A text that has a vector gets the new one.
func (s *Store) PutVectors(ctx context.Context, set core.VectorSet, vectors []core.TextVector) error {
	return s.write(ctx, func(tx *session) error {
		space, err := putSet(ctx, tx, set)
		if err != nil {
			return err
		}
		now := s.Now()
		for _, v := range vectors {
			var packed []byte
			refused := sql.NullInt64{}
			switch {
			case len(v.Vector) == 0:
				refused = micros(now)
			case len(v.Vector) != set.Dimensions:
				return core.Errorf(core.KindInvalid, "A vector of %d numbers does not fit a set of vectors of %d.", len(v.Vector), set.Dimensions)
			default:
				packed = packVector(v.Vector)
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO vectors (space, hash, vector, reason, unused) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (space, hash) DO UPDATE SET vector = excluded.vector, reason = excluded.reason, unused = excluded.unused`,
				space, v.Hash[:], packed, v.Reason, refused); err != nil {
				return err
			}
		}
		return nil
	})
}

func putSet(ctx context.Context, tx *session, set core.VectorSet) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `SELECT n FROM vector_sets WHERE model = ? AND dimensions = ?`, set.Model, set.Dimensions).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, `INSERT INTO vector_sets (model, dimensions) VALUES (?, ?) RETURNING n`, set.Model, set.Dimensions).Scan(&n)
	}
	return n, err
}

// VectorSets tells which sets there are and which of them searches use.
func (s *Store) VectorSets(ctx context.Context) (core.VectorSets, error) {
	var out core.VectorSets
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT model, dimensions, live FROM vector_sets ORDER BY n DESC`)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var set core.VectorSet
			var live bool
			err := rows.Scan(&set.Model, &set.Dimensions, &live)
			if out.Known = append(out.Known, set); live {
				out.Live = set
			}
			return err
		})
	})
	return out, err
}

// UseVectors notes that searches use a set from now on. The one before it is kept
// for a while, see SweepVectors.
func (s *Store) UseVectors(ctx context.Context, set core.VectorSet) error {
	return s.write(ctx, func(tx *session) error {
		n, err := putSet(ctx, tx, set)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE vector_sets SET live = (n = ?1),
			replaced = CASE WHEN n = ?1 THEN NULL ELSE coalesce(replaced, ?2) END`, n, micros(s.Now()))
		return err
	})
}

// VectorCounts tells how far a set got with the passages of a source; "" stands
// for all sources.
func (s *Store) VectorCounts(ctx context.Context, set core.VectorSet, source string) (core.VectorCounts, error) {
	var c core.VectorCounts
	err := s.read(ctx, func(tx *session) error {
		return tx.QueryRowContext(ctx, `SELECT count(*), count(v.vector), count(v.n) - count(v.vector), coalesce(max(v.reason), '')
			FROM documents d JOIN passages p ON p.document = d.n
			LEFT JOIN passage_texts t ON t.passage = p.id
			LEFT JOIN vectors v ON v.hash = t.hash AND v.space = (SELECT n FROM vector_sets WHERE model = ?1 AND dimensions = ?2)
			WHERE ?3 = '' OR d.source = ?3`, set.Model, set.Dimensions, source).
			Scan(&c.Passages, &c.Embedded, &c.Refused, &c.Reason)
	})
	return c, err
}

// vectorGrace is how long vectors stay that nothing needs at the moment: a file
// that is moved or comes again, and a model that is chosen again, cost nothing.
const vectorGrace = 7 * 24 * time.Hour
