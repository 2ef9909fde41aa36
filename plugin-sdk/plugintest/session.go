package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// session is a process that took its configuration.
type session struct {
	*process
	dir string
}

var errNoConfig = errors.New("there is no configuration to test with: name one with --config, or put it into testdata/config.json")

// openIn starts a process in a source's folder and configures it.
func (s *suite) openIn(ctx context.Context, dir string, config json.RawMessage) (*session, error) {
	if config == nil {
		return nil, errNoConfig
	}
	p, err := start(ctx, s.subject, starting{dir: dir})
	if err != nil {
		return nil, errors.New("a further process did not start: " + p.why(err))
	}
	s.heard = append(s.heard, p.output)
	if err := s.configure(ctx, p, dir, config); err != nil {
		p.stop()
		return nil, err
	}
	return &session{process: p, dir: dir}, nil
}

func (s *suite) configure(ctx context.Context, p *process, dir string, config json.RawMessage) error {
	rest, secrets, err := s.schema.split(config)
	if err != nil {
		return fmt.Errorf("the configuration of the test is not a JSON object: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err = p.client.Configure(ctx, &wire.ConfigureRequest{
		Config: rest, Secrets: secrets, DataDir: dir, Source: "plugintest", LogLevel: "INFO",
		Features: []string{wire.FeatureRenew}, Token: s.token(),
	})
	return err
}

// fresh is a process with a folder of its own; it must be closed.
func (s *suite) fresh(ctx context.Context) (*session, error) {
	dir, err := freshDir(s.dir)
	if err != nil {
		return nil, err
	}
	return s.openIn(ctx, dir, s.config)
}

// common is the process that checks share, a new one where it died.
func (s *suite) common(ctx context.Context) (*session, error) {
	if s.session != nil && !s.session.gone() {
		return s.session, nil
	}
	if s.session != nil {
		s.session.close()
	}
	var err error
	s.session, err = s.fresh(ctx)
	return s.session, err
}

func (c *session) close() {
	if c != nil {
		c.stop()
	}
}

// each reads a stream to its end. An error of take ends it and is returned.
func each[E any](cancel context.CancelFunc, stream grpc.ServerStreamingClient[E], err error, take func(*E) error) error {
	defer cancel()
	for err == nil {
		var event *E
		event, err = stream.Recv()
		if err == nil {
			err = take(event)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// sync runs one sync to its end.
func (c *session) sync(ctx context.Context, cursor []byte, take func(*wire.SyncEvent) error) error {
	ctx, cancel := context.WithCancel(ctx)
	reason := wire.SyncReason_SYNC_REASON_POLL
	if len(cursor) == 0 {
		reason = wire.SyncReason_SYNC_REASON_FIRST
	}
	stream, err := c.client.Sync(ctx, &wire.SyncRequest{Cursor: cursor, Reason: reason})
	return each(cancel, stream, err, take)
}

// read runs one sync to its end into a record.
func (c *session) read(ctx context.Context, into *record) error {
	into.begin()
	if err := c.sync(ctx, into.cursor, into.see); err != nil {
		return errors.New(c.why(errors.New(told(err))))
	}
	into.end()
	return nil
}

// list runs one listing to its end.
func (c *session) list(ctx context.Context, take func(*wire.ListEvent) error) error {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.client.List(ctx, &wire.ListRequest{})
	return each(cancel, stream, err, take)
}
