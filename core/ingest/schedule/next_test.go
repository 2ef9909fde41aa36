package schedule

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// due is a light sync that has been due for so long; a source's name begins with
// its connector's.
func due(source string, since time.Duration) Task {
	connector, _, _ := strings.Cut(source, "-")
	return Task{Source: source, Connector: connector, Kind: core.JobSync, Due: noon.Add(-since)}
}

func heavy(t Task) Task {
	t.Heavy = true
	return t
}

func kind(t Task, k core.JobKind) Task {
	t.Kind = k
	return t
}

func running(t Task, since time.Duration) Run { return Run{Task: t, For: since} }

func pausing(r Run) Run {
	r.Pausing = true
	return r
}

func TestNext(t *testing.T) {
	limits := Limits{Workers: 3, Heavy: 2, Slice: Slice}
	for _, tt := range []struct {
		name    string
		tasks   []Task
		running []Run
		start   []string
		pause   []string
		wake    time.Duration // from noon; 0 for none
	}{
		{name: "nothing to do"},
		{name: "oldest due first", tasks: []Task{due("a", 1), due("b", 3), due("c", 2), due("d", 4)}, start: []string{"d", "b", "c"}},
		{name: "what was never read is first", tasks: []Task{due("a", time.Hour), {Source: "z", Connector: "z", Kind: core.JobSync}}, start: []string{"z", "a"}},
		{name: "equals by name", tasks: []Task{due("b", 1), due("a", 1)}, start: []string{"a", "b"}},
		{name: "not before it is due", tasks: []Task{due("a", -2*time.Minute), due("b", -time.Minute)}, wake: time.Minute},
		{name: "due at this moment", tasks: []Task{due("a", 0)}, start: []string{"a"}},
		{name: "what runs is not started again", tasks: []Task{due("a", time.Hour)}, running: []Run{running(due("a", 1), 1)}},
		{
			name: "one run of a source", tasks: []Task{kind(due("a", 1), core.JobAccess)},
			running: []Run{running(due("a", 1), time.Minute)},
		},
		{
			name: "a long sync lets its source's access through", tasks: []Task{kind(due("a", 1), core.JobAccess)},
			running: []Run{running(due("a", 1), Slice)}, pause: []string{"a"},
		},
		{
			name: "two jobs of a source are not started together", tasks: []Task{kind(due("a", 2), core.JobAccess), kind(due("a", 1), core.JobList)},
			start: []string{"a"},
		},
		{
			name: "heavy ones leave a place", tasks: []Task{heavy(due("w-1", 4)), heavy(due("x-1", 3)), heavy(due("y-1", 2)), due("small", 1)},
			start: []string{"w-1", "x-1", "small"},
		},
		{
			name: "one heavy of a connector", tasks: []Task{heavy(due("wiki-1", 3)), heavy(due("wiki-2", 2)), due("wiki-3", 1)},
			start: []string{"wiki-1", "wiki-3"},
		},
		{
			name: "a huge first sync beside small ones", tasks: []Task{due("s1", 2), due("s2", 1)},
			running: []Run{running(heavy(due("huge", 1)), 3*time.Hour)}, start: []string{"s1", "s2"},
		},
		{
			name: "no room within the slice", tasks: []Task{due("d", 1)},
			running: []Run{running(due("a", 1), 1), running(due("b", 1), Slice-1), running(due("c", 1), 2)},
		},
		{
			name: "the longest past its slice makes room", tasks: []Task{due("d", 1)},
			running: []Run{running(due("a", 1), Slice), running(due("b", 1), 2*Slice), running(due("c", 1), 1)}, pause: []string{"b"},
		},
		{
			name: "one for each that waits", tasks: []Task{due("d", 1), due("e", 1)},
			running: []Run{running(due("a", 1), Slice), running(due("b", 1), 2*Slice), running(due("c", 1), 1)}, pause: []string{"b", "a"},
		},
		{
			name: "room that is being made is enough", tasks: []Task{due("d", 1)},
			running: []Run{running(due("a", 1), Slice), pausing(running(due("b", 1), 2*Slice)), running(due("c", 1), 1)},
		},
		{
			name: "and counts once", tasks: []Task{due("d", 1), due("e", 1)},
			running: []Run{running(due("a", 1), Slice), pausing(running(due("b", 1), 2*Slice)), running(due("c", 1), 1)}, pause: []string{"a"},
		},
		{
			name: "two huge ones of a connector take turns", tasks: []Task{heavy(due("wiki-2", 1))},
			running: []Run{running(heavy(due("wiki-1", 1)), Slice)}, pause: []string{"wiki-1"},
		},
		{
			name: "heavy ones of other connectors take turns too", tasks: []Task{heavy(due("z-1", 1))},
			running: []Run{running(heavy(due("x-1", 1)), Slice), running(heavy(due("y-1", 1)), 3*Slice)}, pause: []string{"y-1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Next(tt.tasks, tt.running, limits, noon)
			var start, pause []string
			for _, s := range d.Start {
				start = append(start, s.Source)
			}
			for _, p := range d.Pause {
				pause = append(pause, p.Source)
			}
			if !slices.Equal(start, tt.start) || !slices.Equal(pause, tt.pause) {
				t.Errorf("start %v, want %v; pause %v, want %v", start, tt.start, pause, tt.pause)
			}
			var wake time.Duration
			if !d.Wake.IsZero() {
				wake = d.Wake.Sub(noon)
			}
			if wake != tt.wake {
				t.Errorf("wake after %s, want %s", wake, tt.wake)
			}
		})
	}
}
