package ingest

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Who may read a document is told twice: by Sync, which sends it, and by Grants.
// Sync sends nothing for more people than the last account knew: a folder that is
// public for an hour between two accounts is private in both, and nothing would ever
// close what was sent in that hour.

// folders is what a run knows of the folders that its source told of.
type folders struct {
	told      core.ToldFolders
	unsettled map[string]bool
	news      []string // of unsettled, what the ledger does not know yet
}

// loadFolders is called when the account of readers has been taken in, as far as it
// went.
func (r *run) loadFolders(ctx context.Context) (err error) {
	if r.syncer.granter(r.conn) != nil {
		r.folders.told, err = r.syncer.Access.ToldFolders(ctx, r.source)
	}
	return err
}

// hold keeps a document to the readers of its folder. Where it was stated to have
// others, more or fewer, the next account gives all that lies in the folder the
// readers of that moment.
func (f *folders) hold(u core.Upsert) core.Upsert {
	folder, told, ok := f.told.Of(u.Document.Folders)
	if !ok {
		return u
	}
	if u.HostAccess {
		u.HostAccess, u.Document.Access = false, told
		return u
	}
	stated := core.NewAccess(u.Document.Access...)
	u.Document.Access = stated.Within(told)
	if !f.unsettled[folder] && !slices.Equal(stated, told) {
		if f.unsettled == nil {
			f.unsettled = map[string]bool{}
		}
		f.unsettled[folder] = true
		f.news = append(f.news, folder)
	}
	return u
}

// takeNews hands over what the ledger does not know yet.
func (f *folders) takeNews() []string {
	news := f.news
	f.news = nil
	return news
}
