package index

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// cell is the running score of one window.
type cell struct {
	score  float64
	last   float64 // what the group in progress has given
	groups uint64  // bit n: the window holds a form of group n
	group  uint32  // the group that last is of
}

// accumulator holds the cells of one segment. It is used again and again.
type accumulator struct {
	cells   []cell
	touched []uint32
	group   uint32
}

func (a *accumulator) reset(n int) {
	for _, doc := range a.touched {
		a.cells[doc] = cell{}
	}
	a.touched = a.touched[:0]
	a.group = 0
	if n > len(a.cells) {
		a.cells = make([]cell, n)
	}
}

func (a *accumulator) startGroup() { a.group++ }

// add credits a window with a form of the group in progress. Of several forms
// only the best counts.
func (a *accumulator) add(doc uint32, n int, score float64) {
	c := &a.cells[doc]
	if c.groups == 0 {
		a.touched = append(a.touched, doc)
	}
	c.groups |= 1 << n
	if c.group != a.group {
		c.group, c.last = a.group, 0
	}
	if score > c.last {
		c.score += score - c.last
		c.last = score
	}
}

// candidate is a scored window.
type candidate struct {
	score   float64
	passage core.PassageID
	segment int
	window  uint32
	groups  uint64
}

// before orders candidates: better scores first, then by passage and window, so
// that equal scores come out the same however the segments lie.
func before(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage, b.passage), cmp.Compare(b.groups, a.groups))
}

// top keeps the best candidates; the worst of them lies at the root.
type top struct {
	limit int
	heap  candidates
}

func newTop(limit int) *top { return &top{limit: limit} }

func (t *top) offer(c candidate) {
	if len(t.heap) < t.limit {
		heap.Push(&t.heap, c)
		return
	}
	if before(c, t.heap[0]) < 0 {
		t.heap[0] = c
		heap.Fix(&t.heap, 0)
	}
}

func (t *top) sorted() []candidate {
	slices.SortFunc(t.heap, before)
	return t.heap
}

type candidates []candidate

func (h candidates) Len() int           { return len(h) }
func (h candidates) Less(i, j int) bool { return before(h[i], h[j]) > 0 }
func (h candidates) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(c any)        { *h = append(*h, c.(candidate)) }
func (h *candidates) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}
