package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/control"
)

// takeOwn takes the folder's lock, waiting for a command that is just ending, or,
// with wait, for whoever holds it.
func (inv *invocation) takeOwn(ctx context.Context, dir string, wait bool, m manager) (*control.Lock, error) {
	var remind func()
	for deadline := time.Now().Add(cmp.Or(inv.patience, ownPatience)); ; {
		lock, err := control.Hold(dir)
		if !errors.Is(err, control.ErrHeld) {
			return lock, err
		}
		switch {
		case wait && remind == nil:
			remind = inv.waitToServe(m, dir)
			deadline = time.Time{}
		case !wait && time.Now().After(deadline):
			return nil, core.Wrap(core.KindLocked, err,
				"the data folder "+dir+" is held by another footnote process, perhaps another footnote serve; end that process, take over from it when it ends with footnote serve --wait, or choose another folder with --data-dir")
		case wait && time.Since(deadline) > time.Minute:
			deadline = time.Now()
			remind()
		}
		look := 50 * time.Millisecond
		if wait {
			look = 250 * time.Millisecond
		}
		if err := pause(ctx, look); err != nil {
			return nil, err
		}
	}
}

// waitToServe tells those who look that another process is served by, and why this
// one waits.
func (inv *invocation) waitToServe(m manager, dir string) func() {
	fmt.Fprintf(inv.streams.Err, "the data folder %s is held by another footnote process; this one takes over when that one ends\n", dir)
	m.tell("STATUS=waiting for the data folder " + dir)
	return func() { m.tell(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", (2 * time.Minute).Microseconds())) }
}
