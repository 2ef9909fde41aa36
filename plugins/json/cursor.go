package jsonapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"slices"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// cursor is how far Sync got, by the names of lists.
type cursor struct {
	Settings string            `json:"s"` // other settings begin anew
	Lists    map[string]*place `json:"l"`
}

// place is how far Sync got in one list. Items are named by prints of their ids.
type place struct {
	Since int64    `json:"t,omitempty"` // Unix milliseconds: from where on the list is asked for
	Done  int64    `json:"d,omitempty"` // up to which all changes were sent, but for Retry
	Retry []uint64 `json:"r,omitempty"` // could not be read and may be now
	Tries int      `json:"f,omitempty"` // passes in a row that left something
	// Of the pass that is under way.
	Start  int64     `json:"b,omitempty"` // what Done becomes at its end
	At     *position `json:"p,omitempty"` // the last page that was sent
	Anchor []uint64  `json:"a,omitempty"` // items of that page
	Failed []uint64  `json:"h,omitempty"` // what Retry becomes
}

const (
	// mostTries is for how many passes in a row an item is tried again.
	mostTries = 3
	// mostRetries is how many items of a list are kept in mind; where there are more
	// all are read again.
	mostRetries = 100
)

// longestPosition keeps cursors small: from a place that takes more, a pass is not
// resumed but begun anew. In bytes.
const longestPosition = 4 << 10

// readCursor takes one that cannot be read, or is of other settings, as empty:
// what is sent once more costs the host a comparison.
func (s *Source) readCursor(c sdk.Cursor) *cursor {
	out := &cursor{}
	now := s.fingerprint()
	if err := c.JSON(out); err != nil || out.Settings != now || out.Lists == nil {
		out = &cursor{Settings: now, Lists: map[string]*place{}}
	}
	for i := range s.recipe.Lists {
		if name := s.recipe.Lists[i].Name; out.Lists[name] == nil {
			out.Lists[name] = &place{}
		}
	}
	return out
}

// fingerprint changes with the settings that decide what is sent.
func (s *Source) fingerprint() string {
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode([]any{"1", string(s.recipe.text), s.client.base.String(), s.client.vars}) // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}

// before is a time of the cursor less the overlap, zero for none.
func before(milliseconds int64, overlap time.Duration) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds).Add(-overlap)
}

// left notes an item that could not be read.
func (p *place) left(id string) {
	if len(p.Failed) <= mostRetries {
		p.Failed = append(p.Failed, printOf([]byte(id)))
	}
}

// passed notes that a page was sent.
func (p *place) passed(g page, ids []uint64) {
	if p.At = &g.at; len(g.at.Next) > longestPosition {
		p.At = nil
	}
	p.Anchor = ids[:min(len(ids), 8)]
}

// finish ends a pass. Where something could not be read the next ones ask for the
// list from the same time on, and look at that once more.
func (p *place) finish() {
	next := place{Since: p.Start, Done: p.Start}
	if n := len(p.Failed); n > 0 && p.Tries+1 < mostTries {
		next = place{Since: p.Since, Done: p.Start, Retry: p.Failed, Tries: p.Tries + 1}
		if n > mostRetries {
			next.Done, next.Retry = p.Since, nil
		}
	}
	*p = next
}

// anchored tells that a page still has something of what was on it.
func (p *place) anchored(ids []uint64) bool {
	if len(p.Anchor) == 0 {
		return true
	}
	return slices.ContainsFunc(ids, func(id uint64) bool { return slices.Contains(p.Anchor, id) })
}

func printOf(data []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(data) // a hash takes everything
	return h.Sum64()
}
