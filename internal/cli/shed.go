package cli

import (
	"context"
	"os"
	"runtime/debug"
	"time"
)

const (
	// startSettles is how long after it listens a start has left behind what only it
	// needed.
	startSettles = time.Second
	// spareHeap is how much the heap may grow over what is in use, in percent, before
	// what is not is collected. Most of it are facts of documents, which stay: the
	// runtime's 100 would hold the same room again for nothing.
	spareHeap = 50
)

// shed keeps the memory of a long-running process small, until ctx ends: less spare
// heap, unless GOGC says how much, and once what only the start needed is given back.
func (a *app) shed(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(spareHeap))
	}
	if pause(ctx, startSettles) != nil {
		return
	}
	debug.FreeOSMemory()
	if err := giveBackProgram(); err != nil {
		a.log.Debug("pages of the program are not given back", "error", err)
	}
	<-ctx.Done()
}
