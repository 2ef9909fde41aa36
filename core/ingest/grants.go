package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Grants lets the source tell who may read what and who is in which group, and
// reads no documents. It stands among the source's syncs as core.SyncAccess.
// What was told before an error counts, all else stays as it was and goes on to
// age. The error is of kind invalid if the connector cannot tell.
func (s *Syncer) Grants(ctx context.Context, src core.Source, conn Connector, opts SyncOptions) (Report, error) {
	if s.granter(conn) == nil {
		return Report{}, core.Errorf(core.KindInvalid,
			"The connector %q of source %q tells readers only together with documents; sync it without --access.", src.Connector, src.Name)
	}
	track, release, err := s.claim(src.Name)
	if err != nil {
		return Report{}, err
	}
	defer release()
	r := &run{syncer: s, source: src.Name, conn: conn, opts: opts, reason: core.SyncAccess, track: track}
	return s.only(ctx, r, r.grants)
}

// only does one part of a sync, as a run of its own.
func (s *Syncer) only(ctx context.Context, r *run, part func(context.Context) error) (Report, error) {
	record := core.SyncRun{Source: r.source, Reason: r.reason, Started: time.Now()}
	r.track.begin(r.source, r.reason, record.Started)
	var err error
	if record.ID, err = s.Ledger.SaveRun(ctx, record); err != nil {
		return Report{}, err
	}
	follower, running := s.follow(ctx)
	r.kick = follower.kick
	err = part(running)
	if indexErr := follower.stop(); indexErr != nil && (err == nil || core.KindOf(err) == core.KindCancelled) {
		err = indexErr
	}
	record.Finished = time.Now()
	err = s.finish(ctx, record, r, err)
	return Report{SyncCounts: r.counts, Reason: r.reason, Notes: r.notes, Took: record.Finished.Sub(record.Started)}, err
}

func (s *Syncer) granter(conn Connector) Granter {
	if g, ok := conn.(Granter); ok && s.Access != nil && g.CanGrants() {
		return g
	}
	return nil
}

// accessPass is one pass in progress. It belongs to one goroutine.
type accessPass struct {
	run     *run
	pass    int64
	folders map[string]core.FolderReaders
	named   bool // all folders
	readers map[string]core.Readers
	groups  map[string]core.GroupMembers
	gone    map[string]bool
	cursor  *core.Cursor
	whole   *core.AccessWhole
	bytes   int
}

// grants runs one pass, if the connector grants; nil where it does not.
func (r *run) grants(ctx context.Context) error {
	g := r.syncer.granter(r.conn)
	if g == nil {
		return nil
	}
	state, err := r.syncer.Access.BeginAccess(ctx, r.source, r.opts.Full)
	if err != nil {
		return err
	}
	p := &accessPass{run: r, pass: state.Pass}
	p.reset()
	changes, ended := make(chan core.AccessChange), make(chan error, 1)
	streaming, cancel := context.WithCancel(ctx)
	go func() {
		ended <- g.Grants(streaming, state.Cursor, func(ch core.AccessChange) error {
			select {
			case changes <- ch:
				return nil
			case <-streaming.Done():
				return context.Cause(streaming)
			}
		})
		close(changes)
	}()
	err = p.take(ctx, changes)
	cancel()
	for range changes { // until the connector has noticed
	}
	if streamErr := <-ended; err == nil {
		err = streamErr
	}
	if err == nil {
		err = p.end(ctx)
	}
	if err != nil && ctx.Err() == nil {
		r.note("Who may read what was not told to its end; what is known stays, and restricted documents are closed when it is too old.")
	}
	return err
}

// take commits what comes when it is much, and at the latest after batchDelay:
// nobody keeps a right because a slow connector has more to tell. What came
// before an error of the connector is kept.
func (p *accessPass) take(ctx context.Context, changes <-chan core.AccessChange) error {
	late := time.NewTimer(batchDelay)
	defer late.Stop()
	for {
		select {
		case ch, more := <-changes:
			if !more {
				return p.commit(ctx)
			}
			if p.empty() {
				late.Reset(batchDelay)
			}
			if err := p.add(ctx, ch); err != nil {
				return err
			}
		case <-late.C:
			if err := p.commit(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// How much is told before it is committed, in changes and bytes of members.
const (
	accessChanges = 256
	accessBytes   = 4 << 20
)

// add takes a change. The last word on a document or a group counts.
func (p *accessPass) add(ctx context.Context, ch core.AccessChange) error {
	switch ch := ch.(type) {
	case core.FolderReaders:
		p.folders[ch.Folder] = ch
	case core.FoldersWhole:
		p.named = true
	case core.Readers:
		if idProblem(ch.ExternalID) == "" {
			p.readers[ch.ExternalID] = ch
		}
	case core.GroupMembers:
		ch.Source = p.run.source
		p.groups[ch.Name] = ch
		delete(p.gone, ch.Name)
		for _, u := range ch.Users {
			p.bytes += len(u)
		}
	case core.GroupRemoval:
		p.gone[ch.Name] = true
		delete(p.groups, ch.Name)
	case core.Checkpoint:
		p.cursor = &ch.Cursor
	case core.AccessWhole:
		p.whole = &ch
	}
	if len(p.folders)+len(p.readers)+len(p.groups)+len(p.gone) < accessChanges && p.bytes < accessBytes {
		return nil
	}
	return p.commit(ctx)
}

func (p *accessPass) empty() bool {
	return len(p.folders) == 0 && !p.named && len(p.readers) == 0 && len(p.groups) == 0 && len(p.gone) == 0 && p.cursor == nil
}

func (p *accessPass) reset() {
	p.readers, p.groups, p.gone = map[string]core.Readers{}, map[string]core.GroupMembers{}, map[string]bool{}
	p.folders, p.named, p.cursor, p.bytes = map[string]core.FolderReaders{}, false, nil, 0
}

func (p *accessPass) commit(ctx context.Context) error {
	if p.empty() {
		return nil
	}
	return p.write(ctx, nil)
}

// end is called only after the connector said that it told everything.
func (p *accessPass) end(ctx context.Context) error {
	if p.whole == nil {
		return core.Errorf(core.KindUnavailable,
			"source %q: the account of who may read what broke off; what is known of the rest stays as it is", p.run.source)
	}
	return p.write(ctx, p.whole)
}

func (p *accessPass) write(ctx context.Context, whole *core.AccessWhole) error {
	b := core.AccessBatch{Source: p.run.source, Pass: p.pass, Cursor: p.cursor, Whole: whole}
	b.FoldersWhole = p.named
	for _, f := range p.folders {
		b.Folders = append(b.Folders, f)
	}
	for _, r := range p.readers {
		b.Readers = append(b.Readers, r)
	}
	for _, g := range p.groups {
		b.Groups = append(b.Groups, g)
	}
	for name := range p.gone {
		b.Gone = append(b.Gone, name)
	}
	counts, err := p.run.syncer.Access.CommitAccess(ctx, b)
	if err != nil {
		return err
	}
	p.reset()
	p.run.counts.AccessChanged += counts.Documents
	p.run.counts.Groups += counts.Groups
	if counts.Closed > 0 {
		p.run.note(fmt.Sprintf("The source told who may read what and left out %d documents; nobody may read them now.", counts.Closed))
	}
	p.run.kick()
	p.run.report(0, b.Cursor != nil)
	return nil
}
