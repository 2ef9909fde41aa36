package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// opener makes what one session goes over, and what to end after it; nil if nothing.
type opener func() (mcp.Transport, closer, error)

// closer is a server that was started for one session.
type closer interface {
	close()
	ended() bool  // by itself
	told() string // what it printed last
}

// link is the connection to the server: made when it is needed, and again after it
// broke.
type link struct {
	open    opener
	timeout time.Duration
	log     *slog.Logger

	mu      sync.Mutex
	current *session

	toolMu sync.Mutex
	tools  []sdk.Tool
	stale  atomic.Bool // the server says that its tools are others now
	asked  bool        // tools were read at least once
	failed atomic.Pointer[time.Time]
}

// session is one conversation with the server.
type session struct {
	*mcp.ClientSession
	server closer
	broken atomic.Bool
}

// over tells that nothing more can be asked.
func (s *session) over() bool {
	return s.broken.Load() || s.server != nil && s.server.ended()
}

func (s *session) end() {
	if s.ClientSession != nil {
		_ = s.Close() // nothing of it is used any more
	}
	if s.server != nil {
		s.server.close()
	}
}

// session returns the current one, or begins it.
func (l *link) session(ctx context.Context) (*session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil && !l.current.over() {
		return l.current, nil
	}
	if l.current != nil {
		l.current.end()
		l.current = nil
	}
	s, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	l.current = s
	l.stale.Store(true)
	return s, nil
}

// olderProtocol is what a server is asked for that does not take the newest way to
// begin.
const olderProtocol = "2025-06-18"

// begin tries the newest protocol and then an older one: some servers end at the
// first word that they do not know.
func (l *link) begin(ctx context.Context) (*session, error) {
	s, err := l.beginWith(ctx, nil)
	if err == nil || ctx.Err() != nil || sdk.KindOf(err) != "" {
		return s, err
	}
	return l.beginWith(ctx, &mcp.ClientSessionOptions{ProtocolVersion: olderProtocol})
}

func (l *link) beginWith(ctx context.Context, o *mcp.ClientSessionOptions) (*session, error) {
	within, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	within, refused := withRefusal(within)
	transport, server, err := l.open()
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "footnote", Version: "1"}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{}, // nothing is done or told for the server
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.stale.Store(true) },
	})
	s := &session{server: server}
	s.ClientSession, err = client.Connect(within, transport, o)
	if err != nil {
		s.end()
		return nil, s.explain("the server does not begin", refused, l.slow(ctx, within, err))
	}
	return s, nil
}

// slow puts words to a time limit of ours.
func (l *link) slow(outer, within context.Context, err error) error {
	if within.Err() != nil && outer.Err() == nil {
		return fmt.Errorf("it did not answer within %v", l.timeout)
	}
	return err
}

// call asks the server for something. Where the session turns out to be broken and
// again is set, it is begun anew once.
func call[T any](ctx context.Context, l *link, doing string, again bool, ask func(context.Context, *session) (T, error)) (T, error) {
	var none T
	for tries := 0; ; {
		s, err := l.session(ctx)
		if err != nil {
			return none, err
		}
		within, cancel := context.WithTimeout(ctx, l.timeout)
		within, refused := withRefusal(within)
		out, err := ask(within, s)
		err = l.slow(ctx, within, err)
		cancel()
		var told *jsonrpc.Error
		if err == nil || ctx.Err() != nil {
			return out, errors.Join(err, ctx.Err())
		}
		if errors.As(err, &told) && !errors.Is(err, mcp.ErrConnectionClosed) {
			return none, sdk.Invalid(fmt.Errorf("%s: the server says: %s (%d)", doing, clip(told.Message, 500), told.Code))
		}
		s.broken.Store(true)
		// A session that the server forgot did nothing yet.
		if !again && !errors.Is(err, mcp.ErrSessionMissing) {
			return none, s.explain(doing, refused, err)
		}
		if again, tries = false, tries+1; tries > 1 {
			return none, s.explain(doing, refused, err)
		}
	}
}

// explain adds what the server printed last.
func (s *session) explain(doing string, refused *refusal, err error) error {
	if why := refused.err.Load(); why != nil {
		return fmt.Errorf("%s: %w", doing, *why)
	}
	text := ""
	if s.server != nil {
		if printed := s.server.told(); printed != "" {
			text = "; it printed: " + clip(printed, 500)
		}
	}
	return fmt.Errorf("%s: %w%s", doing, err, text)
}

// close ends the session.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		l.current.end()
		l.current = nil
	}
}
