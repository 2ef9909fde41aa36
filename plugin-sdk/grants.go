package sdk

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Group is one group of the system with who is in it.
type Group struct {
	Name   string   // as Access.Groups has it
	Users  []string // e-mail addresses
	Groups []string // names of groups whose members are members too; may go around in circles
}

// Grants takes what a Granter finds. Its methods may be called from several
// goroutines; they block and fail as those of Out do.
type Grants struct {
	ctx  context.Context
	mu   sync.Mutex
	send func(*wire.GrantsEvent) error

	allGroups, allDocuments bool
}

// Document replaces the readers of a document that Sync sends. Zero Access
// means nobody.
func (g *Grants) Document(id string, readers Access) error {
	if id == "" {
		return errors.New("a grant needs the document's id")
	}
	grant := &wire.Grant{Document: valid(id), Access: readers.wire()}
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_Grant{Grant: grant}})
}

// Folder says who may read the documents of a folder, an id as Document.Folders has
// it, all of them alike. It holds until the folder is named again: what is stored of
// it gets these readers, and nothing that Sync sends in it gets more. Of nested
// folders the innermost counts; zero Access means nobody. A connector of which all
// documents of a folder have the same readers tells of folders alone, each time of
// all of them, and of no Document.
func (g *Grants) Folder(id string, readers Access) error {
	if id == "" {
		return errors.New("a grant needs the folder's id")
	}
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_Folder{Folder: &wire.FolderGrant{Folder: valid(id), Access: readers.wire()}}})
}

// AllFolders says that this call has named every folder there is: what lies in one
// that an earlier call named, and this one has not, nobody may read from now on,
// however the call ends.
func (g *Grants) AllFolders() error {
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_FoldersComplete{FoldersComplete: &wire.FoldersComplete{}}})
}

// Group replaces the members of a group.
func (g *Grants) Group(group Group) error {
	if group.Name == "" {
		return errors.New("a group needs a name")
	}
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_Group{Group: &wire.Group{
		Name: valid(group.Name), Users: validAll(group.Users), Groups: validAll(group.Groups),
	}}})
}

// GroupRemoved says that a group is no more.
func (g *Grants) GroupRemoved(name string) error {
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_Group{Group: &wire.Group{Name: valid(name), Removed: true}}})
}

// AllGroups says that this call tells every group there is although it was given
// a cursor: one that it does not name is no more once it has returned nil.
func (g *Grants) AllGroups() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allGroups = true
}

// Checkpoint says that everything told so far is covered by the cursor.
func (g *Grants) Checkpoint(c Cursor) error {
	if err := c.problem(); err != nil {
		return err
	}
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: c}}})
}

// complete is sent only after the author's Grants returned without an error.
func (g *Grants) complete() error {
	return g.emit(&wire.GrantsEvent{Event: &wire.GrantsEvent_Complete{
		Complete: &wire.GrantsComplete{AllGroups: g.allGroups, AllDocuments: g.allDocuments},
	}})
}

func (g *Grants) emit(event *wire.GrantsEvent) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.ctx.Err(); err != nil {
		return fmt.Errorf("the host stopped reading: %w", err)
	}
	if err := g.send(event); err != nil {
		return fmt.Errorf("the host is gone: %w", err)
	}
	return nil
}
