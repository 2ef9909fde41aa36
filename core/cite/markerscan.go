package cite

import "github.com/footnote-bot/footnote/core"

func (w *Writer) beginMarker(raw string) {
	w.begin(inMarker, raw)
	w.mark.reset(raw)
}

func (w *Writer) markerStep(r rune, raw string) {
	m := &w.mark
	switch {
	case m.part == readCloser:
		w.afterCloser(r, raw)
		return
	case m.part == wantItem && isOpener(r) && !m.gap && len(m.spans) == 0:
		w.nestMarker(raw)
		return
	case len(w.hold)+len(raw) <= maxMarker && m.step(r):
		w.hold = append(w.hold, raw...)
		return
	}
	w.failMarker()
	w.step(r, raw)
}

// nestMarker takes another opener. Of more than three the first is text.
func (w *Writer) nestMarker(raw string) {
	m := &w.mark
	if m.openers == 3 {
		size := runeSize(w.hold)
		first := string(w.hold[:size])
		w.hold = append(w.hold[:0], w.hold[size:]...)
		m.head -= size
		m.openers--
		w.plain(firstRune(first), first)
	}
	m.openers++
	m.head += len(raw)
	w.hold = append(w.hold, raw...)
}

// failMarker lets go of what is no marker: its openers are text, or the last
// of them begins a link's label, and the rest is read again.
func (w *Writer) failMarker() {
	head := w.mark.head
	held := w.take()
	if w.hiding() && !w.again.noLabel && held[head-1] == '[' {
		w.plainAll(held[:head-1])
		w.begin(inLabel, "[")
		w.closed = false
		w.reread(held[head:], retry{})
		return
	}
	w.plainAll(held[:head])
	w.reread(held[head:], retry{})
}

// afterCloser decides what follows the first closer of a marker.
func (w *Writer) afterCloser(r rune, raw string) {
	m := &w.mark
	if isCloser(r) && m.closers < m.openers {
		m.closers++
		w.hold = append(w.hold, raw...)
		return
	}
	if r == '(' && !w.again.noTarget && !m.targeted {
		if w.judge().citation {
			w.beginTarget(afterMarker, raw)
			return
		}
	}
	w.endMarker()
	w.step(r, raw)
}

// endMarker writes a complete marker, or lets an incomplete one go.
func (w *Writer) endMarker() {
	if w.mark.part != readCloser {
		w.failMarker()
		return
	}
	w.writeMarker("")
}

// writeMarker writes the held marker, whose target was swallowed.
func (w *Writer) writeMarker(target string) {
	v := w.judge()
	if v.citation && w.opts.Mode <= Remove {
		w.hold = w.hold[:0]
		w.state = inText
		w.writeCited(v.numbers)
		w.content()
		return
	}
	held := w.take()
	switch {
	case !v.citation:
		w.reread(held, retry{literal: true})
		return
	case w.opts.Mode == stripping:
		w.writeStripped(held, target)
	case w.opts.Mode == collapsing:
		w.writeCollapsed(held, target, v.numbers)
	default:
		w.sources.useAll(v.numbers)
	}
	w.content()
}

// verdict says what a complete marker is.
type verdict struct {
	citation bool
	numbers  []int // known numbers, in order
}

// judge decides whether the marker read is a citation.
func (w *Writer) judge() verdict {
	c := &w.sources
	if w.opts.Mode == stripping {
		return verdict{citation: true}
	}
	if len(c.byNumber) == 0 {
		return verdict{}
	}
	v := verdict{numbers: w.numbers[:0]}
	for _, s := range w.mark.spans {
		if s.ranged {
			if !c.knowsAll(s) {
				return verdict{}
			}
			for n := s.low; n <= s.high; n++ {
				v.numbers = append(v.numbers, n)
			}
			continue
		}
		_, known := c.lookup(s.low)
		switch {
		case known:
			v.numbers = append(v.numbers, s.low)
		case s.low == 0, s.low > c.limit(), s.caret:
			return verdict{}
		}
	}
	w.numbers = v.numbers[:0]
	v.citation = len(w.mark.spans) > 0
	return v
}

// knowsAll reports whether a range is short and wholly known.
func (c *catalog) knowsAll(s span) bool {
	if s.low < 1 || s.high < s.low || s.high-s.low >= maxSpan {
		return false
	}
	for n := s.low; n <= s.high; n++ {
		if _, known := c.lookup(n); !known {
			return false
		}
	}
	return true
}

// writeCited shows each document of a marker as it may be shown.
func (w *Writer) writeCited(numbers []int) {
	c := &w.sources
	done := w.roots[:0]
	visible := 0
	for _, n := range numbers {
		root, _ := c.lookup(n)
		c.use(n, root)
		if contains(done, root) {
			continue
		}
		done = append(done, root)
		if c.show(root) == core.ShowNothing {
			w.deleted(n)
			continue
		}
		w.show(root, visible > 0)
		visible++
	}
	w.roots = done[:0]
	if visible == 0 {
		w.sink.delete()
	}
}

// show writes one citation, unless it repeats the one right before it.
func (w *Writer) show(root int, joined bool) {
	if !joined && w.sink.repeats(root) {
		return
	}
	display, first := w.sources.display(root)
	if first && w.opts.Cited != nil {
		w.opts.Cited(display, w.sources.docs[root].number)
	}
	doc := &w.sources.docs[root]
	if doc.text == "" {
		doc.text = w.opts.render(display, doc.source)
	}
	if joined {
		w.sink.join()
	}
	w.sink.citation(doc.text, root, true)
}

func (w *Writer) deleted(number int) {
	if w.opts.Deleted != nil {
		w.opts.Deleted(number)
	}
}

func contains(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}
