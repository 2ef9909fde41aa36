package agent

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

// numbering gives every document of a turn one number, from 1 without gaps.
type numbering struct {
	mu    sync.Mutex
	known map[string]int
}

func (n *numbering) of(document string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]int{}
	}
	number, ok := n.known[document]
	if !ok {
		number = len(n.known) + 1
		n.known[document] = number
	}
	return number
}

// id is the document that has the number.
func (n *numbering) id(number int) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, of := range n.known {
		if of == number {
			return id, true
		}
	}
	return "", false
}

// ids are all documents that have a number.
func (n *numbering) ids() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Keys(n.known))
}

// number turns a tool's result into what stands in the context.
func (t *turn) number(res Result, into *outcome) {
	if into.cites {
		t.cited = true
	}
	if into.failed {
		return
	}
	into.text, into.note = untagged(res.Text), untagged(res.Note)
	if res.Outside != "" {
		t.outside = append(t.outside, outsidePrefix+res.Outside)
	}
	for _, r := range res.Documents {
		into.docs = append(into.docs, t.take(r))
	}
	if res.Text != "" && len(into.docs) == 0 {
		return
	}
	if len(into.docs) == 0 && into.note == "" {
		into.note = prompts.NothingFound()
	}
	t.out.event(core.DocumentsFound{Documents: refs(into.docs, t.q.Audience)})
}

// take gives a passage its document's number, and notes what the ledger can be asked
// about at the end.
func (t *turn) take(r core.Result) given {
	if r.Censored { // the ledger cannot tell later whether its text may still be known
		t.outside = append(t.outside, outsidePrefix+r.Document.ID)
	}
	if r.Passage.ID != 0 && !slices.Contains(t.rests, r.Document.ID) {
		t.rests = append(t.rests, r.Document.ID)
	}
	return given{t.numbers.of(r.Document.ID), r}
}

func itoa(n int) string { return strconv.Itoa(n) }
