// Package hosttest stands in for Footnote, and for the system behind a connector, in
// tests of connectors.
package hosttest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Host keeps what a sync sends as Footnote does. What came after the last checkpoint
// is lost when it stops.
type Host struct {
	Docs   map[string]sdk.Document
	Failed map[string]string // by the ids of documents
	Gone   []string          // documents that were removed
	Closed []string          // folders
	Notes  []string
	Cursor sdk.Cursor
	Sent   int // documents
	StopAt int // after so many events; 0 for never

	saved  map[string]sdk.Document
	events int
}

// NewHost has nothing yet.
func NewHost() *Host {
	return &Host{Docs: map[string]sdk.Document{}, Failed: map[string]string{}, saved: map[string]sdk.Document{}}
}

// ErrStopped is what a host says that stops.
var ErrStopped = errors.New("the host stopped")

func (h *Host) event() error {
	if h.events++; h.StopAt > 0 && h.events > h.StopAt {
		return ErrStopped
	}
	return nil
}

// Document, like the methods after it, is that of sdk.Out.
func (h *Host) Document(d sdk.Document) error {
	delete(h.Failed, d.ID)
	h.Docs[d.ID] = d
	h.Sent++
	return h.event()
}

// Unread is that of sdk.Out.
func (h *Host) Unread(d sdk.Document, err error) error {
	h.Failed[d.ID] = err.Error()
	return h.event()
}

// Removed is that of sdk.Out.
func (h *Host) Removed(id string) error {
	delete(h.Docs, id)
	h.Gone = append(h.Gone, id)
	return h.event()
}

// FolderFailed is that of sdk.Out.
func (h *Host) FolderFailed(folder string, _ error) error {
	h.Closed = append(h.Closed, folder)
	return h.event()
}

// Note is that of sdk.Out.
func (h *Host) Note(text string) error {
	h.Notes = append(h.Notes, text)
	return h.event()
}

// Checkpoint is that of sdk.Out.
func (h *Host) Checkpoint(c sdk.Cursor) error {
	if err := h.event(); err != nil {
		return err
	}
	h.Cursor, h.saved = append(sdk.Cursor(nil), c...), maps.Clone(h.Docs)
	return nil
}

// Crash forgets what no checkpoint covers.
func (h *Host) Crash() { h.Docs, h.events = maps.Clone(h.saved), 0 }

// Readers keeps what an account of readers tells.
type Readers struct {
	Folders map[string]sdk.Access
	Groups  map[string][]string
	Whole   bool // all folders were told
	All     bool // all groups
}

// NewReaders has nothing yet.
func NewReaders() *Readers {
	return &Readers{Folders: map[string]sdk.Access{}, Groups: map[string][]string{}}
}

// Folder, like the methods after it, is that of sdk.Grants.
func (r *Readers) Folder(id string, a sdk.Access) error { r.Folders[id] = a; return nil }

// AllFolders is that of sdk.Grants.
func (r *Readers) AllFolders() error { r.Whole = true; return nil }

// Group is that of sdk.Grants.
func (r *Readers) Group(g sdk.Group) error { r.Groups[g.Name] = g.Users; return nil }

// AllGroups is that of sdk.Grants.
func (r *Readers) AllGroups() { r.All = true }

// IDs are the ids of documents, in order.
func IDs(docs map[string]sdk.Document) []string { return slices.Sorted(maps.Keys(docs)) }

// WantError holds an error against its kind and words. It may not hold the secret.
func WantError(t *testing.T, what string, err error, secret, kind string, words ...string) {
	t.Helper()
	if err == nil || sdk.KindOf(err) != kind {
		t.Errorf("%s: want %q, got %q: %v", what, kind, sdk.KindOf(err), err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q is not in: %v", what, w, err)
		}
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("%s: the error holds the token", what)
	}
}
