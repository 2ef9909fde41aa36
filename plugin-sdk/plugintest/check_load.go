package plugintest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// cancelTimeout is how soon a cancelled call has to be over.
const cancelTimeout = 2 * time.Second

// syncCancel cannot see the end of a cancelled call: the client's side of it is
// over at once. It starts another one, which the SDK holds back until the first
// has returned, and measures when that brings something.
func syncCancel(ctx context.Context, s *suite) verdict {
	c, err := s.fresh(ctx)
	if err != nil {
		return failed("%v", err)
	}
	defer c.close()
	usual, err := c.firstEvent(ctx, 1)
	if err != nil {
		return failed("%v", err)
	}
	soon := cancelTimeout + 3*usual // a busy machine is no fault of the connector
	if took, err := c.firstEvent(ctx, s.first.events/2); err != nil {
		return failed("after a sync was cancelled: %v", err)
	} else if took > soon {
		return overdue("the next sync brought nothing for %v: return from Sync soon after its context is done", took.Round(time.Second))
	}
	took, err := c.firstEvent(ctx, 1)
	if err != nil {
		return failed("after a sync was cancelled half-way: %v", err)
	}
	if took > soon {
		return overdue("after a cancel half-way the next sync brought nothing for %v", took.Round(time.Second))
	}
	return pass()
}

// firstEvent tells how long a sync takes to bring something, and cancels it
// after some events.
func (c *session) firstEvent(ctx context.Context, cutAfter int) (time.Duration, error) {
	began, took, n := time.Now(), time.Duration(0), 0
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := c.sync(ctx, nil, func(*wire.SyncEvent) error {
		if n++; n == 1 {
			took = time.Since(began)
		}
		if n >= cutAfter {
			return errCut
		}
		return nil
	})
	if n == 0 {
		took = time.Since(began)
	}
	if ctx.Err() != nil {
		return took, nil
	}
	if err != nil && !errors.Is(err, errCut) {
		return took, errors.New(c.why(errors.New(told(err))))
	}
	return took, nil
}

const (
	warmUp     = 5
	rounds     = 20
	growthTime = 45 * time.Second // no further rounds are begun then
)

func syncGrowth(ctx context.Context, s *suite) verdict {
	c, err := s.fresh(ctx)
	if err != nil {
		return failed("%v", err)
	}
	defer c.close()
	var before, after []usage
	began, n := time.Now(), 0
	for ; n < warmUp+rounds && time.Since(began) < growthTime; n++ {
		if err := c.sync(ctx, nil, func(*wire.SyncEvent) error { return nil }); err != nil {
			return failed("sync %d: %s", n+1, c.why(errors.New(told(err))))
		}
		if u := c.usage(); n < warmUp {
			before = append(before, u)
		} else {
			after = append(after, u)
		}
	}
	if len(after) < warmUp {
		return skipped("a sync takes too long to be done 20 times: give the test a smaller system")
	}
	if before[0].memory < 0 {
		return skipped("memory cannot be measured here")
	}
	if text := growth(before, after[len(after)-warmUp:]); text != "" {
		return failed("over %d syncs: %s", n-warmUp, text)
	}
	return passed("%s after %d syncs", mebibytes(after[len(after)-1].memory), n)
}

const (
	slowPace  = 100 * time.Millisecond // for one document
	slowBound = 64 << 20               // bytes by which memory may grow
)

func syncSlow(ctx context.Context, s *suite) verdict {
	c, err := s.fresh(ctx)
	if err != nil {
		return failed("%v", err)
	}
	defer c.close()
	before := c.usage()
	if before.memory < 0 {
		return skipped("memory cannot be measured here")
	}
	most, began, n := before.memory, time.Now(), 0
	err = c.sync(ctx, nil, func(e *wire.SyncEvent) error {
		if e.GetDocument() == nil {
			return nil
		}
		n++
		select {
		case <-time.After(slowPace):
		case <-ctx.Done():
			return ctx.Err()
		}
		if n%5 == 1 {
			most = max(most, c.usage().memory)
		}
		if time.Since(began) > s.opts.SlowFor {
			return errCut
		}
		return nil
	})
	if err != nil && !errors.Is(err, errCut) {
		return failed("%s", c.why(errors.New(told(err))))
	}
	if grown := most - before.memory; grown > slowBound {
		return failed("memory grew by %s while %d documents were taken: send each one when it is read, do not collect them", mebibytes(grown), n)
	}
	if !errors.Is(err, errCut) {
		return passed("the %d documents of the test were over after %v", n, time.Since(began).Round(100*time.Millisecond))
	}
	return passed("%d documents", n)
}

// syncTouched changes the system in the middle of a sync, when most documents
// have come: one of those must come again. A connector that is far ahead of the
// host may be done by then, which cannot be told.
func syncTouched(ctx context.Context, s *suite) verdict {
	if s.subject.Touch == nil {
		return skipped("the test does not say how to touch a document")
	}
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	r, touched := newRecord(), false
	r.begin()
	err = c.sync(ctx, nil, func(e *wire.SyncEvent) error {
		if !touched && r.events >= s.first.events/2 {
			touched = true
			if err := s.subject.Touch(ctx); err != nil {
				return fmt.Errorf("touching failed: %w", err)
			}
		}
		return r.see(e)
	})
	if err != nil {
		return failed("%s", c.why(err))
	}
	if err := c.read(ctx, r); err != nil {
		return failed("the sync after it: %v", err)
	}
	whole := newRecord()
	if err := c.read(ctx, whole); err != nil {
		return failed("%v", err)
	}
	if difference(s.first.docs, whole.docs) == "" {
		return failed("the touch changed nothing that a sync shows: the test's Touch does nothing, or the connector keeps old content")
	}
	if diff := difference(whole.docs, r.docs); diff != "" {
		return failed("after that sync and the next one, against a new first sync: %s", diff)
	}
	return pass()
}
