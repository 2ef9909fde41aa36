package toolcall

import "strings"

// headerTag reads the tokens of a harmony header. Its message token decides who
// the message is for: a tool, the model itself, or the reader.
func (d *Detector) headerTag(name string) {
	switch name {
	case "|message|":
	case "|channel|", "|start|", "|constrain|":
		return
	default:
		d.notHeader()
		return
	}
	header := string(d.held)
	if strings.Contains(header, "to=") || strings.Contains(header, "analysis") {
		d.block.kind = blockMessage
		return
	}
	d.hide()
}

// notHeader shows the words of what was taken for a header, without tokens.
func (d *Detector) notHeader() {
	var words []byte
	depth := 0
	for _, c := range d.held {
		switch {
		case c == '<':
			depth = 1
		case c == '>':
			depth = 0
		case depth == 0 && c != '[':
			words = append(words, c)
		}
	}
	d.hide()
	d.show(string(words))
}

// messageTag ends a message that is not for the reader.
func (d *Detector) messageTag(name string) {
	switch name {
	case "|call|", "|end|", "|return|":
		d.endBlock()
	case "|start|", "|channel|":
		d.endBlock()
		d.held = append(d.held, "<"+name+">"...)
		d.openBlock(blockHeader, name)
	}
}
