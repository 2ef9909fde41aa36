package sdk

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Cursor is a connector's own note of how far it got, at most 64 KiB. The host
// does not look inside. Empty means from the beginning.
type Cursor []byte

// problem tells why a cursor cannot be sent, nil if it can.
func (c Cursor) problem() error {
	if len(c) > wire.MaxCursor {
		return fmt.Errorf("the cursor takes %d bytes, the limit is %d: keep less in it, or in files of Env.Dir", len(c), wire.MaxCursor)
	}
	return nil
}

// overlap is taken off a TimeCursor, because clocks differ and a change made
// while a page was read can carry an earlier time than the sync's end.
const overlap = 2 * time.Minute

// TimeCursor notes the moment at which a sync started. Give it the start, not
// the end: what changes during the sync must be seen by the next one.
func TimeCursor(started time.Time) Cursor {
	return Cursor(started.UTC().Format(time.RFC3339Nano))
}

// Time reads a TimeCursor, two minutes earlier than it was set, so that late
// and simultaneous changes are seen again rather than missed. It is the zero
// time for an empty cursor and for one that is not a TimeCursor.
func (c Cursor) Time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(c))
	if err != nil {
		return time.Time{}
	}
	return t.Add(-overlap)
}

// JSONCursor notes any value that encoding/json can write.
func JSONCursor(v any) (Cursor, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the cursor cannot be written as JSON: %w", err)
	}
	return data, nil
}

// JSON reads a JSONCursor. An empty cursor leaves v as it is.
func (c Cursor) JSON(v any) error {
	if len(c) == 0 {
		return nil
	}
	if err := json.Unmarshal(c, v); err != nil {
		return fmt.Errorf("the cursor cannot be read as JSON: %w", err)
	}
	return nil
}
