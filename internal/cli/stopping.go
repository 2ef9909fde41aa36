package cli

import (
	"context"
	"fmt"
	"time"
)

// stop ends what footnote serve does, once ctx has ended: no more questions are
// taken, running answers may end by themselves and syncs stop at a checkpoint, both
// within the limit; then what is left is cut, which leaves every question an end that
// can be seen. A second Ctrl-C cuts at once.
func (inv *invocation) stop(ctx context.Context, a *app, m manager, limit time.Duration, synced <-chan struct{}, cut func()) error {
	m.tell(fmt.Sprintf("STOPPING=1\nEXTEND_TIMEOUT_USEC=%d", (limit + 2*shutdownPatience).Microseconds()))
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	defer inv.streams.Interrupts.Catch(cancel)()
	if n := a.desk.Open(); n > 0 {
		fmt.Fprintf(inv.streams.Err, "stopping; %s may end within %s\n", counted(n, "answer"), limit)
	}
	ended := a.desk.Drain(limited)
	select {
	case <-synced:
	case <-limited.Done():
		ended = false
	}
	if !ended {
		a.log.WarnContext(ctx, "some answers or syncs did not end in time and were cut", "limit", limit)
	}
	cut()
	closing, cancelClosing := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatience)
	defer cancelClosing()
	return a.desk.Close(closing)
}
