package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Recipe is raised when extraction or chunking changes so much that documents
// should be read again, in their next sync, although their sources did not change.
const Recipe = "6"

// action is what one changed document needs.
type action struct {
	facts   bool // write access and metadata
	content bool // extract, cut, write and index
}

// decide compares a document with what the ledger remembers. Content that
// failed before is not tried again unless retry is set.
func decide(k core.Known, content, facts core.Hash, retry bool) action {
	a := action{
		facts:   k.Stored && k.Facts != facts,
		content: !k.Stored || k.Content != content,
	}
	switch {
	case k.Tries == 0:
	case k.Failed == content && !retry:
		a.content = false
	default: // it failed as something else, or is to be retried
		a.content = true
	}
	return a
}

// hold tells whether deletions wait for the owner's word: a listing that comes
// back nearly empty is more often a lost permission than a tidied source.
func hold(stored, missing, listed int, accepted bool) bool {
	if accepted || missing == 0 {
		return false
	}
	return listed == 0 || missing > max(10, stored/5)
}

// reasonFor chooses what the connector is asked for.
func reasonFor(state core.SyncState, full bool) core.SyncReason {
	switch {
	case state.Documents == 0 && len(state.Cursor) == 0:
		return core.SyncFirst
	case full || len(state.Cursor) == 0:
		return core.SyncRebuild
	}
	return core.SyncPoll
}

// maxTries is how often a document may end a sync because its attachment cannot
// be had just now. After that it is passed over.
const maxTries = 3

// endsSync tells whether an error over one document is trouble of the source or
// of this machine, so that going on with the next document is pointless.
func endsSync(kind core.Kind, whileFetching bool, tries int) bool {
	switch kind {
	case core.KindDisk:
		return true
	case core.KindAuth, core.KindUnavailable, core.KindBusy:
		return whileFetching && tries+1 < maxTries
	}
	return false
}

// lasting tells whether an error over one document would come again, so that the
// same content is not tried again unless asked. What hinders the source never
// lasts; what hinders this machine is taken for the document's fault when it
// keeps coming.
func lasting(kind core.Kind, whileFetching bool, tries int) bool {
	switch kind {
	case core.KindAuth, core.KindUnavailable, core.KindBusy, core.KindTimeout, core.KindDisk:
		return !whileFetching && tries+1 >= maxTries
	}
	return true
}

// contentHash covers what passages are made of.
func contentHash(d core.Document) core.Hash {
	h := newSum(Recipe, d.Title, d.MediaType, d.Body)
	for _, f := range d.Files {
		h.add(f.Ref, f.Name, f.MediaType, strconv.FormatInt(f.Size, 10))
	}
	if len(d.Files) > 0 {
		h.add(stamp(d.Updated)) // a file may change and keep its size
	}
	return h.sum()
}

// factsHash covers everything else. Access that the host decides is not part of
// it: the ledger applies that itself.
func factsHash(u core.Upsert) core.Hash {
	d := u.Document
	h := newSum(d.URL, d.Kind, stamp(d.Created), stamp(d.Updated),
		strconv.FormatBool(d.Hidden), strconv.FormatBool(u.HostAccess))
	h.list(d.Authors)
	h.list(d.Folders)
	h.add(strconv.Itoa(len(d.Meta)))
	for _, k := range slices.Sorted(maps.Keys(d.Meta)) {
		h.add(k, d.Meta[k])
	}
	if !u.HostAccess {
		for _, p := range core.NewAccess(d.Access...) {
			h.add(string(p))
		}
	}
	return h.sum()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// sum hashes fields so that no two different lists of fields look the same.
type sum struct{ h hash.Hash }

func newSum(fields ...string) sum {
	s := sum{sha256.New()}
	s.add(fields...)
	return s
}

func (s sum) add(fields ...string) {
	for _, f := range fields {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(f)))
		s.h.Write(size[:]) // a hash never fails to write
		io.WriteString(s.h, f)
	}
}

func (s sum) list(fields []string) {
	s.add(strconv.Itoa(len(fields)))
	s.add(fields...)
}

func (s sum) sum() core.Hash { return core.Hash(s.h.Sum(nil)) }
