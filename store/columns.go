package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// The helpers below are the only places that know how a Go value lies in a column.

// micros is a time as a column keeps it; null stands for the zero time.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

func fromMicros(v sql.NullInt64) time.Time {
	if !v.Valid {
		return time.Time{}
	}
	return time.UnixMicro(v.Int64).UTC()
}

// jsonColumn reads JSON text into a pointer; asJSON is the way back.
type jsonColumn struct{ into any }

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// Scan implements sql.Scanner.
func (c jsonColumn) Scan(src any) error {
	switch v := src.(type) {
	case string:
		return json.Unmarshal([]byte(v), c.into)
	case []byte:
		return json.Unmarshal(v, c.into)
	}
	return fmt.Errorf("a JSON column holds %T", src)
}

// scanAll calls each for every row and closes the rows.
func scanAll(rows *sql.Rows, err error, each func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
