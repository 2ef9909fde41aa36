// Package schedule decides when which source is read, and runs that. What to start
// and when to try again are pure functions over plain data; Runner is their edge.
//
// Every source has up to three jobs, each with a cadence of its own: reading what
// changed, listing what there is, and reading who may read what. What is due longest
// goes first. A run that has had its slice of time makes room at its next checkpoint
// for whatever waits for its place, so that no source, however large, holds up the
// others.
package schedule

import (
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Plan is how often what is done with a source; 0 is never by itself.
type Plan struct {
	Source, Connector  string
	Sync, List, Access time.Duration
}

func (p Plan) every(kind core.JobKind) time.Duration {
	switch kind {
	case core.JobSync:
		return p.Sync
	case core.JobList:
		return p.List
	case core.JobAccess:
		return p.Access
	}
	return 0
}

// Task is a job that can be started.
type Task struct {
	Source, Connector string
	Kind              core.JobKind
	Due               time.Time
	Heavy             bool // takes long, and asks much of the source
}

// Run is a task in progress.
type Run struct {
	Task
	For     time.Duration // how long it has been running
	Pausing bool          // was asked to stop at its next checkpoint
}

// Limits bound what runs at the same time.
type Limits struct {
	Workers int           // runs of all kinds
	Heavy   int           // heavy ones among them
	Slice   time.Duration // after that a run makes room where others wait
}

// Timings of every schedule.
const (
	Shortest = time.Minute      // between the beginnings of two runs of a job
	Slice    = 10 * time.Minute // what a run may take while others wait
	LeaseFor = 2 * time.Minute  // how long a run that gives no sign of life is believed in
	Look     = 10 * time.Second // notices sources and clocks that changed
)
