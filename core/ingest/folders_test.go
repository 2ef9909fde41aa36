package ingest_test

import (
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

const room = core.Principal("group:wiki/room")

func folder(name string, access ...core.Principal) core.FolderReaders {
	return core.FolderReaders{Folder: name, Access: access}
}

// inside puts a document of the text alpha into folders, outermost first.
func inside(access core.Access, folders ...string) core.Upsert {
	u := upsert("a", "alpha", access...)
	u.Document.Folders = folders
	return u
}

// A folder's readers are those of the account: what Sync sends gets no more, and
// where it sent something else the next account is right again in all of it.
func TestSyncNamesNoMoreReadersThanTheAccount(t *testing.T) {
	open, closed := core.NewAccess(core.Workspace, room), core.NewAccess(room)
	for name, row := range map[string]struct {
		told, sent, then core.Access
		held, after      bool // whether all members read
	}{
		"open for a moment":    {told: closed, sent: open, then: closed},
		"opened":               {told: closed, sent: open, then: open, after: true},
		"closed for a moment":  {told: open, sent: closed, then: open, after: true},
		"closed":               {told: open, sent: closed, then: closed},
		"as it was":            {told: open, sent: open, then: open, held: true, after: true},
		"closed after it came": {told: open, sent: open, then: closed, held: true},
		"public for a moment":  {told: open, sent: core.NewAccess(core.Public), then: open, held: true, after: true},
		"of others":            {told: closed, sent: core.NewAccess("group:wiki/other", core.Workspace), then: closed},
		"nobody's":             {told: core.Access{}, sent: core.NewAccess(core.Public), then: core.Access{}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newGranted(t)
			g := &granter{script: script{changes: []core.Change{inside(row.sent, "server", "room", "#room")}},
				account: []core.AccessChange{folder("room", row.told...), core.FoldersWhole{}}}
			w.granted(g, ingest.SyncOptions{})
			want := map[bool]map[string]string{true: alpha, false: nothing}
			w.diff("after the sync", want[row.held], w.texts(core.Workspace))
			w.diff("not for anybody", nothing, w.texts())
			extracted, put := w.words.calls.Load(), w.index.puts
			g.account[0] = folder("room", row.then...)
			w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
			w.diff("after the account", want[row.after], w.texts(core.Workspace))
			if len(row.then) > 0 {
				w.diff("who is in the room", alpha, w.texts(room))
			}
			if w.words.calls.Load() != extracted || w.index.puts != put {
				t.Error("other readers made a text be read or indexed again")
			}
			w.agree()
		})
	}
}

// A folder that an account does not name any more is closed however the account
// ends, and open again when it is named; what is sent of it meanwhile stays closed.
func TestFoldersThatAreNotNamedAnyMore(t *testing.T) {
	w, _ := newGranted(t)
	doc := inside(core.NewAccess(core.Public), "room")
	named := []core.AccessChange{folder("room", core.Public), core.FoldersWhole{}, people("hr", "ann@x.org")}
	g := &granter{script: script{changes: []core.Change{doc}}, account: named}
	w.granted(g, ingest.SyncOptions{})
	w.diff("at first", alpha, w.texts())
	g.account, g.cut = []core.AccessChange{folder("other", core.Public), core.FoldersWhole{}, people("hr", "ann@x.org")}, 2
	if err := errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})); core.KindOf(err) != core.KindUnavailable {
		t.Fatal(err)
	}
	w.diff("away", nothing, w.texts())
	if err := errorOf(w.sync.Sync(t.Context(), w.src, g, ingest.SyncOptions{Full: true})); core.KindOf(err) != core.KindUnavailable {
		t.Fatal(err)
	}
	w.diff("sent while it is away", nothing, w.texts())
	g.account, g.cut = named, 0
	w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
	w.diff("back", alpha, w.texts())
	w.agree()
}

// What was told of a folder holds where a later account cannot be had.
func TestFoldersHoldWithoutAnAccount(t *testing.T) {
	w, _ := newGranted(t)
	g := &granter{account: []core.AccessChange{folder("room", room), core.FoldersWhole{}}}
	w.granted(g, ingest.SyncOptions{})
	g.failed = core.Errorf(core.KindDenied, "the directory is closed")
	g.script.changes = []core.Change{inside(core.NewAccess(core.Public), "room")}
	if err := errorOf(w.sync.Sync(t.Context(), w.src, g, ingest.SyncOptions{})); core.KindOf(err) != core.KindDenied {
		t.Fatal(err)
	}
	w.diff("anybody", nothing, w.texts())
	w.diff("who is in the room", alpha, w.texts(room))
}

// A folder that is new since the account is as the documents say, until it is told
// of; of nested folders the innermost counts.
func TestFoldersThatAreNew(t *testing.T) {
	w, _ := newGranted(t)
	outer := folder("server", core.Public)
	g := &granter{script: script{changes: []core.Change{inside(core.NewAccess(core.Public), "server", "room")}},
		account: []core.AccessChange{outer, core.FoldersWhole{}}}
	w.granted(g, ingest.SyncOptions{})
	w.diff("at first", alpha, w.texts())
	g.account = []core.AccessChange{outer, folder("room", room), core.FoldersWhole{}}
	w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
	w.diff("anybody", nothing, w.texts())
	w.diff("who is in the room", alpha, w.texts(room))
	w.agree()
}

// An account of folders keeps the readers of documents fresh as one of documents does.
func TestFoldersKeepReadersFresh(t *testing.T) {
	w, clock := newGranted(t)
	g := &granter{script: script{changes: []core.Change{inside(core.NewAccess(core.User("ann@x.org")), "room")}},
		account: []core.AccessChange{folder("room", core.User("ann@x.org")), core.FoldersWhole{}}}
	w.granted(g, ingest.SyncOptions{})
	for range 3 {
		*clock = clock.Add(20 * 3600e9)
		w.check(errorOf(w.sync.Grants(t.Context(), w.src, g, ingest.SyncOptions{})))
		w.diff("still known", alpha, w.reads("ann@x.org"))
	}
	*clock = clock.Add(25 * 3600e9)
	w.diff("told too long ago", nothing, w.reads("ann@x.org"))
}
