package cite

import "strings"

// targetKind says what a parenthesised target follows.
type targetKind uint8

const (
	afterMarker targetKind = iota
	afterLabel
	afterImage
	afterText // a closing bracket that is already written
)

// target reads a parenthesised link target.
type target struct {
	kind  targetKind
	start int // of the opening parenthesis in the hold
	depth int
	quote rune // what closes the title or angle brackets being read
	esc   bool
	blank bool // the character before was a blank
}

// step takes a character and reports whether the target ends with it.
func (t *target) step(r rune) (done bool) {
	blank := t.blank
	t.blank = isBlank(r)
	switch {
	case t.esc:
		t.esc = false
	case r == '\\':
		t.esc = true
	case t.quote != 0:
		if r == t.quote {
			t.quote = 0
		}
	case r == '<' && t.depth == 1 && blank:
		t.quote = '>'
	case (r == '"' || r == '\'') && blank:
		t.quote = r
	case r == '(':
		t.depth++
	case r == ')':
		t.depth--
	}
	return t.depth == 0
}

func (w *Writer) beginTarget(kind targetKind, raw string) {
	if kind == afterText {
		w.hold = w.hold[:0]
	}
	w.state = inTarget
	w.target = target{kind: kind, start: len(w.hold), depth: 1, blank: true}
	w.hold = append(w.hold, raw...)
}

func (w *Writer) targetStep(r rune, raw string) {
	if r == '\n' || len(w.hold)-w.target.start+len(raw) > maxTarget {
		w.failTarget()
		w.step(r, raw)
		return
	}
	w.hold = append(w.hold, raw...)
	if w.target.step(r) {
		w.endTarget()
	}
}

// endTarget decides about a complete target.
func (w *Writer) endTarget() {
	start := w.target.start
	inner := string(w.hold[start+1 : len(w.hold)-1])
	switch w.target.kind {
	case afterMarker:
		w.endMarkerTarget(inner)
	case afterLabel, afterImage:
		w.endLabelTarget(inner)
	case afterText:
		held := w.take()
		if _, hidden := w.sources.hidden.find(destination(inner)); hidden {
			w.content()
			return
		}
		w.plain('(', "(")
		w.reread(held[1:], retry{literal: true, noTarget: true, noLabel: true})
	}
}

func (w *Writer) endMarkerTarget(inner string) {
	if !looksLikeTarget(inner) {
		w.failTarget()
		return
	}
	full := string(w.hold[w.target.start:])
	w.hold = w.hold[:w.target.start]
	if w.mark.closers < w.mark.openers && w.opts.Mode <= Remove {
		// The target stands inside the outer brackets, whose closers follow.
		w.mark.targeted = true
		w.state = inMarker
		return
	}
	w.writeMarker(full)
}

func (w *Writer) endLabelTarget(inner string) {
	start, was := w.target.start, inLabel
	if w.target.kind == afterImage {
		was = inImage
	}
	held := w.take()
	if doc, hidden := w.sources.hidden.find(destination(inner)); hidden {
		w.deleted(w.sources.anyNumber(doc))
		w.sink.delete()
		w.content()
		return
	}
	w.rereadLabel(was, held[:start], retry{noLabel: true, noTarget: true, literal: was == inImage})
	if w.state != inText {
		// The label opened code: the target is part of whatever that becomes.
		w.reread(held[start:], retry{noLabel: true, noTarget: true})
		return
	}
	w.plain('(', "(")
	w.reread(held[start+1:], retry{literal: true, noLabel: true, noTarget: true})
}

// failTarget writes what the parenthesis follows and reads the rest as text.
func (w *Writer) failTarget() {
	kind, start := w.target.kind, w.target.start
	not := retry{noTarget: true}
	switch kind {
	case afterMarker:
		rest := string(w.hold[start:])
		w.hold = w.hold[:start]
		w.writeMarker("")
		w.reread(rest, not)
	case afterLabel, afterImage:
		was := inLabel
		if kind == afterImage {
			was = inImage
		}
		w.rereadLabel(was, w.take(), retry{noLabel: true, noTarget: true})
	case afterText:
		w.reread(w.take(), not)
	}
}

// destination takes the URL out of a target that may have a title.
func destination(inner string) string {
	inner = strings.TrimSpace(inner)
	if strings.HasPrefix(inner, "<") {
		if end := strings.IndexByte(inner, '>'); end > 0 {
			return inner[1:end]
		}
	}
	if end := titleStart(inner); end > 0 {
		return strings.TrimSpace(inner[:end])
	}
	return inner
}

// titleStart finds where a link's title begins, or -1.
func titleStart(inner string) int {
	for i := 1; i < len(inner); i++ {
		if (inner[i-1] == ' ' || inner[i-1] == '\t') && strings.IndexByte("\"'(", inner[i]) >= 0 {
			return i
		}
	}
	return -1
}

// looksLikeTarget tells a link target from a remark in parentheses: it has no
// blanks, or begins like an address.
func looksLikeTarget(inner string) bool {
	inner = strings.TrimSpace(inner)
	if strings.HasPrefix(inner, "<") {
		return true
	}
	dest := destination(inner)
	if !strings.ContainsAny(dest, " \t") {
		return true
	}
	first, _, _ := strings.Cut(dest, " ")
	return strings.Contains(first, ":") || strings.HasPrefix(first, "/") ||
		strings.HasPrefix(first, "www.") || strings.HasPrefix(first, "#")
}
