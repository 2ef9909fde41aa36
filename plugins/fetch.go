package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Fetch opens an attachment as a stream. More than limit bytes are an error of
// kind too large, at once if the size is known and else while reading; 0 means
// no limit. The reader must be closed. It ends with io.EOF only after the whole
// file came.
func (c *Connection) Fetch(ctx context.Context, ref string, limit int64) (io.ReadCloser, core.FileRef, error) {
	ctx, watch := c.watchIdle(ctx)
	file, reader, err := c.open(ctx, watch, ref, limit)
	if err != nil {
		watch.end()
		return nil, core.FileRef{}, err
	}
	return reader, file, nil
}

func (c *Connection) open(ctx context.Context, watch *idleWatch, ref string, limit int64) (core.FileRef, *fileReader, error) {
	stream, err := c.process.client.Fetch(ctx, &wire.FetchRequest{Ref: ref, Limit: limit})
	if err != nil {
		return core.FileRef{}, nil, c.explain(ctx, "fetching a file", err)
	}
	first, err := receive(watch, stream)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return core.FileRef{}, nil, c.explain(ctx, "fetching a file", err)
	}
	header := first.GetHeader()
	if header == nil {
		return core.FileRef{}, nil, core.Errorf(core.KindInvalid,
			"source %q: the connector sent a file without saying which: report this to its author", c.src.Name)
	}
	file := core.FileRef{Ref: ref, Name: header.GetName(), MediaType: header.GetMediaType(), Size: max(header.GetSize(), 0)}
	r := &fileReader{c: c, ctx: ctx, watch: watch, stream: stream, file: file, limit: limit}
	if limit > 0 && file.Size > limit {
		return core.FileRef{}, nil, r.tooLarge()
	}
	return file, r, nil
}

// fileReader reads the data frames of one Fetch.
type fileReader struct {
	c      *Connection
	ctx    context.Context // of the call, for explaining its errors
	watch  *idleWatch
	stream grpc.ServerStreamingClient[wire.FetchEvent]
	file   core.FileRef
	limit  int64
	read   int64 // bytes received
	frame  []byte
	err    error
}

// Read returns what came; see Fetch for its errors.
func (r *fileReader) Read(p []byte) (int, error) {
	for len(r.frame) == 0 && r.err == nil {
		r.next()
	}
	if len(r.frame) == 0 {
		return 0, r.err
	}
	n := copy(p, r.frame)
	r.frame = r.frame[n:]
	return n, nil
}

func (r *fileReader) next() {
	event, err := receive(r.watch, r.stream)
	switch {
	case errors.Is(err, io.EOF):
		r.err = r.whole()
	case err != nil:
		r.err = r.c.explain(r.ctx, "fetching "+fmt.Sprintf("%q", r.file.Name), err)
	default:
		r.frame = event.GetData()
		r.read += int64(len(r.frame))
		if r.limit > 0 && r.read > r.limit {
			r.frame, r.err = nil, r.tooLarge()
		}
	}
}

// whole tells whether the stream's end is the file's end.
func (r *fileReader) whole() error {
	if r.file.Size > 0 && r.read != r.file.Size {
		return core.Errorf(core.KindUnavailable, "source %q: %q has %d bytes where %d were announced; it changed while it was read",
			r.c.src.Name, r.file.Name, r.read, r.file.Size)
	}
	return io.EOF
}

func (r *fileReader) tooLarge() error {
	return core.Errorf(core.KindTooLarge, "source %q: %q is larger than the limit of %d bytes", r.c.src.Name, r.file.Name, r.limit)
}

// Close gives up what was not read.
func (r *fileReader) Close() error {
	r.watch.end()
	return nil
}
