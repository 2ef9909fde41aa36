package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	dialPatience  = 2 * time.Second
	helloPatience = 10 * time.Second
	// stopPatience is how long a stopped command may take to wind down.
	stopPatience = 15 * time.Second
)

// Call sends a command to the process that holds the folder and passes its
// streams through. It returns the command's exit code, ErrNobody if there is no
// such process, or another error if it does not answer or goes away.
// Interrupts are passed on; cancelling the context ends the command, which may
// still write for a while.
func Call(ctx context.Context, dir string, req Request, streams Streams) (int, error) {
	conn, err := net.DialTimeout("unix", address(dir), dialPatience)
	if err != nil {
		return 0, ErrNobody
	}
	defer conn.Close()
	c := &call{conn: conn, in: json.NewDecoder(conn), out: &sender{to: json.NewEncoder(conn)}, streams: streams}
	if err := c.hello(); err != nil {
		return 0, err
	}
	release, err := c.request(req)
	defer release()
	if err != nil {
		return 0, ErrNobody
	}
	defer context.AfterFunc(ctx, c.quit)()
	return c.follow()
}

type call struct {
	conn    net.Conn
	in      *json.Decoder
	out     *sender
	streams Streams
	reading sync.Once
	want    chan struct{}
}

// hello waits for a sign of life. A holder that is just closing shuts the
// connection without one: that counts as nobody, so the caller tries again.
func (c *call) hello() error {
	if err := c.conn.SetReadDeadline(time.Now().Add(helloPatience)); err != nil {
		return ErrNobody
	}
	var f frame
	err := c.in.Decode(&f)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		return fmt.Errorf("%w: it did not answer within %s", ErrHeld, helloPatience)
	}
	if err != nil || !f.Hello {
		return ErrNobody
	}
	return c.conn.SetReadDeadline(time.Time{})
}

// request sends the command. Interrupts are caught from before it is sent, so
// that none is lost, and follow it on the wire.
func (c *call) request(req Request) (release func(), err error) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	release = c.streams.Interrupts.Catch(func() { c.out.send(frame{Stop: true}) }) //nolint:errcheck // a lost peer shows in follow
	return release, c.out.to.Encode(req)
}

func (c *call) quit() {
	c.out.send(frame{Quit: true})                        //nolint:errcheck // a lost peer shows in follow
	c.conn.SetReadDeadline(time.Now().Add(stopPatience)) //nolint:errcheck
}

func (c *call) follow() (int, error) {
	for {
		var f frame
		if err := c.in.Decode(&f); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrLost, err)
		}
		if err := c.take(f); err != nil {
			return 0, err
		}
		if f.Exit != nil {
			return *f.Exit, nil
		}
	}
}

func (c *call) take(f frame) error {
	if len(f.Out) > 0 {
		if _, err := c.streams.Out.Write(f.Out); err != nil {
			return err
		}
	}
	if len(f.Err) > 0 {
		if _, err := c.streams.Err.Write(f.Err); err != nil {
			return err
		}
	}
	if f.Want {
		c.supply()
	}
	return nil
}

// supply reads one more piece of input. The reading goroutine cannot be waited
// for, because a read from a terminal cannot be interrupted; it holds nothing
// but the connection and ends with the process.
func (c *call) supply() {
	c.reading.Do(func() {
		c.want = make(chan struct{}, 1)
		go c.pump()
	})
	select {
	case c.want <- struct{}{}:
	default:
	}
}

func (c *call) pump() {
	buffer := make([]byte, 4096)
	for range c.want {
		n, err := c.streams.In.Read(buffer)
		if n > 0 && c.out.send(frame{In: buffer[:n]}) != nil {
			return
		}
		if err == io.EOF || (err != nil && n == 0) {
			c.out.send(frame{EOF: true}) //nolint:errcheck // a lost peer shows in follow
			return
		}
	}
}
