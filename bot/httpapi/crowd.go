package httpapi

import (
	"log/slog"
	"net"
	"sync"
	"time"
)

// crowd is a listener that closes connections at once while too many are open:
// a client that opens them without end takes neither the memory of the process
// nor the files that the ledger needs, and other addresses still get in.
type crowd struct {
	net.Listener
	most, each int
	log        *slog.Logger

	mu   sync.Mutex
	open int
	from map[string]int // by address, for those that are not our own machine's
	told time.Time
}

func newCrowd(l net.Listener, most int, log *slog.Logger) *crowd {
	return &crowd{Listener: l, most: most, each: max(1, most/4), log: log, from: map[string]int{}}
}

// Accept returns the next connection that there is room for.
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := remote(conn)
		if c.enter(address) {
			return &counted{Conn: conn, leave: func() { c.leave(address) }}, nil
		}
		_ = conn.Close() // nothing was said on it
	}
}

// remote is the address that a connection counts for; "" for our own machine's,
// where a proxy may speak for everybody.
func remote(conn net.Conn) string {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return ""
	}
	if tcp.IP.To4() == nil { // who has one IPv6 address has all of its /64
		return tcp.IP.Mask(net.CIDRMask(64, 128)).String()
	}
	return tcp.IP.String()
}

func (c *crowd) enter(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open >= c.most || address != "" && c.from[address] >= c.each {
		if now := time.Now(); now.Sub(c.told) > time.Minute {
			c.told = now
			c.log.Warn("too many HTTP connections, new ones are closed", "open", c.open, "most", c.most, "most_of_one_address", c.each)
		}
		return false
	}
	c.open++
	if address != "" {
		c.from[address]++
	}
	return true
}

func (c *crowd) leave(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if address == "" {
		return
	}
	if c.from[address]--; c.from[address] <= 0 {
		delete(c.from, address)
	}
}

// counted tells once that it was closed.
type counted struct {
	net.Conn
	once  sync.Once
	leave func()
}

// Close closes the connection.
func (c *counted) Close() error {
	c.once.Do(c.leave)
	return c.Conn.Close()
}
