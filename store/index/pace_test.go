package index

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace holds who may work when, on a clock of the test's own.
func TestPace(t *testing.T) {
	rows := []struct {
		name       string
		processors int
		asking     int
		since      time.Duration // since the last search ended; 0 means that none did
		workers    int
		want       int // of them at work at once
	}{
		{"nobody ever asked", 2, 0, 0, 5, 5},
		{"nobody asks any more", 2, 0, calm + time.Second, 5, 5},
		{"somebody asked a moment ago", 2, 0, time.Second, 5, 1},
		{"somebody asks", 2, 1, 0, 5, 0},
		{"many processors", 8, 1, 0, 5, 5},
		{"many processors, more ask", 8, 3, 0, 5, 2},
		{"as many ask as there are processors", 2, 2, 0, 1, 0},
		{"one processor", 1, 0, time.Second, 3, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pace{processors: row.processors}
				if row.since > 0 {
					p.ask()()
					time.Sleep(row.since)
				}
				for range row.asking {
					defer p.ask()()
				}
				var working atomic.Int32
				var all sync.WaitGroup
				end := make(chan struct{})
				for range row.workers {
					all.Go(func() {
						turn := p.begin()
						defer turn.end()
						working.Add(1)
						<-end
					})
				}
				synctest.Wait() // no time passes before this
				if got := int(working.Load()); got != row.want {
					t.Errorf("%d work, want %d", got, row.want)
				}
				if want := row.asking > 0 || row.since > 0 && row.since <= calm; p.searched() != want {
					t.Errorf("searched: %v", !want)
				}
				time.Sleep(firstWait)
				synctest.Wait()
				if got := int(working.Load()); got != max(1, row.want) {
					t.Errorf("%d work after the first wait, want %d", got, max(1, row.want))
				}
				time.Sleep(2 * lastWait)
				synctest.Wait()
				if got := int(working.Load()); got != row.workers {
					t.Errorf("%d of %d work after the last wait", got, row.workers)
				}
				close(end)
				all.Wait()
				if p.working != 0 || len(p.queue) != 0 {
					t.Errorf("%d at work and %d waiting in the end", p.working, len(p.queue))
				}
			})
		})
	}
}

// A piece of work goes on as soon as the search has ended, and before that after it
// waited long enough.
func TestPaceStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pace{processors: 4}
		turn := p.begin()
		waited := func(worked time.Duration) time.Duration {
			time.Sleep(worked)
			start := time.Now()
			turn.step()
			return time.Since(start)
		}
		if d := waited(time.Hour); d != 0 {
			t.Errorf("waited %v for nobody", d)
		}
		first := p.ask()
		if d := waited(time.Second); d != 0 {
			t.Errorf("waited %v although a processor is free", d)
		}
		second := p.ask()
		if d := waited(time.Second); d != maxWait {
			t.Errorf("waited %v, want %v", d, maxWait)
		}
		if d := waited(time.Millisecond); d != waitShare*time.Millisecond {
			t.Errorf("waited %v after a millisecond of work", d)
		}
		time.AfterFunc(time.Second+20*time.Millisecond, second)
		if d := waited(time.Second); d != 20*time.Millisecond {
			t.Errorf("waited %v for a search that ended after 20 ms", d)
		}
		first()
		turn.end()
	})
}

// Two pieces of work that share a processor take turns.
func TestPaceFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pace{processors: 3}
		defer p.ask()()
		var steps [2]int
		var all sync.WaitGroup
		for i := range steps {
			all.Go(func() {
				turn := p.begin()
				defer turn.end()
				for start := time.Now(); time.Since(start) < time.Second; steps[i]++ {
					time.Sleep(time.Millisecond)
					turn.step()
				}
			})
		}
		all.Wait()
		if steps[0] < 300 || steps[1] < 300 {
			t.Errorf("steps %v", steps)
		}
	})
}
