package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// outputError is the cause of an error of a connector: what it last wrote on
// standard error, for the log.
type outputError struct {
	err  error
	tail string
}

// Error returns the cause and the output.
func (e *outputError) Error() string {
	if e.tail == "" {
		return e.err.Error()
	}
	return e.err.Error() + "\nlast output of the connector:\n" + e.tail
}

// Unwrap returns the cause.
func (e *outputError) Unwrap() error { return e.err }

// busyError carries the pause that a system asked for.
type busyError struct {
	err   error
	after time.Duration
}

func (e *busyError) Error() string { return e.err.Error() }
func (e *busyError) Unwrap() error { return e.err }

// stuckError says that an earlier call that was cancelled still runs: the process
// does not listen and has to be ended.
type stuckError struct{ err error }

func (e *stuckError) Error() string { return e.err.Error() }
func (e *stuckError) Unwrap() error { return e.err }

// RetryAfter tells how long a system asked us to wait; false if it did not say.
func RetryAfter(err error) (time.Duration, bool) {
	var busy *busyError
	if !errors.As(err, &busy) || busy.after <= 0 {
		return 0, false
	}
	return busy.after, true
}

// startError explains why a connector did not come up.
func (h *Host) startError(ctx context.Context, p *process, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx, fmt.Sprintf("starting connector %q", p.connector))
	}
	tail, why := p.stderr.last()
	cause := &outputError{err: err, tail: tail}
	version, came := p.Protocol()
	switch {
	case came && version != wire.ProtocolVersion:
		return core.Wrap(core.KindConfig, cause, versionMessage(p.connector, version))
	case strings.HasPrefix(why, wire.MismatchText):
		return core.Wrap(core.KindConfig, cause, fmt.Sprintf("connector %q was not started: %s", p.connector, why))
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return core.Wrap(core.KindNotFound, cause, fmt.Sprintf("connector %q cannot be started: %v", p.connector, err))
	case strings.Contains(err.Error(), "timeout"):
		message := fmt.Sprintf("connector %q did not report ready within %v of its start", p.connector, h.opts.StartTimeout)
		if line := lastLine(tail); line != "" {
			message += "; the last that it printed is: " + line
		}
		return core.Wrap(core.KindTimeout, cause, message)
	}
	if why == "" {
		why = lastLine(tail)
	}
	message := fmt.Sprintf("connector %q stopped while starting", p.connector)
	if why != "" {
		message += ": " + why
	} else if ended := p.Ended(); ended != "" {
		message += ": " + ended + " and printed nothing"
	}
	return core.Wrap(core.KindUnavailable, cause, message)
}

func versionMessage(connector string, theirs int64) string {
	advice := "upgrade the connector: rebuild it with the plugin-sdk of this release"
	if theirs > wire.ProtocolVersion {
		advice = "upgrade Footnote, or install an older release of the connector"
	}
	return fmt.Sprintf("connector %q speaks plugin protocol %d and this Footnote speaks %d: %s",
		connector, theirs, wire.ProtocolVersion, advice)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	if runes := []rune(line); len(runes) > 300 {
		line = string(runes[:300]) + "…"
	}
	return line
}

// stopped is the error for a context that ended.
func stopped(ctx context.Context, doing string) error {
	if errors.Is(context.Cause(ctx), errIdle) {
		return core.Wrap(core.KindTimeout, errIdle, doing+" was stopped: nothing came for too long")
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return core.Wrap(core.KindTimeout, ctx.Err(), doing+" took too long and was stopped")
	}
	return core.Wrap(core.KindCancelled, ctx.Err(), doing+" was stopped")
}

// errIdle is the cause of a stream's context when nothing came for IdleTimeout.
var errIdle = errors.New("no event from the connector within the idle timeout")

// explain turns the error of a call into one for people. Doing says what was
// tried, as in "checking".
func (c *Connection) explain(ctx context.Context, doing string, err error) error {
	what := fmt.Sprintf("source %q: %s", c.src.Name, doing)
	if c.src.Name == "" {
		what = fmt.Sprintf("connector %q: %s", c.src.Connector, doing)
	}
	st, _ := status.FromError(err)
	awaitDeadline(ctx, st.Code())
	if ctx.Err() != nil {
		return stopped(ctx, what)
	}
	if st.Code() == codes.Unavailable || st.Code() == codes.Canceled {
		if e := c.death(ctx, what, err); e != nil {
			return e
		}
	}
	return c.fromStatus(what, st, err)
}

// aheadOfTime is how much earlier than our own clock the other side, which gets
// the same deadline, may have given up.
const aheadOfTime = 250 * time.Millisecond

// awaitDeadline waits for the context to end where the call has ended for that
// reason and our own clock is only about to say so.
func awaitDeadline(ctx context.Context, code codes.Code) {
	if code != codes.DeadlineExceeded && code != codes.Canceled {
		return
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < aheadOfTime {
		<-ctx.Done()
	}
}

// death explains the error of a call by the end of the process, nil if it lives.
func (c *Connection) death(ctx context.Context, what string, err error) error {
	soon := time.Second
	if c.process.Lost() {
		soon = 10 * time.Second
	}
	select {
	case <-c.Done():
	case <-ctx.Done():
	case <-time.After(soon):
	}
	select { // both may be due: the machine stood still
	case <-c.Done():
	default:
		return nil
	}
	select {
	case <-c.process.Silent(): // why it ended may be the last that it wrote
	case <-ctx.Done():
	case <-time.After(time.Second): // somebody else holds the pipe
	}
	tail, why := c.process.stderr.last()
	message := what + " failed, the connector's process is gone: " + c.process.Ended()
	if why != "" {
		message += " (" + why + ")"
	}
	message += ". What it had sent is kept; the next sync starts it again"
	return core.Wrap(core.KindUnavailable, &outputError{err: err, tail: tail}, message)
}

func (c *Connection) fromStatus(what string, st *status.Status, err error) error {
	text := c.process.stderr.clean(st.Message())
	tail, _ := c.process.stderr.last()
	var cause error = &outputError{err: errors.New(st.Code().String() + ": " + text), tail: tail}
	message := fmt.Sprintf("%s failed: %s", what, text)
	kind := core.KindUnavailable
	switch st.Code() {
	case codes.Unauthenticated:
		kind = core.KindAuth
	case codes.PermissionDenied:
		kind = core.KindDenied
	case codes.NotFound:
		kind = core.KindNotFound
	case codes.InvalidArgument:
		kind = core.KindConfig
	case codes.FailedPrecondition, codes.Unimplemented:
		kind = core.KindInvalid
	case codes.OutOfRange:
		kind = core.KindTooLarge
	case codes.DeadlineExceeded:
		kind = core.KindTimeout
	case codes.Aborted:
		cause = &stuckError{err: cause}
	case codes.Unavailable:
		if after := retryDelay(st); after > 0 {
			kind, cause = core.KindBusy, &busyError{err: cause, after: after}
		}
	case codes.ResourceExhausted:
		kind = core.KindBusy
		if strings.HasPrefix(st.Message(), "grpc: ") {
			kind = core.KindTooLarge // of gRPC itself: a message over the limit
		}
		cause = &busyError{err: cause, after: retryDelay(st)}
	}
	return core.Wrap(kind, cause, message)
}

func retryDelay(st *status.Status) time.Duration {
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 0
}
