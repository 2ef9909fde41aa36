package schedule

import (
	"cmp"
	"slices"
	"time"
)

// Decision is what to do now.
type Decision struct {
	Start []Task
	Pause []Run     // to be stopped at their next checkpoint
	Wake  time.Time // when the first of the other tasks becomes due; zero if none does
}

// Next decides what to start and what has to make room, given all tasks and what
// runs. One run of a source at a time; of the heavy ones, only some of all and one
// of each connector. What is due longest goes first.
func Next(tasks []Task, running []Run, limits Limits, now time.Time) Decision {
	n := newRoom(running, limits)
	var out Decision
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b Task) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Source, b.Source))
	})
	for _, t := range tasks {
		if n.runs(t) {
			continue
		}
		if t.Due.After(now) {
			if out.Wake.IsZero() {
				out.Wake = t.Due
			}
			continue
		}
		places, free := n.inTheWay(t)
		if free {
			out.Start = append(out.Start, t)
			n.add(t)
			continue
		}
		if r, ok := n.yield(places); ok {
			out.Pause = append(out.Pause, r)
		}
	}
	return out
}

// room is what there is to run in.
type room struct {
	limits  Limits
	running []*place
}

// place is what a run takes up.
type place struct {
	Run
	promised bool // to a task that waits for it
}

func newRoom(running []Run, limits Limits) *room {
	n := &room{limits: limits}
	for _, r := range running {
		n.running = append(n.running, &place{Run: r})
	}
	return n
}

func (n *room) add(t Task) { n.running = append(n.running, &place{Run: Run{Task: t}}) }

func (n *room) which(match func(*place) bool) []*place {
	var out []*place
	for _, p := range n.running {
		if match(p) {
			out = append(out, p)
		}
	}
	return out
}

func (n *room) runs(t Task) bool {
	return len(n.which(func(p *place) bool { return p.Source == t.Source && p.Kind == t.Kind })) > 0
}

// inTheWay lists the runs of which one has to end before the task can start; free
// if it can start at once.
func (n *room) inTheWay(t Task) (places []*place, free bool) {
	if same := n.which(func(p *place) bool { return p.Source == t.Source }); len(same) > 0 {
		return same, false
	}
	if len(n.running) >= n.limits.Workers {
		return n.running, false
	}
	if !t.Heavy {
		return nil, true
	}
	if same := n.which(func(p *place) bool { return p.Heavy && p.Connector == t.Connector }); len(same) > 0 {
		return same, false
	}
	heavy := n.which(func(p *place) bool { return p.Heavy })
	return heavy, len(heavy) < n.limits.Heavy
}

// yield picks the run that has gone on longest past its slice. One that makes room
// already makes it for one task.
func (n *room) yield(places []*place) (Run, bool) {
	var best *place
	for _, p := range places {
		switch {
		case p.Pausing && !p.promised:
			p.promised = true
			return Run{}, false
		case !p.Pausing && p.For >= n.limits.Slice && (best == nil || p.For > best.For):
			best = p
		}
	}
	if best == nil {
		return Run{}, false
	}
	best.Pausing, best.promised = true, true
	return best.Run, true
}

// unwanted are runs of sources that are no longer planned at all.
func unwanted(running []Run, plans map[string]Plan) []Run {
	return slices.DeleteFunc(running, func(run Run) bool {
		_, planned := plans[run.Source]
		return planned
	})
}
