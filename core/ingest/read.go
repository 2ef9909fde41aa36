package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/ingest/chunk"
)

// workers is how many documents are read at once.
const workers = 2

// largeText is how many bytes of text two documents may have and still be read
// at the same time. Reading takes up to a hundred times a text's size.
const largeText = 1 << 20

// textBytes is how much of a document is read in this process; PDF is not.
func textBytes(d core.Document) int64 {
	n := int64(len(d.Body))
	for _, f := range d.Files {
		if f.MediaType != "application/pdf" {
			n += f.Size
		}
	}
	return n
}

// job is one document that needs reading, and what became of it.
type job struct {
	upsert core.Upsert
	known  core.Known
	entry  core.Entry // Passages are filled in by reading

	written bool             // entry is complete
	failed  *core.FailedRead // also set where only a part could not be read
	notes   []string
	end     error // why the sync cannot go on
	passes  bool  // what failed may go better in a moment
}

// readAll reads the documents side by side and waits for all of them, also for
// those whose neighbour ended the sync: what was read is worth keeping.
func (r *run) readAll(ctx context.Context, jobs []*job) {
	var g errgroup.Group
	g.SetLimit(workers)
	for _, j := range jobs {
		g.Go(func() error {
			if len(j.upsert.Document.Files) > 0 { // others are waited for
				r.read(ctx, j)
			} else {
				r.syncer.yield(func() { r.read(ctx, j) })
			}
			return nil
		})
	}
	g.Wait()
}

// read extracts a document and cuts it into passages. A part that cannot be
// read is a failure; if no part can, the version before it stays.
func (r *run) read(ctx context.Context, j *job) {
	if textBytes(j.upsert.Document) > largeText {
		select {
		case r.syncer.large <- struct{}{}:
			defer func() { <-r.syncer.large }()
		case <-ctx.Done():
			j.end = context.Cause(ctx)
			return
		}
	}
	d := &j.entry.Document
	content, good, problems := extract.Content{}, 0, []error(nil)
	tried := j.entry.Content
	for i, part := range r.parts(j.upsert.Document) {
		c, err := guarded(ctx, part)
		switch {
		case err == nil:
			content = join(content, c, headingFor(j.upsert.Document, i))
			good++
		case ctx.Err() != nil:
			j.end = context.Cause(ctx)
			return
		case endsSync(core.KindOf(err), isFetch(err), j.known.Tries):
			j.end = err
			j.failed = failure(j, []error{err}, core.Hash{})
			return
		default:
			problems = append(problems, err)
			if !lasting(core.KindOf(err), isFetch(err), j.known.Tries) {
				tried = core.Hash{}
				j.passes = j.known.Tries+1 < maxTries
			}
		}
	}
	if len(problems) > 0 {
		j.failed = failure(j, problems, tried)
	}
	if good == 0 && !keptByName(j, problems) {
		return
	}
	d.Title = title(*d, content)
	if d.Language == "" {
		d.Language = content.Language
	}
	for _, n := range content.Notes {
		j.notes = append(j.notes, d.ExternalID+": "+n)
	}
	j.entry.Passages = chunk.Split(d.Title, content, chunk.Options{Dropped: func(n int) {
		j.notes = append(j.notes, fmt.Sprintf("%s is so long that its last %d passages were left out.", d.ExternalID, n))
	}})
	j.written = true
}

// keptByName tells whether a document none of whose parts is read is kept all the
// same, to be found by its title: what is too large is there and is what it says
// it is. A version that was read before stays instead.
func keptByName(j *job, problems []error) bool {
	for _, err := range problems {
		if core.KindOf(err) != core.KindTooLarge {
			return false
		}
	}
	return !j.known.Stored && len(problems) > 0
}

type part func(context.Context) (extract.Content, error)

// parts are the body, unless there are only files, and each file.
func (r *run) parts(d core.Document) []part {
	var out []part
	if d.Body != "" || len(d.Files) == 0 {
		out = append(out, func(ctx context.Context) (extract.Content, error) {
			return r.syncer.Extractor.Text(ctx, d.ExternalID, d.MediaType, d.Body)
		})
	}
	for _, f := range d.Files {
		out = append(out, func(ctx context.Context) (extract.Content, error) { return r.readFile(ctx, f) })
	}
	return out
}

func (r *run) readFile(ctx context.Context, f core.FileRef) (c extract.Content, err error) {
	limit := r.syncer.MaxFile
	if f.Size > limit {
		return c, core.Errorf(core.KindTooLarge, "%s has %d bytes; files up to %d are read", f.Name, f.Size, limit)
	}
	body, got, err := r.conn.Fetch(ctx, f.Ref, limit)
	if err != nil {
		return c, fetchError{err}
	}
	defer func() {
		if e := body.Close(); err == nil && e != nil {
			err = fetchError{e}
		}
	}()
	if got.Name != "" {
		f.Name = got.Name
	}
	if got.MediaType != "" {
		f.MediaType = got.MediaType
	}
	return r.syncer.Extractor.File(ctx, f.Name, f.MediaType, fetched{body})
}

// fetchError marks an error of the connector, as opposed to one of the file.
type fetchError struct{ error }

func (e fetchError) Unwrap() error { return e.error }

func isFetch(err error) bool {
	var f fetchError
	return errors.As(err, &f)
}

// fetched marks what goes wrong while an attachment arrives.
type fetched struct{ io.Reader }

func (f fetched) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fetchError{err}
	}
	return n, err
}

// guarded keeps a reader's panic from ending more than its own document.
func guarded(ctx context.Context, p part) (c extract.Content, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = core.Wrap(core.KindInternal, fmt.Errorf("panic: %v", v), "The document breaks the reader; the log says more.")
		}
	}()
	if err := ctx.Err(); err != nil {
		return c, err
	}
	return p(ctx)
}

// join puts one part behind another.
func join(a, b extract.Content, heading string) extract.Content {
	if a.Title == "" {
		a.Title = b.Title
	}
	if a.Language == "" {
		a.Language = b.Language
	}
	if heading != "" {
		a.Blocks = append(a.Blocks, extract.Block{Kind: extract.KindHeading, Level: 1, Text: heading})
	}
	a.Blocks = append(a.Blocks, b.Blocks...)
	a.Notes = append(a.Notes, b.Notes...)
	return a
}

// headingFor names an attachment where it is not the whole document.
func headingFor(d core.Document, part int) string {
	file := part
	if d.Body != "" {
		file--
	}
	if file < 0 || len(d.Files) == 0 || d.Body == "" && len(d.Files) == 1 {
		return ""
	}
	return d.Files[file].Name
}

func title(d core.Document, c extract.Content) string {
	for _, t := range []string{d.Title, c.Title, path.Base(d.ExternalID)} {
		if t = strings.TrimSpace(strings.ToValidUTF8(t, "\uFFFD")); t != "" {
			return t
		}
	}
	return ""
}

func failure(j *job, problems []error, tried core.Hash) *core.FailedRead {
	detail := problems[0].Error()
	if more := len(problems) - 1; more > 0 {
		detail += fmt.Sprintf(" (and %d more parts)", more)
	}
	d := j.upsert.Document
	return &core.FailedRead{Content: tried, Failure: core.Failure{
		ExternalID: d.ExternalID, Title: d.Title, Kind: core.KindOf(problems[0]), Detail: detail}}
}
