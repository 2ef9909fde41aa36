package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// stuckAfter is how long a Sync waits for one before it that was cancelled.
const stuckAfter = 10 * time.Second

// server answers the host's calls with the author's value.
type server struct {
	wire.UnimplementedConnectorServer
	name, version string
	src           Source
	fields        []field
	log           *slog.Logger
	level         *slog.LevelVar
	onCall        func() // runs at the start of every call

	env        *Env
	mu         sync.Mutex
	configured bool
	syncing    chan struct{} // holds a token while a Sync runs
}

func newServer(name, version string, src Source, log *slog.Logger, level *slog.LevelVar) (*server, error) {
	if src == nil {
		return nil, errors.New("the function given to Serve returned nil")
	}
	fields, err := fieldsOf(src)
	if err != nil {
		return nil, err
	}
	return &server{
		name: name, version: version, src: src, fields: fields, log: log, level: level,
		onCall: func() {}, syncing: make(chan struct{}, 1), env: &Env{Log: log},
	}, nil
}

func (s *server) Configure(ctx context.Context, req *wire.ConfigureRequest) (*wire.ConfigureReply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.configured {
		return nil, status.Error(codes.FailedPrecondition, "the connector is configured already")
	}
	if err := s.level.UnmarshalText([]byte(req.GetLogLevel())); err != nil {
		s.level.Set(slog.LevelInfo)
	}
	if list := decode(s.src, s.fields, req.GetConfig(), req.GetSecrets()); len(list) > 0 {
		return nil, badConfig(list)
	}
	s.env.Dir, s.env.Source = req.GetDataDir(), req.GetSource()
	s.env.renew(req.GetToken())
	if l, ok := s.src.(Limited); ok {
		s.env.declare(l.Limits())
	}
	if starter, ok := s.src.(Starter); ok {
		if err := starter.Start(ctx, s.env); err != nil {
			return nil, toStatus(err)
		}
	}
	s.configured = true
	return &wire.ConfigureReply{}, nil
}

func badConfig(list []*Error) error {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Error()
	}
	st := status.New(codes.InvalidArgument, valid(strings.Join(texts, "; ")))
	with, err := st.WithDetails(violations(list...))
	if err != nil {
		return st.Err()
	}
	return with.Err()
}

func (s *server) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.configured {
		return status.Error(codes.FailedPrecondition, "the connector is not configured yet")
	}
	return nil
}

func (s *server) Check(ctx context.Context, _ *wire.CheckRequest) (*wire.CheckReply, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	checker, ok := s.src.(Checker)
	if !ok {
		return &wire.CheckReply{}, nil
	}
	warnings, err := splitWarnings(checker.Check(ctx))
	if err != nil {
		return nil, toStatus(err)
	}
	return &wire.CheckReply{Warnings: warnings}, nil
}

// splitWarnings takes the warnings out of what a Checker returned.
func splitWarnings(err error) (warnings []string, failed error) {
	if err == nil {
		return nil, nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	var rest []error
	for _, e := range list {
		var w Warning
		if errors.As(e, &w) {
			warnings = append(warnings, valid(e.Error()))
			continue
		}
		rest = append(rest, e)
	}
	if len(rest) == 1 {
		return warnings, rest[0]
	}
	return warnings, errors.Join(rest...)
}

func (s *server) Sync(req *wire.SyncRequest, stream wire.Connector_SyncServer) error {
	if err := s.ready(); err != nil {
		return err
	}
	ctx := stream.Context()
	// An author's Sync that was cancelled may still be on its way out; two at
	// once on one value is nothing that an author should have to think of.
	select {
	case s.syncing <- struct{}{}:
		defer func() { <-s.syncing }()
	case <-ctx.Done():
		return toStatus(ctx.Err())
	case <-time.After(stuckAfter):
		return status.Error(codes.Aborted, "the sync before this one was stopped and has not ended: "+
			"a connector must return soon after its context is done")
	}
	defer s.env.report()
	out := &Out{ctx: ctx, send: stream.Send}
	return toStatus(s.src.Sync(ctx, Cursor(req.GetCursor()), out))
}

func (s *server) List(_ *wire.ListRequest, stream wire.Connector_ListServer) error {
	if err := s.ready(); err != nil {
		return err
	}
	lister, ok := s.src.(Lister)
	if !ok {
		return status.Error(codes.Unimplemented, "this connector cannot list its documents")
	}
	listing := &Listing{ctx: stream.Context(), send: stream.Send}
	if err := lister.List(stream.Context(), listing); err != nil {
		return toStatus(err)
	}
	return toStatus(listing.complete())
}

func (s *server) Fetch(req *wire.FetchRequest, stream wire.Connector_FetchServer) error {
	if err := s.ready(); err != nil {
		return err
	}
	fetcher, ok := s.src.(Fetcher)
	if !ok {
		return status.Error(codes.Unimplemented, "this connector has no files to fetch")
	}
	file, err := fetcher.Fetch(stream.Context(), req.GetRef())
	if err != nil {
		return toStatus(err)
	}
	if file == nil || file.Content == nil {
		return status.Error(codes.Unknown, "the connector opened nothing")
	}
	return toStatus(errors.Join(send(stream, file, req), file.Content.Close()))
}

func send(stream wire.Connector_FetchServer, file *File, req *wire.FetchRequest) error {
	header := &wire.FileRef{
		Ref: req.GetRef(), Name: valid(file.Name), MediaType: valid(file.MediaType), Size: file.Size,
	}
	if err := stream.Send(&wire.FetchEvent{Event: &wire.FetchEvent_Header{Header: header}}); err != nil {
		return err
	}
	content := io.Reader(file.Content)
	if limit := req.GetLimit(); limit > 0 {
		content = io.LimitReader(content, limit+1) // one more, so that the host sees that it was cut
	}
	for {
		// A new frame each time: the transport may still hold the one before.
		frame := make([]byte, wire.FrameSize)
		n, err := io.ReadFull(content, frame)
		if n > 0 {
			data := &wire.FetchEvent_Data{Data: frame[:n]}
			if err := stream.Send(&wire.FetchEvent{Event: data}); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading %s: %w", file.Name, err)
		}
	}
}
