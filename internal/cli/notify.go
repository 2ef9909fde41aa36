package cli

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"time"
)

// manager is the service manager that started this process, if it wants to be told
// how it is: systemd with Type=notify. The zero value tells nobody.
type manager struct {
	socket string
	every  time.Duration // how often it wants a sign of life; 0 is never
	log    *slog.Logger
}

// managerOf reads what the manager put into the environment.
func managerOf(lookup func(string) (string, bool), log *slog.Logger) manager {
	m := manager{log: log}
	m.socket, _ = lookup("NOTIFY_SOCKET")
	text, _ := lookup("WATCHDOG_USEC")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && m.socket != "" {
		m.every = time.Duration(n) * time.Microsecond / 2
	}
	return m
}

// tell sends one state, such as READY=1. What is wrong with that is the manager's
// trouble and not that of those who ask questions.
func (m manager) tell(state string) {
	if m.socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err == nil {
		_, err = conn.Write([]byte(state))
		conn.Close() //nolint:errcheck // nothing is buffered
	}
	if err != nil && m.log != nil {
		m.log.Debug("the service manager was not told", "error", err)
	}
}

// watchdog gives signs of life for as long as the process is alive in fact: alive
// has to succeed before each.
func (m manager) watchdog(ctx context.Context, alive func(context.Context) error) {
	if m.every <= 0 {
		return
	}
	tick := time.NewTicker(m.every)
	defer tick.Stop()
	for {
		limited, cancel := context.WithTimeout(ctx, m.every)
		err := alive(limited)
		cancel()
		if err == nil {
			m.tell("WATCHDOG=1")
		} else if ctx.Err() == nil {
			m.log.Warn("no sign of life for the service manager", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
