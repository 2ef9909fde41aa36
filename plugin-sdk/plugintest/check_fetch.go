package plugintest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

const (
	mostFiles = 200     // attachments that are fetched
	mostBytes = 1 << 30 // of one attachment
)

// attachments are the files of the first sync's documents, in a fixed order.
func (s *suite) attachments() []*wire.FileRef {
	var out []*wire.FileRef
	for _, id := range slices.Sorted(maps.Keys(s.first.docs)) {
		out = append(out, s.first.docs[id].files...)
	}
	return out
}

func fetchFiles(ctx context.Context, s *suite) verdict {
	files := s.attachments()
	if len(files) == 0 {
		return skipped("no document of the test has an attachment")
	}
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	for _, f := range files[:min(len(files), mostFiles)] {
		if f.GetRef() == "" {
			return failed("the attachment %q has no ref", f.GetName())
		}
		if err := c.fetch(ctx, f); err != nil {
			return failed("attachment %q: %v", f.GetName(), err)
		}
	}
	return passed("%d of %d attachments", min(len(files), mostFiles), len(files))
}

// fetch reads an attachment to its end.
func (c *session) fetch(ctx context.Context, f *wire.FileRef) error {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.client.Fetch(ctx, &wire.FetchRequest{Ref: f.GetRef()})
	headers, size := 0, int64(0)
	err = each(cancel, stream, err, func(e *wire.FetchEvent) error {
		if e.GetHeader() != nil {
			headers++
		}
		if headers != 1 {
			return errors.New("the stream has to begin with one header")
		}
		if n := len(e.GetData()); n > wire.FrameSize {
			return fmt.Errorf("a frame holds %d bytes, the limit is %d", n, wire.FrameSize)
		}
		if size += int64(len(e.GetData())); size > mostBytes {
			return fmt.Errorf("more than %s came: give the test smaller files", mebibytes(mostBytes))
		}
		return nil
	})
	switch {
	case err != nil:
		return errors.New(c.why(errors.New(told(err))))
	case headers == 0:
		return errors.New("the stream ended without a header")
	case f.GetSize() > 0 && size != f.GetSize():
		return fmt.Errorf("%d bytes came and Sync told %d", size, f.GetSize())
	}
	return nil
}

const parallelFetches = 12

// fetchCancel cancels fetches after their first event. What still runs of them
// holds files, threads or, where that can be told, goroutines.
func fetchCancel(ctx context.Context, s *suite) verdict {
	files := s.attachments()
	large := slices.DeleteFunc(slices.Clone(files), func(f *wire.FileRef) bool { return f.GetSize() > 0 && f.GetSize() <= wire.FrameSize })
	if len(large) == 0 {
		return skipped("no attachment of the test takes more than one frame of 256 KiB")
	}
	c, err := s.fresh(ctx)
	if err != nil {
		return failed("%v", err)
	}
	defer c.close()
	if err := c.fetch(ctx, large[0]); err != nil { // whatever it opens once is open then
		return failed("%v", err)
	}
	before := c.usage()
	for i := range parallelFetches {
		if err := c.glance(ctx, large[i%len(large)]); err != nil {
			return failed("%s", c.why(errors.New(told(err))))
		}
	}
	deadline, text := time.Now().Add(cancelTimeout), ""
	for {
		now := c.usage()
		now.memory = before.memory // buffers that nobody needs any more are not what is looked for
		if text = growth([]usage{before}, []usage{now}); text == "" {
			return pass()
		}
		if time.Now().After(deadline) {
			return overdue("2 s after %d fetches were cancelled: %s", parallelFetches, text)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// glance reads the first event of an attachment and cancels.
func (c *session) glance(ctx context.Context, f *wire.FileRef) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.client.Fetch(ctx, &wire.FetchRequest{Ref: f.GetRef()})
	if err != nil {
		return err
	}
	if _, err := stream.Recv(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// wordOf is what a search looks for: the longest word of a title.
func (s *suite) wordOf() string {
	if s.subject.Query != "" {
		return s.subject.Query
	}
	best := ""
	for _, id := range slices.Sorted(maps.Keys(s.first.docs)) {
		for word := range strings.FieldsSeq(s.first.docs[id].title) {
			if len(word) > len(best) {
				best = word
			}
		}
	}
	return best
}
