package store

import (
	"context"
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/footnote-bot/footnote/core"
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
	kept  int // the weight of it
}

// mostRecalled bounds the weight of the answers of a kind that are kept.
const mostRecalled = 200_000

// weight is how much an answer is, about: one for each hundred bytes.
func weight(key string, v any) int {
	w := 2 + len(key)/100
	switch v := v.(type) {
	case core.Account:
		w += 2
	case Memberships:
		w += len(v.Groups) + len(v.Stale)
	case []core.GroupState:
		w += len(v)
	case []core.Grant:
		w += 2 * len(v)
	case []PlaceSetting:
		for _, p := range v {
			w += 2 + len(p.Settings)/100
		}
	}
	return w
}

// The kinds of answers.
const (
	ofAccounts = iota
	ofGroups
	ofPlaces
	recalledKinds
)

// recalledFrom names the tables that the answers of each kind are read from, and those
// of which a trigger or a foreign key changes one of them. Connectors are processes of
// the same program and have no ledger: the expressions are made when one is opened.
var recalledFrom = sync.OnceValue(func() [recalledKinds]*regexp.Regexp {
	return [recalledKinds]*regexp.Regexp{
		ofAccounts: regexp.MustCompile(`(?i)\b(accounts|former_emails)\b`),
		ofGroups:   regexp.MustCompile(`(?i)\b(members|groups|group_sources|sources)\b`),
		ofPlaces:   regexp.MustCompile(`(?i)\b(place_settings|grants)\b`),
	}
})

var onlyReads = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*SELECT\b`) })

// stale tells which kinds of answers something may have changed.
type stale [recalledKinds]bool

// staleBy is what a statement may change. In doubt it does.
func staleBy(query string) (out stale) {
	for kind, tables := range recalledFrom() {
		out[kind] = tables.MatchString(query) && !onlyReads().MatchString(query)
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
	w := weight(key, v)
	if r.known == nil || r.at != changes || r.kept+w > mostRecalled {
		r.at, r.known, r.kept = changes, map[string]any{}, 0
	}
	if _, twice := r.known[key]; !twice && w <= mostRecalled {
		r.known[key] = v
		r.kept += w
	}
}
