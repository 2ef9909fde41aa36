package cite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Collapse rewrites the markers of a finished text from the numbers in found
// to those of a combined map, which it returns: documents that existing knows
// keep their number there, the others count on from its highest in the order
// in which the text cites them, then those not cited. The form of the markers
// stays, code is not touched, and numbers that found does not know are deleted.
func Collapse(text string, existing, found map[int]Source) (string, map[int]Source) {
	c := &collapse{combined: map[int]Source{}, byRoot: map[int]int{}}
	var b strings.Builder
	w := NewWriter(Options{Mode: collapsing, Text: func(s string) { b.WriteString(s) }})
	w.collapse = c
	for _, n := range sortedNumbers(found) {
		w.AddSource(n, linked(found[n]))
	}
	c.adopt(&w.sources, existing)
	w.Write(text)
	w.Close()
	for _, n := range sortedNumbers(found) {
		if root, ok := w.sources.lookup(n); ok {
			c.number(root, found[n])
		}
	}
	return b.String(), c.combined
}

// collapse hands out the numbers of a combined map.
type collapse struct {
	combined map[int]Source
	byRoot   map[int]int // root in the writer's catalog to combined number
	highest  int
}

// adopt takes over the existing numbers and finds which found documents they
// are.
func (c *collapse) adopt(known *catalog, existing map[int]Source) {
	for _, n := range sortedNumbers(existing) {
		c.combined[n] = existing[n]
		c.highest = max(c.highest, n)
		for _, key := range keysOf(existing[n]) {
			i, ok := known.byKey[key]
			if !ok {
				continue
			}
			if _, taken := c.byRoot[known.root(i)]; !taken {
				c.byRoot[known.root(i)] = n
			}
		}
	}
}

func (c *collapse) number(root int, s Source) int {
	if n, ok := c.byRoot[root]; ok {
		return n
	}
	c.highest++
	c.byRoot[root] = c.highest
	c.combined[c.highest] = s
	return c.highest
}

func linked(s Source) Source {
	s.Show = core.ShowLink
	return s
}

func sortedNumbers(m map[int]Source) []int {
	out := make([]int, 0, len(m))
	for n := range m {
		if n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// writeCollapsed writes a marker with its numbers replaced.
func (w *Writer) writeCollapsed(held, target string, numbers []int) {
	var roots []int
	for _, n := range numbers {
		root, _ := w.sources.lookup(n)
		w.sources.use(n, root)
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	switch {
	case len(roots) == 0:
		w.sink.delete()
		return
	case len(roots) == 1 && w.sink.repeats(roots[0]):
		return
	}
	var b strings.Builder
	b.WriteString(held[:w.mark.head])
	for i, root := range roots {
		if i > 0 {
			b.WriteString(joiner(held))
		}
		if w.mark.spans[0].caret {
			b.WriteByte('^')
		}
		s := w.sources.docs[root].source
		b.WriteString(strconv.Itoa(w.collapse.number(root, s)))
	}
	b.WriteString(strings.TrimLeftFunc(held[strings.IndexFunc(held, isCloser):], func(r rune) bool { return !isCloser(r) }))
	b.WriteString(target)
	w.sink.citation(b.String(), roots[len(roots)-1], false)
}

// joiner is what stood between the first two numbers of a marker.
func joiner(held string) string {
	start := strings.IndexFunc(held, isSeparator)
	if start < 0 {
		return ", "
	}
	end := start + strings.IndexFunc(held[start:], func(r rune) bool { return !isSeparator(r) && !isBlank(r) })
	return held[start:end]
}
