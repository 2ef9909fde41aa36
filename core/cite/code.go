package cite

// ticks reads inline code: a run of backticks, content, and a run as long.
type ticks struct {
	opener int  // length of the opening run
	run    int  // length of the run being read, 0 outside of one
	opened bool // the opening run is complete
	fence  bool // the opening run may begin a fence: it stands at a line start
	start  bool // at the start of a line inside the code, blanks aside
	atLine bool // the run being read began there
	line   lineStart
}

func (w *Writer) beginCode(raw string) {
	w.begin(inCode, raw)
	w.tick = ticks{opener: 1, fence: w.line.open(), line: w.line}
}

func (w *Writer) codeStep(r rune, raw string) {
	t := &w.tick
	if r == '`' {
		if !t.opened {
			t.opener++
		} else {
			t.atLine = t.start || t.run > 0 && t.atLine
			t.run++
			t.start = false
		}
		w.holdCode(r, raw)
		return
	}
	if !t.opened {
		t.opened = true
		t.fence = t.fence && t.opener >= 3
	} else if t.run > 0 && w.endRun(r, raw) {
		return
	}
	if r == '\n' && w.codeLine(raw) {
		return
	}
	if !isBlank(r) && r != '\r' && r != '\n' {
		t.start = false
	}
	w.holdCode(r, raw)
}

// endRun decides what a run of backticks inside the code was.
func (w *Writer) endRun(r rune, raw string) (done bool) {
	t := &w.tick
	run, atLine := t.run, t.atLine
	t.run, t.atLine, t.fence = 0, false, false
	switch {
	case atLine && run >= 3:
		w.failCode()
	case run == t.opener:
		w.writeCode()
	default:
		return false
	}
	w.step(r, raw)
	return true
}

// codeLine reads a line break inside the code: the end of a fence's opening
// line, the end of the paragraph, or just a line.
func (w *Writer) codeLine(raw string) (done bool) {
	t := &w.tick
	switch {
	case t.fence:
		w.hold = append(w.hold, raw...)
		w.beginFence('`', t.opener)
		w.fence.phase = fenceIndent
		w.writeFenceLine()
	case t.start:
		w.failCode()
		w.step('\n', raw)
	default:
		t.start = true
		return false
	}
	return true
}

func (w *Writer) holdCode(r rune, raw string) {
	w.hold = append(w.hold, raw...)
	if len(w.hold) > maxMarker {
		w.failCode()
	}
}

// writeCode writes complete inline code.
func (w *Writer) writeCode() {
	w.sink.code(w.hold)
	w.hold = w.hold[:0]
	w.state = inText
	w.content()
}

// failCode makes the opening backticks text and reads the rest again.
func (w *Writer) failCode() {
	n := w.tick.opener
	held := w.take()
	w.plainAll(held[:n])
	w.reread(held[n:], retry{})
}

// endCode decides about code that the answer's end cuts.
func (w *Writer) endCode() {
	t := &w.tick
	switch {
	case t.fence && t.opener >= 3 && t.run == 0, t.run > 0 && t.run == t.opener && !(t.atLine && t.run >= 3):
		w.writeCode()
	default:
		w.failCode()
	}
}
