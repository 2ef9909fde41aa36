package ingest

import (
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestDecide(t *testing.T) {
	old, now, facts, other := core.Hash{1}, core.Hash{2}, core.Hash{3}, core.Hash{4}
	for _, c := range []struct {
		name  string
		known core.Known
		retry bool
		want  action
	}{
		{"new", core.Known{}, false, action{content: true}},
		{"unchanged", core.Known{Stored: true, Content: now, Facts: facts}, false, action{}},
		{"unchanged in a full sync", core.Known{Stored: true, Content: now, Facts: facts}, true, action{}},
		{"access only", core.Known{Stored: true, Content: now, Facts: other}, false, action{facts: true}},
		{"content only", core.Known{Stored: true, Content: old, Facts: facts}, false, action{content: true}},
		{"both", core.Known{Stored: true, Content: old, Facts: other}, false, action{facts: true, content: true}},
		{"failed as it is", core.Known{Failed: now, Tries: 1}, false, action{}},
		{"failed as it is, asked again", core.Known{Failed: now, Tries: 9}, true, action{content: true}},
		{"failed as it is, access changed", core.Known{Stored: true, Content: old, Facts: other, Failed: now, Tries: 1}, false, action{facts: true}},
		{"failed before it changed", core.Known{Failed: old, Tries: 1}, false, action{content: true}},
		{"could not be fetched", core.Known{Tries: 1}, false, action{content: true}},
		{"failed, then changed back", core.Known{Stored: true, Content: now, Facts: facts, Failed: old, Tries: 1}, false, action{content: true}},
		{"stored in part", core.Known{Stored: true, Content: now, Facts: facts, Failed: now, Tries: 1}, false, action{}},
		{"stored in part, asked again", core.Known{Stored: true, Content: now, Facts: facts, Failed: now, Tries: 1}, true, action{content: true}},
	} {
		if got := decide(c.known, now, facts, c.retry); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestHold(t *testing.T) {
	for _, c := range []struct {
		name                    string
		stored, missing, listed int
		accepted, want          bool
	}{
		{"nothing missing", 100, 0, 100, false, false},
		{"nothing stored, nothing listed", 0, 0, 0, false, false},
		{"ten of few", 12, 10, 2, false, false},
		{"eleven of few", 12, 11, 1, false, true},
		{"a fifth", 100, 20, 80, false, false},
		{"more than a fifth", 100, 21, 79, false, true},
		{"a fifth, not whole", 59, 12, 47, false, true},
		{"below a fifth, not whole", 59, 11, 48, false, false},
		{"empty listing of few", 3, 3, 0, false, true},
		{"accepted", 100, 100, 0, true, false},
	} {
		if got := hold(c.stored, c.missing, c.listed, c.accepted); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func TestReasonFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		state core.SyncState
		full  bool
		want  core.SyncReason
	}{
		{"new", core.SyncState{}, false, core.SyncFirst},
		{"new and full", core.SyncState{}, true, core.SyncFirst},
		{"in progress", core.SyncState{Cursor: core.Cursor("c")}, false, core.SyncPoll},
		{"later", core.SyncState{Cursor: core.Cursor("c"), Documents: 1}, false, core.SyncPoll},
		{"full", core.SyncState{Cursor: core.Cursor("c"), Documents: 1}, true, core.SyncRebuild},
		{"never checkpoints", core.SyncState{Documents: 1}, false, core.SyncRebuild},
	} {
		if got := reasonFor(c.state, c.full); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEndsSync(t *testing.T) {
	for _, c := range []struct {
		kind     core.Kind
		fetching bool
		tries    int
		want     bool
	}{
		{core.KindDisk, false, 9, true},
		{core.KindUnavailable, true, 0, true},
		{core.KindBusy, true, 1, true},
		{core.KindAuth, true, 2, false},
		{core.KindUnavailable, false, 0, false},
		{core.KindTimeout, true, 0, false},
		{core.KindDenied, true, 0, false},
		{core.KindInvalid, false, 0, false},
		{core.KindInternal, false, 0, false},
	} {
		if got := endsSync(c.kind, c.fetching, c.tries); got != c.want {
			t.Errorf("%s while fetching %v after %d tries: got %v", c.kind, c.fetching, c.tries, got)
		}
	}
}

func TestLasting(t *testing.T) {
	for _, c := range []struct {
		kind     core.Kind
		fetching bool
		tries    int
		want     bool
	}{
		{core.KindInvalid, false, 0, true},
		{core.KindTooLarge, true, 0, true},
		{core.KindInternal, false, 0, true},
		{core.KindDenied, true, 0, true},
		{core.KindUnavailable, true, 9, false},
		{core.KindAuth, true, 2, false},
		{core.KindBusy, true, 2, false},
		{core.KindUnavailable, false, 1, false},
		{core.KindUnavailable, false, 2, true},
		{core.KindTimeout, false, 0, false},
		{core.KindTimeout, false, 2, true},
		{core.KindDisk, false, 0, false},
	} {
		if got := lasting(c.kind, c.fetching, c.tries); got != c.want {
			t.Errorf("%s while fetching %v after %d tries: got %v", c.kind, c.fetching, c.tries, got)
		}
	}
}

// Every field is in exactly one of the two hashes, or in none on purpose.
func TestHashes(t *testing.T) {
	base := func() core.Upsert {
		return core.Upsert{Document: core.Document{Title: "t", Body: "b", Access: core.Access{core.Public}, Folders: []string{"f"}}}
	}
	for _, c := range []struct {
		name           string
		change         func(*core.Upsert)
		content, facts bool
	}{
		{"nothing", func(*core.Upsert) {}, false, false},
		{"title", func(u *core.Upsert) { u.Document.Title = "x" }, true, false},
		{"body", func(u *core.Upsert) { u.Document.Body = "x" }, true, false},
		{"text moved between fields", func(u *core.Upsert) { u.Document.Title, u.Document.Body = "tb", "" }, true, false},
		{"media type", func(u *core.Upsert) { u.Document.MediaType = "text/html" }, true, false},
		{"file", func(u *core.Upsert) { u.Document.Files = []core.FileRef{{Ref: "r"}} }, true, false},
		{"url", func(u *core.Upsert) { u.Document.URL = "x" }, false, true},
		{"kind", func(u *core.Upsert) { u.Document.Kind = "x" }, false, true},
		{"authors", func(u *core.Upsert) { u.Document.Authors = []string{"x"} }, false, true},
		{"created", func(u *core.Upsert) { u.Document.Created = time.Unix(1, 0) }, false, true},
		{"updated", func(u *core.Upsert) { u.Document.Updated = time.Unix(1, 0) }, false, true},
		{"meta", func(u *core.Upsert) { u.Document.Meta = map[string]string{"a": "b"} }, false, true},
		{"folders", func(u *core.Upsert) { u.Document.Folders = []string{"x"} }, false, true},
		{"an author for a folder", func(u *core.Upsert) { u.Document.Authors, u.Document.Folders = []string{"f"}, nil }, false, true},
		{"hidden", func(u *core.Upsert) { u.Document.Hidden = true }, false, true},
		{"access", func(u *core.Upsert) { u.Document.Access = nil }, false, true},
		{"access, the same in other words", func(u *core.Upsert) { u.Document.Access = core.Access{"PUBLIC", "public"} }, false, false},
		{"left to the host", func(u *core.Upsert) { u.HostAccess = true }, false, true},
	} {
		a, b := base(), base()
		c.change(&b)
		if got := contentHash(a.Document) != contentHash(b.Document); got != c.content {
			t.Errorf("%s: content differs %v", c.name, got)
		}
		if got := factsHash(a) != factsHash(b); got != c.facts {
			t.Errorf("%s: facts differ %v", c.name, got)
		}
	}
	with := func(updated time.Time) core.Hash {
		return contentHash(core.Document{Updated: updated, Files: []core.FileRef{{Ref: "r", Size: 3}}})
	}
	if with(time.Unix(1, 0)) == with(time.Unix(2, 0)) {
		t.Error("a file that was written again counts as unchanged")
	}
}

func TestBatchKeepsTheLastWord(t *testing.T) {
	up := func(id, body string) core.Upsert {
		return core.Upsert{Document: core.Document{ExternalID: id, Body: body}}
	}
	gone := func(id string) core.Removal { return core.Removal{ExternalID: id} }
	failed := func(id string) core.Failure { return core.Failure{ExternalID: id} }
	for _, c := range []struct {
		name                      string
		changes                   []core.Change
		upserts, removed, failing []string
	}{
		{"twice", []core.Change{up("a", "1"), up("a", "2")}, []string{"a2"}, nil, nil},
		{"removed at last", []core.Change{up("a", "1"), gone("a")}, nil, []string{"a"}, nil},
		{"back again", []core.Change{gone("a"), up("a", "1")}, []string{"a1"}, nil, nil},
		{"read after a failure", []core.Change{failed("a"), up("a", "1")}, []string{"a1"}, nil, nil},
		{"failed in part", []core.Change{up("a", "1"), failed("a")}, []string{"a1"}, nil, []string{"a"}},
		{"failed and removed", []core.Change{failed("a"), gone("a")}, nil, []string{"a"}, nil},
		{"no id", []core.Change{up("", "1")}, nil, nil, []string{""}},
		{"id that is not text", []core.Change{up("a\xff", "1")}, nil, nil, []string{"a\uFFFD"}},
		{"id with a NUL", []core.Change{up("a\x00", "1")}, nil, nil, []string{"a\x00"}},
	} {
		b := newBatch()
		for _, ch := range c.changes {
			b.add("s", ch)
		}
		var upserts, removed, failing []string
		for id, u := range b.upserts {
			upserts = append(upserts, id+u.Document.Body)
		}
		for id := range b.removed {
			removed = append(removed, id)
		}
		for id := range b.failures {
			failing = append(failing, id)
		}
		if !slices.Equal(upserts, c.upserts) || !slices.Equal(removed, c.removed) || !slices.Equal(failing, c.failing) {
			t.Errorf("%s: got %q, %q, %q", c.name, upserts, removed, failing)
		}
	}
}

func TestBatchIsBounded(t *testing.T) {
	b := newBatch()
	for range batchDocuments - 1 {
		b.add("s", core.Note{})
	}
	if b.full() {
		t.Error("full too early")
	}
	b.add("s", core.Note{})
	if !b.full() {
		t.Error("not full with enough changes")
	}
	b = newBatch()
	b.add("s", core.Upsert{Document: core.Document{ExternalID: "a", Files: []core.FileRef{{Size: batchBytes}}}})
	if !b.full() {
		t.Error("not full with enough bytes")
	}
}
