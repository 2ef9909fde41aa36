// Package history is what connectors for chats have in common: which channels they
// read, how a sync goes through these back in time, is stopped and goes on, and how
// messages that stand together become one document.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Sink is the part of sdk.Out that takes what a sync finds.
type Sink interface {
	Document(sdk.Document) error
	Unread(sdk.Document, error) error
	Removed(id string) error
	FolderFailed(folder string, err error) error
	Note(text string) error
	Checkpoint(sdk.Cursor) error
}

// Readers is the part of sdk.Grants that takes who may read what.
type Readers interface {
	Folder(id string, readers sdk.Access) error
	AllFolders() error
	Group(sdk.Group) error
	AllGroups()
}

// Pass is one run of Sync through the channels of a source.
type Pass struct {
	Out Sink

	cursor  any
	now     func() time.Time
	refused []error   // rights that were missing
	saved   time.Time // when the last checkpoint was
}

// NewPass begins a run. The cursor is written as JSON; lost are rights that were
// missing already when the channels were looked for.
func NewPass(out Sink, cursor any, now func() time.Time, lost []error) *Pass {
	return &Pass{Out: out, cursor: cursor, now: now, refused: lost, saved: now()}
}

// Checkpoint says that all that was sent so far is covered by the cursor.
func (p *Pass) Checkpoint() error {
	c, err := sdk.JSONCursor(p.cursor)
	if err != nil {
		return err
	}
	p.saved = p.now()
	return p.Out.Checkpoint(c)
}

// Breathe is a checkpoint where the last one was a while ago: one hour of a channel
// can take long.
func (p *Pass) Breathe() error {
	if p.now().Sub(p.saved) < 30*time.Second {
		return nil
	}
	return p.Checkpoint()
}

// Outside notes which channels are not read: why has a %s for their names.
func (p *Pass) Outside(names []string, why string) error {
	if len(names) == 0 {
		return nil
	}
	few := strings.Join(names[:min(len(names), 5)], ", ")
	if more := len(names) - 5; more > 0 {
		few += fmt.Sprintf(" and %d more", more)
	}
	return p.Out.Note(fmt.Sprintf(why, few))
}

// Vanished closes what was sent of channels that cannot be read any more: of those
// whose names, by their ids, the cursor has, and which are not there. Who is in them
// is not known. drop takes one out of the cursor, so that it is sent anew when it is
// back.
func (p *Pass) Vanished(names map[string]string, there map[string]bool, why string, drop func(id string), files Files) error {
	var closed []string
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if there[id] {
			continue
		}
		err := sdk.Denied(fmt.Errorf("the channel #%s cannot be read any more: %s", names[id], why))
		if err := p.Out.FolderFailed(id, err); err != nil {
			return err
		}
		if err := p.Out.Note(fmt.Sprintf("nobody may read what was read of #%s: the channel cannot be read any more", names[id])); err != nil {
			return err
		}
		drop(id)
		closed = append(closed, id)
	}
	if len(closed) == 0 {
		return nil
	}
	if err := p.Checkpoint(); err != nil {
		return err
	}
	for _, id := range closed {
		if err := files.remove(id); err != nil {
			return err
		}
	}
	return nil
}

// Order puts channels first whose pass was stopped, then those that were read longest
// ago: else the first ones would be read again and again before the last.
func Order[C any](list []C, at func(C) (stopped bool, done int64)) {
	slices.SortStableFunc(list, func(a, b C) int {
		stoppedA, doneA := at(a)
		stoppedB, doneB := at(b)
		if stoppedA != stoppedB {
			return map[bool]int{true: -1, false: 1}[stoppedA]
		}
		return cmp.Compare(doneA, doneB)
	})
}

// Each reads the channels, one after the other. What cannot be read for want of a
// right is named at the end, when all else has been sent: it parks the source, with
// the words of the first few refusals.
func Each[C any](ctx context.Context, p *Pass, list []C, read func(C) error) error {
	for _, c := range list {
		err := read(c)
		switch {
		case Refusal(err):
			p.refused = append(p.refused, err)
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
	if err := p.Checkpoint(); err != nil || len(p.refused) == 0 {
		return err
	}
	few := p.refused[:min(len(p.refused), 3)]
	text := errors.Join(few...).Error()
	if more := len(p.refused) - len(few); more > 0 {
		text = fmt.Sprintf("%s\nand %d more", text, more)
	}
	return sdk.Denied(errors.New(text))
}

// Refusal tells that a right is missing, or that the thing is gone.
func Refusal(err error) bool {
	kind := sdk.KindOf(err)
	return kind == "denied" || kind == "gone"
}

// Fatal tells that a sync cannot go on, whichever the thread.
func Fatal(err error) bool {
	kind := sdk.KindOf(err)
	return kind == "auth" || kind == "busy" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Voided keeps the loss of one channel from reading as the loss of the whole.
func Voided(err error) error {
	if sdk.KindOf(err) == "gone" {
		return sdk.Denied(fmt.Errorf("nothing is deleted: %w", err))
	}
	return err
}
