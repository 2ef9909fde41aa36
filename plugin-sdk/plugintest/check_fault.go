package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// faulty is a connector that talks to a scripted system with a fault.
type faulty struct {
	*session
	server *server
}

func (f faulty) close() {
	f.session.close()
	f.server.stop()
}

// face starts a connector against the scripted system.
func (s *suite) face(ctx context.Context, how fault) (faulty, error) {
	srv, err := s.subject.Script.serve(how)
	if err != nil {
		return faulty{}, err
	}
	c, err := s.facing(ctx, srv)
	if err != nil {
		srv.stop()
		return faulty{}, err
	}
	return faulty{c, srv}, nil
}

func (s *suite) facing(ctx context.Context, srv *server) (*session, error) {
	config := s.config
	if config == nil {
		config = json.RawMessage("{}")
	}
	config, err := with(config, s.subject.Script.Field, srv.URL)
	if err != nil {
		return nil, err
	}
	dir, err := freshDir(s.dir)
	if err != nil {
		return nil, err
	}
	c, err := s.openIn(ctx, dir, config)
	if err != nil {
		return nil, fmt.Errorf("the configuration with %s set to the scripted server: %w", s.subject.Script.Field, err)
	}
	return c, nil
}

// outcome is how one sync of a faulty system ended.
type outcome struct {
	got *record
	err error // as gRPC tells it
}

func (f faulty) outcome(ctx context.Context, from *record) outcome {
	from.begin()
	return outcome{from, f.sync(ctx, from.cursor, from.see)}
}

func faultNone(ctx context.Context, s *suite) verdict {
	if s.subject.Script == nil {
		return skipped("the test has no scripted system")
	}
	f, err := s.face(ctx, exchange.pass)
	if err != nil {
		return failed("%v", err)
	}
	defer f.close()
	o := f.outcome(ctx, newRecord())
	switch {
	case o.err != nil:
		return failed("%s", f.why(errors.New(told(o.err))))
	case len(o.got.docs) == 0:
		return failed("it brought no document%s", andFailures(o.got))
	case len(f.server.requests()) == 0:
		return failed("it asked the scripted server nothing: is %q the field for its address?", s.subject.Script.Field)
	}
	s.scripted, s.asked = o.got, len(f.server.requests())
	return passed("%d documents by %d requests", len(o.got.docs), s.asked)
}

const noScript = "fault.none did not pass"

// faced runs a sync against a fault and judges it; without a system that works
// when all is well there is nothing to judge.
func (s *suite) faced(ctx context.Context, how fault, judge func(faulty, outcome) verdict) verdict {
	if s.scripted == nil {
		return skipped("%s", noScript)
	}
	f, err := s.face(ctx, how)
	if err != nil {
		return failed("%v", err)
	}
	defer f.close()
	return judge(f, f.outcome(ctx, newRecord()))
}

func faultAuth(ctx context.Context, s *suite) verdict {
	all := func(x exchange) { x.refuse(http.StatusUnauthorized) }
	return s.faced(ctx, all, func(_ faulty, o outcome) verdict {
		if o.err == nil {
			return failed("the sync ended well, with %d documents", len(o.got.docs))
		}
		if code := status.Code(o.err); code != codes.Unauthenticated {
			return failed("want UNAUTHENTICATED (sdk.Auth), got %s", told(o.err))
		}
		return pass()
	})
}

func faultDenied(ctx context.Context, s *suite) verdict {
	if s.scripted != nil && s.subject.Script.Item == "" {
		return skipped("the script names no item")
	}
	met := false
	item := func(x exchange) {
		if x.r.URL.Path != s.subject.Script.Item {
			x.pass()
			return
		}
		met = true
		x.refuse(http.StatusForbidden)
	}
	return s.faced(ctx, item, func(f faulty, o outcome) verdict {
		f.server.Close() // waits for the handlers
		if !met {
			return failed("the item %s was not asked for", s.subject.Script.Item)
		}
		if o.err != nil {
			return failed("the whole sync ended: %s", told(o.err))
		}
		if !slices.ContainsFunc(o.got.failures, func(f *wire.Failure) bool {
			return f.GetKind() == wire.FailureKind_FAILURE_KIND_DENIED
		}) {
			return failed("there is no failure of kind denied%s", andFailures(o.got))
		}
		missing := 0
		for id := range s.scripted.docs {
			if _, ok := o.got.docs[id]; !ok {
				missing++
			}
		}
		if missing > len(o.got.failures) {
			return failed("%d documents are missing and %d failures were told", missing, len(o.got.failures))
		}
		return pass()
	})
}

// pauseAsked is the Retry-After of faultBusy, in seconds.
const pauseAsked = 1

func faultBusy(ctx context.Context, s *suite) verdict {
	busy := func(x exchange) {
		if x.n > 1 {
			x.pass()
			return
		}
		x.w.Header().Set("Retry-After", strconv.Itoa(pauseAsked))
		x.refuse(http.StatusTooManyRequests)
	}
	return s.faced(ctx, busy, func(f faulty, o outcome) verdict {
		if times := f.server.requests(); len(times) > 1 {
			if paused := times[1].Sub(times[0]); paused < pauseAsked*time.Second*9/10 {
				return failed("the next request came after %v, Retry-After was %d s", paused.Round(time.Millisecond), pauseAsked)
			}
		}
		if o.err == nil {
			return verdictOf(difference(s.scripted.docs, o.got.docs))
		}
		if code := status.Code(o.err); code != codes.ResourceExhausted && code != codes.Unavailable {
			return failed("want RESOURCE_EXHAUSTED with RetryInfo (sdk.Busy), got %s", told(o.err))
		}
		if !hasRetryInfo(o.err) {
			return failed("the error carries no RetryInfo, so the host does not know how long to wait")
		}
		return passed("handed to the host")
	})
}

func hasRetryInfo(err error) bool {
	st, _ := status.FromError(err)
	return slices.ContainsFunc(st.Details(), func(d any) bool { _, ok := d.(*errdetails.RetryInfo); return ok })
}

const mostTries = 3

func faultErrors(ctx context.Context, s *suite) verdict {
	twice := func(x exchange) {
		if x.n > 2 {
			x.pass()
			return
		}
		x.refuse(http.StatusInternalServerError)
	}
	return s.faced(ctx, twice, func(f faulty, o outcome) verdict {
		for try := 1; ; try++ {
			switch diff := difference(s.scripted.docs, o.got.docs); {
			case o.err == nil && diff == "":
				return passed("by sync %d", try)
			case o.err == nil && len(o.got.failures) == 0:
				return failed("the sync ended well, but: %s", diff)
			case o.err != nil && !retriable(status.Code(o.err)):
				return failed("the host would not try again after %s", told(o.err))
			case try == mostTries:
				return failed("after %d syncs: %s", try, diff)
			}
			o = f.outcome(ctx, o.got)
		}
	})
}

func retriable(code codes.Code) bool {
	return !slices.Contains([]codes.Code{
		codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.OutOfRange,
	}, code)
}

func faultSlow(ctx context.Context, s *suite) verdict {
	if s.scripted == nil {
		return skipped("%s", noScript)
	}
	f, err := s.face(ctx, exchange.trickle)
	if err != nil {
		return failed("%v", err)
	}
	defer f.close()
	cut, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- f.outcome(cut, newRecord()) }()
	defer func() { cancel(); <-done }()
	for deadline := time.Now().Add(callTimeout); len(f.server.requests()) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return failed("the scripted server was asked nothing")
		}
	}
	time.Sleep(200 * time.Millisecond)
	cancel()
	if !waitFor(ctx, cancelTimeout, f.server.left) {
		return overdue("2 s after the cancel it still reads: give each request the context of the call")
	}
	return pass()
}
