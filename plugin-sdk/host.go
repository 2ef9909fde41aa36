package sdk

import (
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// watchHost ends the process soon after its host is gone, however the host
// ended. The returned function stops the watch and waits for it.
func watchHost(log *slog.Logger) (stop func()) {
	parent := os.Getppid()
	if host, err := strconv.Atoi(os.Getenv(wire.HostPIDEnv)); err == nil && parent == 1 && host != 1 {
		leave(log) // the host ended before this process could look
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if os.Getppid() != parent {
					leave(log)
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

func leave(log *slog.Logger) {
	log.Warn("the host is gone, the connector leaves")
	os.Exit(1)
}
