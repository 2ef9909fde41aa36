package store

import (
	"context"
	"regexp"
	"sync"
	"sync/atomic"
)

// recall keeps the answers to what every look at the readers of a place asks again,
// several times a second in each answer that streams: who an account is, which groups
// its person is in, what was set for a place and granted to it. An answer holds until
// the next transaction that may change any of its kind has ended, so that nobody is
// told less than what is committed. One process alone has the ledger open.
type recall struct {
	changes atomic.Uint64 // transactions that may have changed an answer

	mu    sync.Mutex
	at    uint64 // the changes when what is known was read
	known map[string]any
}

// mostRecalled bounds the answers of a kind that are kept.
const mostRecalled = 10_000

// The kinds of answers.
const (
	ofAccounts = iota
	ofGroups
	ofPlaces
	recalledKinds
)

// recalledFrom names the tables that the answers of each kind are read from, and those
// of which a trigger or a foreign key changes one of them.
var recalledFrom = [recalledKinds]*regexp.Regexp{
	ofAccounts: regexp.MustCompile(`(?i)\b(accounts|former_emails)\b`),
	ofGroups:   regexp.MustCompile(`(?i)\b(members|groups|group_sources|sources)\b`),
	ofPlaces:   regexp.MustCompile(`(?i)\b(place_settings|grants)\b`),
}

var onlyReads = regexp.MustCompile(`(?i)^\s*SELECT\b`)

// stale tells which kinds of answers something may have changed.
type stale [recalledKinds]bool

// staleBy is what a statement may change. In doubt it does.
func staleBy(query string) (out stale) {
	for kind, tables := range recalledFrom {
		out[kind] = tables.MatchString(query) && !onlyReads.MatchString(query)
	}
	return out
}

// and adds what something else may have changed.
func (s *stale) and(other stale) {
	for kind := range other {
		s[kind] = s[kind] || other[kind]
	}
}

// recallOr gives the answer with the key, or reads it. Others get the same one: what
// callers may change is copied. What cannot be read is read again the next time.
func recallOr[V any](ctx context.Context, s *Store, kind int, key string, read func(*session) (V, error)) (V, error) {
	r := &s.recall[kind]
	before := r.changes.Load()
	if v, ok := r.get(key, before); ok {
		return v.(V), nil
	}
	var out V
	err := s.read(ctx, func(tx *session) (err error) {
		out, err = read(tx)
		return err
	})
	if err == nil {
		r.put(key, before, out)
	}
	return out, err
}

func (r *recall) get(key string, changes uint64) (any, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at != changes {
		return nil, false
	}
	v, ok := r.known[key]
	return v, ok
}

// put keeps an answer that was read when there had been so many changes. One from
// before the latest change may be an old one.
func (r *recall) put(key string, changes uint64, v any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changes < r.at {
		return
	}
	if r.known == nil || r.at != changes || len(r.known) >= mostRecalled {
		r.at, r.known = changes, map[string]any{}
	}
	r.known[key] = v
}
