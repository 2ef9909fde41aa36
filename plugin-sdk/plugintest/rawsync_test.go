package plugintest_test

import (
	"encoding/json"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

type rawCursor struct {
	At      int    `json:"at"`
	Touched string `json:"touched"`
	Pad     string `json:"pad,omitempty"`
}

func (c *raw) Sync(req *wire.SyncRequest, stream wire.Connector_SyncServer) error {
	ctx := stream.Context()
	select {
	case c.syncing <- struct{}{}:
		defer func() { <-c.syncing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	at := rawCursor{Touched: c.mark("touched")}
	if len(req.GetCursor()) > 0 {
		var old rawCursor
		if err := json.Unmarshal(req.GetCursor(), &old); err != nil {
			return status.Error(codes.Unknown, err.Error())
		}
		if at.At = old.At; at.At >= c.count && old.Touched != at.Touched {
			if err := c.sendDocument(stream, touchedDocument); err != nil {
				return err
			}
		}
		if at.At < c.count {
			at.Touched = old.Touched
		}
	}
	if err := c.misbehave(); err != nil {
		return err
	}
	if c.mode == "failure" {
		failure := &wire.Failure{Detail: "could not read it"}
		if err := stream.Send(&wire.SyncEvent{Event: &wire.SyncEvent_Failure{Failure: failure}}); err != nil {
			return err
		}
	}
	if c.mode == "endless" {
		c.count = 1 << 30
	}
	for ; at.At < c.count; at.At++ {
		if c.mode == "panic-sync" && at.At == 9 {
			panic("no luck in the middle")
		}
		if c.mode == "hang" && at.At == 9 {
			select {} // whoever asked has given up by then, however late its own clock is
		}
		if c.mode == "deaf" && at.At == 1 && c.syncs == 1 {
			time.Sleep(15 * time.Second) // more than the kit allows a connector that began slowly
		}
		if err := c.sendDocument(stream, at.At); err != nil {
			return err
		}
		if at.At%7 == 6 {
			if err := c.checkpoint(stream, rawCursor{At: at.At + 1, Touched: at.Touched}); err != nil {
				return err
			}
		}
	}
	if c.mode == "late-cursor" {
		at.Touched = c.mark("touched")
	}
	return c.checkpoint(stream, at)
}

func (c *raw) sendDocument(stream wire.Connector_SyncServer, n int) error {
	d := c.document(n)
	if d == nil {
		return nil
	}
	return stream.Send(&wire.SyncEvent{Event: &wire.SyncEvent_Document{Document: d}})
}

// misbehave does what does not show in the documents.
func (c *raw) misbehave() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.syncs++
	switch c.mode {
	case "grow":
		c.leaked = append(c.leaked, filled(3<<20))
	case "threads":
		go func() { time.Sleep(time.Hour) }()
		f, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		c.leaked = append(c.leaked, []byte(f.Name()))
		held = append(held, f)
	case "hoard":
		c.leaked = [][]byte{filled(100 << 20)}
	}
	return nil
}

var held []*os.File

// filled is memory that is really there.
func filled(n int) []byte {
	out := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		out[i] = 1
	}
	return out
}

func (c *raw) checkpoint(stream wire.Connector_SyncServer, at rawCursor) error {
	switch {
	case c.mode == "no-checkpoint":
		return nil
	case c.mode == "end-only" && at.At < c.count, c.mode == "not-at-end" && at.At >= c.count:
		return nil
	case c.mode == "fat-cursor":
		at.Pad = strings.Repeat("x", 80<<10)
	case c.mode == "skips" && at.At < c.count:
		at.At++
	}
	data, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return stream.Send(&wire.SyncEvent{Event: &wire.SyncEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: data}}})
}
