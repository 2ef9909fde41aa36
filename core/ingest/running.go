package ingest

import (
	"sort"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Running is a sync in progress, as it stands now.
type Running struct {
	Source  string
	Reason  core.SyncReason
	Started time.Time
	core.SyncProgress
}

// Running lists the syncs in progress by source. Its numbers were counted: nothing
// in them is an estimate.
func (s *Syncer) Running() []Running {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Running
	for _, t := range s.running {
		if one, ok := t.now(); ok {
			out = append(out, one)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Source < out[j].Source })
	return out
}

// tracker counts what a run did, for those who watch.
type tracker struct {
	mu      sync.Mutex
	running Running
	settled int // of what was fetched
	begun   bool
}

func (t *tracker) begin(source string, reason core.SyncReason, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running, t.begun = Running{Source: source, Reason: reason, Started: at}, true
}

// fetched counts a document that arrived from the connector.
func (t *tracker) fetched() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running.Fetched++
}

// did takes over the run's counts, and how many more documents are decided on.
func (t *tracker) did(counts core.SyncCounts, settled int, checkpoint bool, now time.Time) core.SyncProgress {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running.SyncCounts = counts
	t.settled += settled
	if checkpoint {
		t.running.Checkpoint = now
	}
	return t.progress()
}

// progress is called with the lock.
func (t *tracker) progress() core.SyncProgress {
	p := t.running.SyncProgress
	p.Pending = max(0, p.Fetched-t.settled)
	return p
}

func (t *tracker) now() (Running, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.running
	out.SyncProgress = t.progress()
	return out, t.begun
}
