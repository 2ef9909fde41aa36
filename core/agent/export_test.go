package agent

// Wait waits for what goes on after the turns, without stopping it.
func (o *owner) Wait() { o.group.Wait() }
