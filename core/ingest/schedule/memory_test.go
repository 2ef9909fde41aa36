package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// memory is a ledger that forgets; the store's own tests hold the store to the same.
type memory struct {
	mu   sync.Mutex
	jobs map[string]core.Job
}

func (m *memory) Jobs(context.Context) ([]core.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []core.Job
	for _, j := range m.jobs {
		out = append(out, j)
	}
	return out, nil
}

func (m *memory) TakeJob(_ context.Context, source string, kind core.JobKind, owner string, now, until time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.jobs[key(source, kind)]
	if leased(j, owner, now) {
		return false, nil
	}
	j.Source, j.Kind, j.Owner, j.LeaseUntil, j.Started, j.Ended = source, kind, owner, until, now, time.Time{}
	m.jobs[key(source, kind)] = j
	return true, nil
}

func (m *memory) RenewJob(_ context.Context, source string, kind core.JobKind, owner string, until time.Time, p core.SyncProgress) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.jobs[key(source, kind)]
	if j.Owner != owner {
		return false, nil
	}
	j.LeaseUntil, j.Progress = until, p
	m.jobs[key(source, kind)] = j
	return true, nil
}

func (m *memory) EndJob(_ context.Context, j core.Job) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if owner := m.jobs[key(j.Source, j.Kind)].Owner; owner != "" && owner != j.Owner {
		return nil
	}
	j.Owner, j.LeaseUntil = "", time.Time{}
	m.jobs[key(j.Source, j.Kind)] = j
	return nil
}
