package toolcall

// inJSONBlock follows a marker that has no end of its own: Mistral's, Llama's
// and Granite's blocks end with their JSON.
func (d *Detector) inJSONBlock(c byte) bool {
	b := &d.block
	switch b.part {
	case partHead:
		return d.inHead(c)
	case partJSON:
		if !b.over && !d.hold(c) {
			b.over = true
			d.held = d.held[:0]
		}
		switch d.json.feed(c) {
		case done:
			b.part, b.ended = partDone, len(d.held)
		case fail, deep:
			b.part, b.over = partDead, true
		}
		return true
	}
	return d.afterBlockJSON(c)
}

// maxHead is the longest text in bytes between a marker and its JSON.
const maxHead = 256

// inHead reads what stands between the marker and its JSON: nothing or a name.
func (d *Detector) inHead(c byte) bool {
	b := &d.block
	head := d.held[b.open:]
	blank := skipBlank(string(head), 0) == len(head)
	switch {
	case c == '{' || c == '[' && blank:
		d.json.begin(c)
		b.part = partJSON
	case b.name == "|python_tag|" && !isBlank(c):
		b.part = partDead // code instead of JSON
		return d.inBlock(c)
	case len(head) == maxHead:
		return d.notMarker()
	case isBlank(c):
	case (isNameByte(c) || c == '[' || c == ']') && (blank || !isBlank(head[len(head)-1])):
	default:
		return d.notMarker()
	}
	d.hold(c)
	return true
}

// notMarker drops the marker alone: prose follows it.
func (d *Detector) notMarker() bool {
	rest := string(d.held[d.block.open:])
	d.hide()
	d.show(rest)
	return false
}

// afterBlockJSON lets further objects follow and gives blanks back to the prose.
func (d *Detector) afterBlockJSON(c byte) bool {
	b := &d.block
	if isBlank(c) || c == ';' || c == ',' {
		if !b.over && !d.hold(c) {
			b.over = true
			d.held = d.held[:0]
		}
		return true
	}
	if c == '{' && !b.over {
		d.hold(c)
		d.json.begin(c)
		b.part = partJSON
		return true
	}
	after := ""
	if !b.over {
		after = string(d.held[b.ended:])
		if n := skipBlank(after, 0); n < len(after) {
			after = after[n+1:]
		}
	}
	d.endBlock()
	d.show(after)
	return false
}
