package sdk

import (
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// watchHost ends the process soon after its host is gone, however the host
// ended. The returned function stops the watch and waits for it.
func watchHost(log *slog.Logger) (stop func()) {
	parent := os.Getppid()
	// A log line to a host that is gone must not end this process before it has
	// cleaned up.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
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
	return func() { signal.Stop(broken); close(done); wg.Wait() }
}

func leave(log *slog.Logger) {
	removeSocket(os.Getenv(plugin.EnvUnixSocketDir))
	log.Warn("the host is gone, the connector leaves")
	os.Exit(1)
}

// removeSocket does what the host would have done: it removes the folder of this
// process's socket and the private one that the host made around it. Anything
// that is not as expected is left alone.
func removeSocket(dir string) {
	around := filepath.Dir(dir)
	if !strings.HasPrefix(filepath.Base(around), wire.SocketFolder) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type()&os.ModeSocket != 0 {
			os.Remove(filepath.Join(dir, e.Name())) // if it stays, so does the folder
		}
	}
	os.Remove(dir) // only where nothing else is in it
	os.Remove(around)
}
