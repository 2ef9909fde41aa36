package bot

import "context"

// Drain takes no more questions and waits until the turns that run or wait have
// ended by themselves, or ctx ends. It stops none: that is what Close is for, which
// has to follow. It tells whether all have ended.
func (d *Desk) Drain(ctx context.Context) (all bool) {
	d.shut()
	select {
	case <-d.ended():
		return true
	case <-ctx.Done():
		return false
	}
}

// shut refuses questions from now on.
func (d *Desk) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.closed = true
		close(d.quit)
	}
}

// ended is closed once no turn is left.
func (d *Desk) ended() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		d.work.Wait()
		close(done)
	}()
	return done
}

// Open is how many turns run or wait.
func (d *Desk) Open() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}
