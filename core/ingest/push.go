package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Push takes in documents that somebody brings. It is a sync whose connector has
// everything at hand: what is unchanged is no work, and a push that broke off or
// was sent twice is made good by sending it again. Pushes to one source follow one
// another; other sources are not waited for. On return all of it is committed and
// can be searched, unless the error says otherwise. A push that told of all its
// documents counts as word that the readers of the others are still the same.
func (s *Syncer) Push(ctx context.Context, src core.Source, p core.Push) (core.Pushed, error) {
	leave, err := s.line(ctx, src.Name)
	if err != nil {
		return core.Pushed{}, err
	}
	defer leave()
	track, release, err := s.claim(src.Name)
	if err != nil {
		return core.Pushed{}, err
	}
	defer release()
	state, err := s.Ledger.SyncState(ctx, src.Name)
	if err != nil {
		return core.Pushed{}, err
	}
	r := &run{
		syncer: s, source: src.Name, conn: pushConnector{p}, state: state, reason: core.SyncPush, track: track,
		opts:   SyncOptions{Full: true, AcceptDeletes: p.AcceptDeletes}, // what failed before is tried again
		pushed: &pushes{documents: map[string]core.PushedDocument{}, part: p.Partial},
	}
	record := core.SyncRun{Source: src.Name, Reason: r.reason, Started: time.Now()}
	r.started = s.Now()
	track.begin(src.Name, r.reason, record.Started)
	if record.ID, err = s.Ledger.SaveRun(ctx, record); err != nil {
		return core.Pushed{}, err
	}
	err = r.do(ctx)
	record.Finished = time.Now()
	err = s.finish(ctx, record, r, err)
	return r.told(p), err
}

// line lets one push after the other through to a source.
func (s *Syncer) line(ctx context.Context, source string) (leave func(), err error) {
	s.mu.Lock()
	gate := s.lines[source]
	if gate == nil {
		gate = make(chan struct{}, 1)
		s.lines[source] = gate
	}
	s.mu.Unlock()
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// told gives each document that the push named its outcome.
func (r *run) told(p core.Push) core.Pushed {
	out := core.Pushed{Documents: map[string]core.PushedDocument{}, Removed: r.counts.Removed, Held: r.counts.Held, Notes: r.notes}
	for _, ch := range p.Changes {
		switch ch := ch.(type) {
		case core.Upsert:
			if d, ok := r.pushed.documents[ch.Document.ExternalID]; ok {
				out.Documents[ch.Document.ExternalID] = d
			}
		case core.Removal:
			d, ok := r.pushed.documents[ch.ExternalID]
			if !ok {
				d.Outcome = core.PushAbsent
			}
			out.Documents[ch.ExternalID] = d
		}
	}
	return out
}

// pushes notes what becomes of each document. A nil one notes nothing: nobody asks
// for that in a sync.
type pushes struct {
	documents map[string]core.PushedDocument
	part      bool
}

func (p *pushes) partial() bool { return p != nil && p.part }

func (p *pushes) tell(id string, outcome core.PushOutcome) {
	if p != nil {
		p.documents[id] = core.PushedDocument{Outcome: outcome}
	}
}

// read notes the outcome of reading a document. A later try replaces it.
func (p *pushes) read(j *job) {
	if p == nil {
		return
	}
	d := core.PushedDocument{Outcome: core.PushFailed}
	if j.written {
		d.Outcome = core.PushWritten
	}
	if j.failed != nil {
		d.Kind, d.Reason = j.failed.Kind, j.failed.Detail
	}
	p.documents[j.upsert.Document.ExternalID] = d
}

// pushConnector is a connector that was handed everything.
type pushConnector struct{ core.Push }

// CanList tells whether the push names all documents.
func (c pushConnector) CanList() bool { return c.Complete }

// Sync hands over the changes.
func (c pushConnector) Sync(_ context.Context, _ core.Cursor, _ core.SyncReason, each func(core.Change) error) error {
	for _, ch := range c.Changes {
		if err := each(ch); err != nil {
			return err
		}
	}
	return nil
}

// List names what was brought.
func (c pushConnector) List(_ context.Context, each func(externalID, revision string) error) error {
	for _, ch := range c.Changes {
		if u, ok := ch.(core.Upsert); ok {
			if err := each(u.Document.ExternalID, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fetch opens a file that came with the push.
func (c pushConnector) Fetch(_ context.Context, ref string, limit int64) (io.ReadCloser, core.FileRef, error) {
	body, ok := c.Files[ref]
	switch {
	case !ok:
		return nil, core.FileRef{}, errors.New("the push holds no such file")
	case int64(len(body)) > limit:
		return nil, core.FileRef{}, core.Errorf(core.KindTooLarge, "The file has %d bytes; files up to %d are read.", len(body), limit)
	}
	return io.NopCloser(bytes.NewReader(body)), core.FileRef{}, nil
}
