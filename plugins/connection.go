package plugins

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"time"

	"google.golang.org/grpc"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Connection is one source's running connector. Its methods may be called from
// several goroutines. Every error is a core.Error of the kind that says what
// can be done; a dead process is of kind unavailable.
type Connection struct {
	host    *Host
	src     core.Source
	log     *slog.Logger
	process *process
	about   Description
}

// About returns what the connector said of itself.
func (c *Connection) About() Description { return c.about }

// Done is closed when the connector's process has ended.
func (c *Connection) Done() <-chan struct{} { return c.process.Done() }

// Close stops the connector and waits for it: afterwards no process is left. It
// takes 3 seconds at most and may be called more than once.
func (c *Connection) Close() error {
	c.process.stop()
	return nil
}

// Check asks the connector whether its configuration works. Warnings are
// sentences for the owner.
func (c *Connection) Check(ctx context.Context) (warnings []string, err error) {
	if !c.can(wire.FeatureCheck) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.CallTimeout)
	defer cancel()
	reply, err := c.process.client.Check(ctx, &wire.CheckRequest{})
	if err != nil {
		return nil, c.explain(ctx, "checking", err)
	}
	return reply.GetWarnings(), nil
}

// CanList tells whether List works with this connector.
func (c *Connection) CanList() bool { return c.can(wire.FeatureList) }

func (c *Connection) can(feature string) bool { return slices.Contains(c.about.Features, feature) }

// Sync hands every change since the cursor to each, one at a time; the
// connector waits while each is busy. An error of each ends the sync and is
// returned as it is. The cursor counts for a poll only.
func (c *Connection) Sync(ctx context.Context, since core.Cursor, reason core.SyncReason, each func(core.Change) error) error {
	req := &wire.SyncRequest{Reason: reasons[reason]}
	if reason == core.SyncPoll {
		req.Cursor = since
	}
	ctx, watch := c.watchIdle(ctx)
	defer watch.end()
	stream, err := c.process.client.Sync(ctx, req)
	if err != nil {
		return c.explain(ctx, "syncing", err)
	}
	tally := newTally()
	for {
		event, err := receive(watch, stream)
		if errors.Is(err, io.EOF) {
			return sendNotes(tally.notes(), each)
		}
		if err != nil {
			return c.explain(ctx, "syncing", err)
		}
		change, err := toChange(c.src.Name, event)
		if err != nil {
			return err
		}
		if change == nil {
			tally.unknown++
			continue
		}
		tally.see(change)
		if err := each(c.scrubbed(change)); err != nil {
			return err
		}
	}
}

var reasons = map[core.SyncReason]wire.SyncReason{
	core.SyncFirst:   wire.SyncReason_SYNC_REASON_FIRST,
	core.SyncPoll:    wire.SyncReason_SYNC_REASON_POLL,
	core.SyncRebuild: wire.SyncReason_SYNC_REASON_REBUILD,
}

func sendNotes(notes []string, each func(core.Change) error) error {
	for _, text := range notes {
		if err := each(core.Note{Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// scrubbed takes the source's secrets out of what people will read.
func (c *Connection) scrubbed(change core.Change) core.Change {
	switch ch := change.(type) {
	case core.Failure:
		ch.Detail = c.process.stderr.clean(ch.Detail)
		return ch
	case core.Note:
		ch.Text = c.process.stderr.clean(ch.Text)
		return ch
	case core.Upsert:
		if ch.Failed != nil {
			ch.Failed.Detail = c.process.stderr.clean(ch.Failed.Detail)
		}
	}
	return change
}

// List hands the id and revision of every document that still exists to each.
// Only nil means that the list was complete.
func (c *Connection) List(ctx context.Context, each func(externalID, revision string) error) error {
	ctx, watch := c.watchIdle(ctx)
	defer watch.end()
	stream, err := c.process.client.List(ctx, &wire.ListRequest{})
	if err != nil {
		return c.explain(ctx, "listing", err)
	}
	var count, promised int64 = 0, -1
	for {
		event, err := receive(watch, stream)
		if errors.Is(err, io.EOF) {
			return c.complete(count, promised)
		}
		if err != nil {
			return c.explain(ctx, "listing", err)
		}
		if done := event.GetComplete(); done != nil {
			promised = done.GetCount()
		}
		for _, item := range event.GetBatch().GetItems() {
			count++
			if err := each(item.GetId(), item.GetRevision()); err != nil {
				return err
			}
		}
	}
}

func (c *Connection) complete(count, promised int64) error {
	switch {
	case promised < 0:
		return core.Errorf(core.KindUnavailable,
			"source %q: the list of documents broke off after %d; nothing is deleted because of it", c.src.Name, count)
	case promised != count:
		return core.Errorf(core.KindUnavailable,
			"source %q: the list of documents had %d entries where %d were announced; nothing is deleted because of it",
			c.src.Name, count, promised)
	}
	return nil
}

// idleWatch cancels a stream that brings nothing for too long. The time that
// the host itself takes does not count.
type idleWatch struct {
	limit time.Duration
	timer *time.Timer
	end   func()
}

func (c *Connection) watchIdle(ctx context.Context) (context.Context, *idleWatch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &idleWatch{limit: c.host.opts.IdleTimeout}
	w.timer = time.AfterFunc(w.limit, func() { cancel(errIdle) })
	w.end = func() { w.timer.Stop(); cancel(nil) }
	return ctx, w
}

// receive waits for the next event under the watch.
func receive[E any](w *idleWatch, stream grpc.ServerStreamingClient[E]) (*E, error) {
	w.timer.Reset(w.limit)
	defer w.timer.Stop()
	return stream.Recv()
}
