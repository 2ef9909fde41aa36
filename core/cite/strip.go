package cite

import "strings"

// StripLinks deletes the links that a Writer wrote, [[n]](url), from a
// finished text, with the blanks around them tidied. Code and all other links
// stay.
func StripLinks(text string) string {
	var b strings.Builder
	w := NewWriter(Options{Mode: stripping, Text: func(s string) { b.WriteString(s) }})
	w.Write(text)
	w.Close()
	return b.String()
}

// writeStripped deletes a marker that is a written link.
func (w *Writer) writeStripped(held, target string) {
	m := &w.mark
	if target != "" && m.openers == 2 && m.closers == 2 {
		w.sink.delete()
		return
	}
	w.reread(held+target, retry{literal: true, noTarget: true})
}
