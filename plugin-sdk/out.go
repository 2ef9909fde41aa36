package sdk

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Out takes what a Sync finds. Its methods may be called from several
// goroutines. Each blocks while the host is behind and returns an error once
// the host is gone or has stopped reading: return that error from Sync.
type Out struct {
	ctx  context.Context
	mu   sync.Mutex
	send func(*wire.SyncEvent) error
}

// Document sends a new or changed document. One that breaks a limit (see
// Document) is recorded as failed, and the sync goes on.
func (o *Out) Document(d Document) error {
	if e := d.problem(); e != nil {
		return o.Unread(d, e)
	}
	event := &wire.SyncEvent{Event: &wire.SyncEvent_Document{Document: d.wire()}}
	// Counting is as dear as sending, and hardly any document comes near the limit.
	if !d.light() {
		if size := proto.Size(event); size > wire.MaxMessage/2 {
			return o.Unread(d, newError(kindTooLarge,
				fmt.Sprintf("the document with its metadata takes %d bytes, the limit is %d", size, wire.MaxMessage/2)))
		}
	}
	return o.emit(event)
}

// Removed says that a document no longer exists.
func (o *Out) Removed(id string) error {
	return o.emit(&wire.SyncEvent{Event: &wire.SyncEvent_Removed{Removed: &wire.Removed{Id: valid(id)}}})
}

// Failed records that one document could not be read, and why. The sync goes
// on; Gone removes the document. A version that was sent before stays with its
// readers: where those are known to the connector, Unread is the one to call.
func (o *Out) Failed(id string, err error) error { return o.emitFailure(failure(id, err)) }

// Unread is Failed for a document whose content alone could not be read. All of
// d but its body and files counts: a version that was sent before keeps its
// content and gets the new readers.
func (o *Out) Unread(d Document, err error) error {
	f := failure(d.ID, err)
	if d.Title != "" {
		f.Title = valid(d.Title)
	}
	d.Body, d.Files = "", nil
	if d.problem() != nil {
		return o.emitFailure(f) // nothing can be stored under such an id
	}
	f.Document = d.wire()
	if proto.Size(f) > wire.MaxMessage/2 {
		f.Document = &wire.Document{Id: d.ID, Access: d.Access.wire()}
	}
	return o.emitFailure(f)
}

// FolderFailed records that nothing in the folder with the id (see
// Document.Folders) could be looked at, so that it is not known who may read
// what was sent of it before. Nobody may until it is sent again.
func (o *Out) FolderFailed(folder string, err error) error {
	f := failure(folder, err)
	f.Folder = f.GetId()
	return o.emitFailure(f)
}

func (o *Out) emitFailure(f *wire.Failure) error {
	return o.emit(&wire.SyncEvent{Event: &wire.SyncEvent_Failure{Failure: f}})
}

// Checkpoint says that everything sent so far is covered by the cursor: after
// an interruption the next Sync starts from it. Send one at least every 1,000
// documents or every minute, and one at the end.
func (o *Out) Checkpoint(c Cursor) error {
	if err := c.problem(); err != nil {
		return err
	}
	return o.emit(&wire.SyncEvent{Event: &wire.SyncEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: c}}})
}

// Note sends a sentence for the owner, shown in the source's status.
func (o *Out) Note(text string) error {
	return o.emit(&wire.SyncEvent{Event: &wire.SyncEvent_Note{Note: &wire.Note{Text: valid(text)}}})
}

func (o *Out) emit(event *wire.SyncEvent) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.ctx.Err(); err != nil {
		return fmt.Errorf("the host stopped reading: %w", err)
	}
	if err := o.send(event); err != nil {
		return fmt.Errorf("the host is gone: %w", err)
	}
	return nil
}

// Listing takes what a List finds. Its method may be called from several
// goroutines.
type Listing struct {
	ctx   context.Context
	mu    sync.Mutex
	send  func(*wire.ListEvent) error
	batch []*wire.ListItem
	count int64
}

// Document names a document that exists. The revision changes when the document
// does; it may be empty. It blocks and fails as the methods of Out do.
func (l *Listing) Document(id, revision string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.batch = append(l.batch, &wire.ListItem{Id: valid(id), Revision: valid(revision)})
	l.count++
	if len(l.batch) < wire.ListSize {
		return nil
	}
	return l.flush()
}

func (l *Listing) flush() error {
	if err := l.ctx.Err(); err != nil {
		return fmt.Errorf("the host stopped reading: %w", err)
	}
	if len(l.batch) == 0 {
		return nil
	}
	batch := &wire.ListBatch{Items: l.batch}
	l.batch = nil
	if err := l.send(&wire.ListEvent{Event: &wire.ListEvent_Batch{Batch: batch}}); err != nil {
		return fmt.Errorf("the host is gone: %w", err)
	}
	return nil
}

// complete is sent only after the author's List returned without an error.
func (l *Listing) complete() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.flush(); err != nil {
		return err
	}
	return l.send(&wire.ListEvent{Event: &wire.ListEvent_Complete{Complete: &wire.ListComplete{Count: l.count}}})
}
