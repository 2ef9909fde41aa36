package ingest

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
)

// crowd counts how many texts are read at the same time.
type crowd struct{ now, most atomic.Int64 }

func (c *crowd) Text(context.Context, string, string, string) (extract.Content, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	time.Sleep(20 * time.Millisecond)
	return extract.Content{}, nil
}

func (c *crowd) File(ctx context.Context, name, mediaType string, _ io.Reader) (extract.Content, error) {
	return c.Text(ctx, name, mediaType, "")
}

// oneFile is a connector that has what it is asked for.
type oneFile struct{ Connector }

func (oneFile) Fetch(context.Context, string, int64) (io.ReadCloser, core.FileRef, error) {
	return io.NopCloser(strings.NewReader("x")), core.FileRef{}, nil
}

// Two large texts at once could take the memory of a small machine.
func TestLargeTextsAreReadOneAfterTheOther(t *testing.T) {
	file := func(mediaType string, size int64) core.Document {
		return core.Document{Files: []core.FileRef{{Ref: "f", MediaType: mediaType, Size: size}}}
	}
	for name, row := range map[string]struct {
		doc  core.Document
		most int64
	}{
		"small bodies": {core.Document{Body: "x"}, workers},
		"small files":  {file("text/plain", 1000), workers},
		"large bodies": {core.Document{Body: strings.Repeat("x", largeText+1)}, 1},
		"large files":  {file("text/plain", largeText+1), 1},
		"large pdf":    {file("application/pdf", largeText+1), workers},
	} {
		t.Run(name, func(t *testing.T) {
			var c crowd
			r := &run{syncer: New(Options{Extractor: &c}), conn: oneFile{}}
			var jobs []*job
			for range 6 {
				jobs = append(jobs, &job{upsert: core.Upsert{Document: row.doc}, entry: core.Entry{Document: row.doc}})
			}
			r.readAll(t.Context(), jobs)
			if got := c.most.Load(); got != row.most {
				t.Errorf("%d at the same time, want %d", got, row.most)
			}
			for _, j := range jobs {
				if !j.written {
					t.Error("a document was not read")
				}
			}
		})
	}
}

func TestWaitingForALargeTextEndsWithTheContext(t *testing.T) {
	s := New(Options{Extractor: &crowd{}})
	s.large <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j := &job{upsert: core.Upsert{Document: core.Document{Body: strings.Repeat("x", largeText+1)}}}
	(&run{syncer: s}).read(ctx, j)
	if j.end == nil || j.written {
		t.Errorf("%+v", j)
	}
}
