package agent

import (
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

// number turns a tool's result into what stands in the context.
func (t *turn) number(res Result, into *outcome) {
	if into.cites {
		t.cited = true
	}
	if into.failed {
		return
	}
	into.text, into.note = untagged(res.Text), untagged(res.Note)
	for _, r := range res.Documents {
		into.docs = append(into.docs, given{t.numbers.of(r.Document.ID), r})
	}
	if res.Text != "" && len(into.docs) == 0 {
		return
	}
	if len(into.docs) == 0 && into.note == "" {
		into.note = prompts.NothingFound()
	}
	t.out.event(core.DocumentsFound{Documents: refs(into.docs, t.q.Audience)})
}

func itoa(n int) string { return strconv.Itoa(n) }
