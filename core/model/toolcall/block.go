package toolcall

import "strings"

// block is the marker block that is being hidden.
type block struct {
	kind  blockKind
	name  string
	quiet bool      // found in released text: hidden, never a call
	attrs attrState // how far the opening tag has come
	over  bool      // longer than MaxHeld: hidden, never a call
	tag   []byte    // the tag that is being read inside, from "<"
	open  int       // length of the opening marker
	part  jsonPart  // how far the JSON in it has come
	ended int       // blockJSON: where in held the JSON ended
	soft  int       // blockElement: after a closing tag inside a JSON string
}

type attrState byte

const (
	attrsNone  attrState = iota // only blanks after the name
	attrsName                   // in an attribute's name
	attrsValue                  // an attribute was given: certainly markup
)

type jsonPart byte

const (
	partHead jsonPart = iota // before the JSON
	partJSON                 // inside
	partDone                 // after: another one may follow
	partDead                 // no JSON: hidden up to an end token
)

// inTag reads a tag's name.
func (d *Detector) inTag(c byte) bool {
	n := len(d.held)
	switch {
	case n == 1 && !startsTag(c), n > maxTag:
	case isNameByte(c) || c == '|' || strings.IndexByte("\xEF\xBD\x9C\xE2\x96\x81", c) >= 0:
		d.hold(c)
		return true
	case c == '>' || c == '=' || isBlank(c):
		return d.tagNamed(c)
	}
	d.releasePlain()
	return false
}

// tagNamed decides about a tag whose name c has ended.
func (d *Detector) tagNamed(c byte) bool {
	written, empty := strings.CutSuffix(string(d.held[1:]), "/")
	name := tagName(written)
	kind := elements[name]
	needsAttrs := name == "invoke" || name == "function"
	switch {
	case c == '>' && tokens[name] != blockNone:
		d.hold(c)
		d.openBlock(tokens[name], name)
	case c == '>' && solos[name]:
		d.hide()
	case c == '>' && kind != blockNone && !needsAttrs:
		d.hold(c)
		d.openBlock(kind, name)
		if empty {
			d.endBlock()
		}
	case isBlank(c) && !empty && (kind != blockNone || solos[name] && name[0] == '/'),
		c == '=' && needsAttrs && !empty:
		d.hold(c)
		d.mode = modeAttrs
		d.block = block{kind: kind, name: name}
		if c == '=' {
			d.block.attrs = attrsValue
		}
	default:
		d.releasePlain()
		return false
	}
	return true
}

// inAttrs reads the rest of an opening tag. Words that are no attributes show
// that it was prose.
func (d *Detector) inAttrs(c byte) bool {
	b := &d.block
	if c == '>' && (b.attrs != attrsName || d.held[len(d.held)-1] == '/') {
		return d.tagEnded(c)
	}
	ok := len(d.held) < maxTag+maxAttrs && c != '<' && c != '>'
	switch b.attrs {
	case attrsNone:
		if !isBlank(c) {
			b.attrs = attrsName
			ok = ok && (isLetter(c) || c == '/')
		}
	case attrsName:
		if c == '=' {
			b.attrs = attrsValue
		} else {
			ok = ok && isNameByte(c)
		}
	}
	if !ok {
		d.releasePlain()
		return false
	}
	d.hold(c)
	return true
}

func (d *Detector) tagEnded(c byte) bool {
	kind, name := d.block.kind, d.block.name
	empty := d.held[len(d.held)-1] == '/'
	if kind == blockNone { // a closing tag on its own
		d.hide()
		return true
	}
	d.hold(c)
	t, _ := readTag(string(d.held), 0)
	if (name == "invoke" || name == "function") && t.attr("name") == "" {
		d.releasePlain()
		return true
	}
	d.openBlock(kind, name)
	if empty {
		d.endBlock()
	}
	return true
}

// openBlock begins to hide; the marker itself is in held.
func (d *Detector) openBlock(kind blockKind, name string) {
	d.hid = true
	d.mode = modeBlock
	d.block = block{kind: kind, name: name, quiet: d.replay, open: len(d.held), tag: d.block.tag[:0]}
	if kind == blockHeader {
		d.block.open = 0
	}
}

// inBlock hides a byte and looks for the end of the block.
func (d *Detector) inBlock(c byte) bool {
	b := &d.block
	if b.kind == blockJSON && b.part != partDead {
		return d.inJSONBlock(c)
	}
	if !b.over && !d.hold(c) {
		if b.soft > 0 {
			d.endSoft()
			return true
		}
		b.over = true
		d.held = d.held[:0]
	}
	if b.kind == blockElement && b.part != partDead && d.elementJSON(c) {
		return true
	}
	switch {
	case c == '<':
		b.tag = append(b.tag[:0], c)
	case len(b.tag) == 0:
	case c == '>':
		name := tagName(strings.TrimSpace(string(b.tag[1:])))
		b.tag = b.tag[:0]
		d.tagInside(name)
		return true
	case len(b.tag) > maxTag:
		b.tag = b.tag[:0]
	default:
		b.tag = append(b.tag, c)
	}
	if b.kind == blockHeader && (c == '\n' || len(d.held) > 512) {
		d.notHeader()
	}
	return true
}

// tagInside ends the block if the tag that was just read does.
func (d *Detector) tagInside(name string) {
	b := &d.block
	switch b.kind {
	case blockElement:
		if !sameElement(name, b.name) {
			return
		}
		if b.part == partJSON && d.json.state == jsonString && !b.quiet {
			if b.soft == 0 {
				b.soft = len(d.held)
			}
			return
		}
		d.endBlock()
	case blockToken:
		if contains(enders[b.name], name) {
			d.endBlock()
		}
	case blockJSON:
		if name == "|eom_id|" || name == "|eot_id|" || name == "/s" || name == "|/tool_call|" {
			d.endBlock()
		}
	case blockHeader:
		d.headerTag(name)
	case blockMessage:
		d.messageTag(name)
	}
}

// sameElement tells whether a closing tag ends an element; a wrapper's plural
// and the wrapper of a bare invoke are forgiven.
func sameElement(closer, name string) bool {
	closer, ok := strings.CutPrefix(closer, "/")
	if !ok {
		return false
	}
	inner := name == "invoke" || name == "function"
	return closer == name || strings.TrimSuffix(closer, "s") == strings.TrimSuffix(name, "s") ||
		inner && closer != "function" && closer != "invoke" && elements[closer] != blockNone
}

// elementJSON follows the JSON in an element. A closing tag inside a string of it
// is text, unless the string turns out never to end: then the block ended there.
// It tells whether that happened.
func (d *Detector) elementJSON(c byte) bool {
	b := &d.block
	switch {
	case b.part == partHead && (c == '{' || c == '['):
		d.json.begin(c)
		b.part = partJSON
	case b.part == partHead && !isBlank(c):
		b.part = partDead
	case b.part != partJSON:
	case b.soft > 0 && c == '\n' && d.json.state == jsonString:
		d.endSoft()
		return true
	default:
		v := d.json.feed(c)
		if v == more {
			return false
		}
		b.part = partDead
		if v != done && b.soft > 0 {
			d.endSoft()
			return true
		}
	}
	return false
}

// endSoft ends the block at its first closing tag and shows what came after.
func (d *Detector) endSoft() {
	rest := string(d.held[d.block.soft:])
	d.held = d.held[:d.block.soft]
	d.endBlock()
	d.replay = true
	d.run(rest)
	d.replay = false
}

// endBlock reads the calls of the hidden block and goes back to prose.
func (d *Detector) endBlock() {
	if !d.block.over && !d.block.quiet {
		raw := string(d.held)
		for _, call := range d.allowed(d.tools.extract(raw, false), raw) {
			d.record(call)
		}
	}
	d.hide()
}
