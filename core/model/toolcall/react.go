package toolcall

import "strings"

// The words of ReAct prompts.
const (
	actionWord  = "Action"
	inputWord   = "action input:"
	observeWord = "observation"
)

// reactScan follows "Action: name" and "Action Input: arguments".
type reactScan struct {
	expected bool // the message began in ReAct's form
	part     reactPart
	tool     *tool
	match    int // bytes of inputWord that were seen
}

type reactPart byte

const (
	reactName  reactPart = iota
	reactInput           // before and in the words "Action Input:"
	reactValue           // before the value
	reactFence           // in the first line of a fence around it
	reactJSON            // in a JSON value
	reactText            // in a value of one line
)

func (d *Detector) openReact(c byte) bool {
	d.react = reactScan{expected: true}
	d.hold(c)
	d.from = len(d.held)
	d.mode = modeReact
	return true
}

func (d *Detector) inReact(c byte) bool {
	if !d.hold(c) {
		d.release()
		return true
	}
	r := &d.react
	ok := true
	switch r.part {
	case reactName:
		ok = d.reactNamed(c)
	case reactInput:
		ok = d.reactWords(c)
	case reactValue:
		d.reactBegins(c)
	case reactFence:
		if c == '\n' {
			r.part = reactValue
		}
	case reactJSON:
		switch d.json.feed(c) {
		case done:
			v, _, _, err := parseLenient(string(d.held[d.from:]))
			ok = err == nil && d.reactCall(v)
		case fail, deep:
			ok = false
		}
	case reactText:
		if c == '\n' {
			ok = d.reactCall(strings.TrimSpace(string(d.held[d.from:])))
		}
	}
	if !ok {
		d.release()
	}
	return true
}

func (d *Detector) reactNamed(c byte) bool {
	if c != '\n' {
		return len(d.held) < 2*maxWord
	}
	line := strings.TrimSpace(string(d.held[d.from:]))
	if d.react.tool = d.tools.resolve(line); d.react.tool != nil {
		d.react.part = reactInput
		return true
	}
	return d.reactExpression(line)
}

// reactExpression takes an action that is written as a call expression.
func (d *Detector) reactExpression(line string) bool {
	d.pending = d.allowed(d.tools.expressions(line), line)
	if len(d.pending) == 0 {
		return false
	}
	d.commit()
	d.mode = modeObserve
	return true
}

func (d *Detector) reactWords(c byte) bool {
	r := &d.react
	if r.match == 0 && isBlank(c) {
		return true
	}
	if c|0x20 != inputWord[r.match]|0x20 {
		return false
	}
	if r.match++; r.match == len(inputWord) {
		r.part = reactValue
	}
	return true
}

func (d *Detector) reactBegins(c byte) {
	switch {
	case isBlank(c):
		return
	case c == '{' || c == '[':
		d.json.begin(c)
		d.react.part = reactJSON
	case c == '`':
		d.react.part = reactFence
	default:
		d.react.part = reactText
	}
	d.from = len(d.held) - 1
}

// reactCall records the call; what is held is hidden.
func (d *Detector) reactCall(v any) bool {
	args, ok := coerceArguments(v, d.react.tool.schema)
	if !ok {
		return false
	}
	calls := d.allowed([]found{{tool: d.react.tool, args: args}}, string(d.held))
	if len(calls) == 0 {
		return false
	}
	d.pending = calls
	d.commit()
	d.mode = modeObserve
	return true
}

// endReact settles an action at the end of the message.
func (d *Detector) endReact() {
	var v any
	var err error
	switch d.react.part {
	case reactJSON:
		v, _, _, err = parseLenient(string(d.held[d.from:]))
	case reactText:
		v = strings.TrimSpace(string(d.held[d.from:]))
	case reactValue:
		v = object{}
	case reactName:
		if d.reactExpression(strings.TrimSpace(string(d.held[d.from:]))) {
			d.mode = modeProse
			return
		}
		fallthrough
	default:
		d.release()
		return
	}
	if err != nil || !d.reactCall(v) {
		d.release()
		return
	}
	d.mode = modeProse
}

// inObserve hides the observation that a model makes up after its own action.
func (d *Detector) inObserve(c byte) bool {
	seen := strings.TrimLeft(string(d.held), " \t\r\n`")
	switch {
	case len(d.held) > maxWord:
	case seen == "" && (isBlank(c) || c == '`'):
		d.hold(c)
		return true
	case c|0x20 == observeWord[len(seen)]:
		d.hold(c)
		if len(seen)+1 == len(observeWord) {
			d.hide()
			d.mode = modeDrop
		}
		return true
	}
	d.bol = seen == ""
	d.releasePlain()
	return false
}
