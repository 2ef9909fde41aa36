package plugintest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func absolute(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "file":
		return strings.HasPrefix(u.Path, "/")
	}
	return false
}

func syncFirst(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	r := newRecord()
	if err := c.read(ctx, r); err != nil {
		return failed("%v", err)
	}
	if len(r.docs) == 0 {
		return failed("it brought no document%s: the test needs a system with some", andFailures(r))
	}
	s.first = r
	return passed("%d documents%s", len(r.docs), andFailures(r))
}

func andFailures(r *record) string {
	if len(r.failures) == 0 {
		return ""
	}
	f := r.failures[0]
	return fmt.Sprintf(" and %d failures, the first of %q: %s", len(r.failures), clip(f.GetId(), 80), clip(f.GetDetail(), 200))
}

func problemOf(kind string) func(context.Context, *suite) verdict {
	return func(_ context.Context, s *suite) verdict { return verdictOf(s.first.problems[kind]) }
}

func syncIDs(ctx context.Context, s *suite) verdict {
	if s.first.repeated != "" {
		return failed("%s", s.first.repeated)
	}
	c, err := s.fresh(ctx)
	if err != nil {
		return failed("%v", err)
	}
	defer c.close()
	again := newRecord()
	if err := c.read(ctx, again); err != nil {
		return failed("%v", err)
	}
	if diff := difference(s.first.docs, again.docs); diff != "" {
		return failed("a first sync in another process differs: %s", diff)
	}
	return pass()
}

func syncPoll(ctx context.Context, s *suite) verdict {
	if len(s.first.cursor) == 0 {
		return skipped("there is no cursor")
	}
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	next := crashed(s.first.docs, s.first.cursor)
	if err := c.read(ctx, next); err != nil {
		return failed("%v", err)
	}
	if diff := difference(s.first.docs, next.docs); diff != "" {
		return failed("%s", diff)
	}
	if next.sent > 0 {
		return passed("%d of %d documents came again as they were", next.sent, len(s.first.docs))
	}
	return pass()
}

// errCut ends a stream on purpose.
var errCut = errors.New("cut")

const (
	mostCuts    = 10 // places at which a sync is cut
	mostRestart = 2  // of them with a new process, as after a crash
	cutsTime    = 20 * time.Second
)

func syncResume(ctx context.Context, s *suite) verdict {
	places := cuts(s.first.events, s.first.marks)
	if len(places) == 0 {
		return skipped("a sync brings too little to be cut")
	}
	dir, err := freshDir(s.dir)
	if err != nil {
		return failed("%v", err)
	}
	var c *session
	defer func() { c.close() }()
	began, done := time.Now(), 0
	for _, k := range places {
		if c == nil {
			if c, err = s.openIn(ctx, dir, s.config); err != nil {
				return failed("%v", err)
			}
		}
		left, err := c.cut(ctx, k)
		if err != nil {
			return failed("cut after %d events: %v", k, err)
		}
		if done < mostRestart {
			c.close()
			if c, err = s.openIn(ctx, dir, s.config); err != nil {
				return failed("%v", err)
			}
		}
		if err := c.read(ctx, left); err != nil {
			return failed("resumed after %d events: %v", k, err)
		}
		if diff := difference(s.first.docs, left.docs); diff != "" {
			return failed("cut after %d of %d events and resumed from the last checkpoint: %s", k, s.first.events, diff)
		}
		if done++; time.Since(began) > cutsTime {
			break
		}
	}
	return passed("cut at %d places, %d of them with a new process", done, min(done, mostRestart))
}

// cut stops a first sync after some events and returns what a host that crashed
// then still has.
func (c *session) cut(ctx context.Context, after int) (*record, error) {
	r := newRecord()
	r.begin()
	safe := map[string]*known{}
	err := c.sync(ctx, nil, func(e *wire.SyncEvent) error {
		if err := r.see(e); err != nil {
			return err
		}
		if e.GetCheckpoint() != nil {
			safe = maps.Clone(r.docs)
		}
		if r.events >= after {
			return errCut
		}
		return nil
	})
	if err != nil && !errors.Is(err, errCut) {
		return nil, errors.New(c.why(err))
	}
	return crashed(safe, r.cursor), nil
}

// cuts chooses where to cut a sync of so many events: next to checkpoints first,
// then spread evenly.
func cuts(events int, marks []int) []int {
	var out []int
	add := func(k int) {
		if k >= 1 && k < events && len(out) < mostCuts && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	for i, m := range marks {
		if i < mostCuts/4 || i == len(marks)-1 {
			add(m)
			add(m + 1)
		}
	}
	for i := 1; i < mostCuts; i++ {
		add(i * events / mostCuts)
	}
	return out
}
