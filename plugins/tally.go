package plugins

import (
	"fmt"
	"hash/maphash"

	"github.com/footnote-bot/footnote/core"
)

// tally is what a sync says at its end of what was odd about the documents that
// came. Hashes of ids are kept for the first 100,000 of them.
type tally struct {
	unknown  int
	unread   oddity // no reader at all
	repeated oddity // the same id with another body
	seed     maphash.Seed
	bodies   map[uint64]uint64
}

func newTally() *tally { return &tally{seed: maphash.MakeSeed(), bodies: map[uint64]uint64{}} }

type oddity struct {
	count int
	first string
}

func (o *oddity) add(id string) {
	if o.count++; o.count == 1 {
		o.first = id
	}
}

const maxTallied = 100_000

func (t *tally) see(change core.Change) {
	up, ok := change.(core.Upsert)
	if !ok || up.Failed != nil {
		return
	}
	if len(up.Document.Access) == 0 && !up.HostAccess {
		t.unread.add(up.Document.ExternalID)
	}
	id, body := maphash.String(t.seed, up.Document.ExternalID), maphash.String(t.seed, up.Document.Body)
	before, seen := t.bodies[id]
	if seen && before != body {
		t.repeated.add(up.Document.ExternalID)
	}
	if seen || len(t.bodies) < maxTallied {
		t.bodies[id] = body
	}
}

// notes are sentences for the owner.
func (t *tally) notes() []string {
	var out []string
	if t.unknown > 0 {
		out = append(out, fmt.Sprintf(
			"%d events of a kind that this Footnote does not know were skipped: upgrade Footnote to use them", t.unknown))
	}
	if t.unread.count > 0 {
		out = append(out, fmt.Sprintf(
			"%d of the documents have no readers, so nobody finds them; the first is %q", t.unread.count, t.unread.first))
	}
	if t.repeated.count > 0 {
		out = append(out, fmt.Sprintf(
			"%d of the documents came more than once with different content, and the last one counts; the first is %q: if these are different documents, report it to the connector's author",
			t.repeated.count, t.repeated.first))
	}
	return out
}
