package toolcall

import "strings"

// fence is the code fence that is being read.
type fence struct {
	char  byte
	size  int // length of the opening run
	label string
	line  fenceLine
	part  fencePart
	word  int // where in held the first word of the content begins
}

// fenceLine looks for the line that closes a fence.
type fenceLine struct {
	part byte // 0 at the beginning, 1 in a run, 2 in blanks after it, 3 elsewhere
	run  int
}

// feed tells whether c, a line break, ended a closing line.
func (l *fenceLine) feed(c byte, f *fence) bool {
	if c == '\n' {
		closed := (l.part == 1 || l.part == 2) && l.run >= f.size
		*l = fenceLine{}
		return closed
	}
	switch {
	case l.part == 0 && isBlank(c):
	case l.part <= 1 && c == f.char:
		l.part = 1
		l.run++
	case (l.part == 1 || l.part == 2) && isBlank(c):
		l.part = 2
	default:
		l.part = 3
	}
	return false
}

type fencePart byte

const (
	fenceStart fencePart = iota // before the content
	fenceList                   // after "["
	fenceJSON                   // in JSON
	fenceWord                   // in the name of a call
	fenceRest                   // judged at the closing line
)

// labels of fences that may hold a call.
var labels = map[string]bool{"": true, "json": true, "tool_code": true, "tool_call": true}

// maxInfo is the longest label in bytes that is waited for.
const maxInfo = 32

// inTicks reads a run of backticks or tildes.
func (d *Detector) inTicks(c byte) bool {
	char, n := d.held[0], len(d.held)
	switch {
	case c == char && n < 1024:
		d.hold(c)
		return true
	case char == '`' && d.code > 0:
		if n == d.code {
			d.code = 0
		}
	case n >= 3:
		d.fence = fence{char: char, size: n}
		d.mode = modeInfo
		return false
	case char == '`':
		d.code = n
	}
	d.releasePlain()
	return false
}

// inInfo reads the label of a fence.
func (d *Detector) inInfo(c byte) bool {
	f := &d.fence
	if c == '`' && f.char == '`' { // inline code with a long run
		d.code = f.size
		d.releasePlain()
		return false
	}
	if c != '\n' && len(d.held) < f.size+maxInfo {
		d.hold(c)
		return true
	}
	f.label = strings.ToLower(strings.TrimSpace(string(d.held[f.size:])))
	if c != '\n' || !labels[f.label] || !d.mayBeFence() {
		f.line = fenceLine{part: 3}
		d.documentation()
		return false
	}
	d.hold(c)
	d.from = len(d.held)
	d.mode = modeFence
	return true
}

// mayBeFence: a model with native calls must put the fence first, unless the
// label is its family's own.
func (d *Detector) mayBeFence() bool {
	return !d.opts.Native || !d.shown || strings.HasPrefix(d.fence.label, "tool_")
}

// documentation shows what is held and the rest of the fence.
func (d *Detector) documentation() {
	d.releasePlain()
	d.mode = modeDocument
}

// document shows a fence that is no call, up to its closing line.
func (d *Detector) document(s string, i int) int {
	from := i
	for i < len(s) {
		c := s[i]
		i++
		if d.fence.line.feed(c, &d.fence) {
			d.mode, d.bol = modeProse, true
			break
		}
	}
	d.show(s[from:i])
	return i
}

// inFence holds a fence while its content may be a call.
func (d *Detector) inFence(c byte) bool {
	f := &d.fence
	room := d.hold(c)
	closed := f.line.feed(c, f)
	switch {
	case closed:
		if d.pending = d.fenceCalls(false); len(d.pending) > 0 {
			d.mode = modeFenceTail
			return true
		}
		d.releasePlain()
		d.bol = true
	case !room || !d.fenceContent(c):
		d.documentation()
	}
	return true
}

// fenceContent tells whether the content may still be a call.
func (d *Detector) fenceContent(c byte) bool {
	f := &d.fence
	switch f.part {
	case fenceStart, fenceList:
		return d.fenceBegins(c)
	case fenceJSON:
		switch d.json.feed(c) {
		case done:
			f.part = fenceRest
		case fail, deep:
			f.part = fenceRest // closers may be missing before the closing line
			return c == f.char && f.line.part == 1
		}
	case fenceWord:
		if isNameByte(c) {
			return true
		}
		f.part = fenceRest
		word := strings.Trim(string(d.held[f.word:len(d.held)-1]), " ")
		named := d.tools.resolve(trimCall(word)) != nil
		return named && (c == '(' || isBlank(c) || c == '{') || c == '(' && word == "print"
	}
	return true
}

func (d *Detector) fenceBegins(c byte) bool {
	f := &d.fence
	switch {
	case isBlank(c):
	case c == '{':
		if f.part == fenceList {
			d.json.begin('[')
			d.json.feed(c)
		} else {
			d.json.begin(c)
		}
		f.part = fenceJSON
	case c == '[' && f.part == fenceStart:
		f.part = fenceList
	case isLetter(c) && f.label != "json":
		f.part = fenceWord
		f.word = len(d.held) - 1
	default:
		return false
	}
	return true
}

// fenceCalls reads the content of the fence as exactly one call, a list of
// calls or an expression; several expressions only where the label says code.
func (d *Detector) fenceCalls(cut bool) []found {
	content := strings.TrimSpace(string(d.held[d.from:]))
	content = strings.TrimSpace(strings.TrimRight(content, string(rune(d.fence.char))))
	if content == "" {
		return nil
	}
	if content[0] == '{' || content[0] == '[' {
		v, n, wasCut, err := parseLenient(content)
		if err == nil && skipBlank(content, n) == len(content) {
			calls := d.read(v, content)
			if wasCut && len(calls) > 0 && len(calls[0].args) == 0 {
				return nil
			}
			if _, isList := v.(list); isList || len(calls) == 1 || hasList(v) {
				return calls
			}
			return nil
		}
	}
	calls := d.tools.expressions(content)
	if call, n, ok := d.tools.nameThenObject(content); ok && n == len(content) {
		calls = []found{call}
	}
	if len(calls) > 1 && content[0] != '[' && d.fence.label != "tool_code" {
		return nil
	}
	return d.allowed(calls, content)
}

// hasList tells whether an object wraps a list of calls.
func hasList(v any) bool {
	o, _ := v.(object)
	for _, key := range listKeys {
		if _, ok := o.get(key); ok {
			return true
		}
	}
	return false
}

// inFenceTail waits for the end after a fence that is a call: with anything
// after it, it was documentation.
func (d *Detector) inFenceTail(c byte) bool {
	if isBlank(c) && len(d.held) < MaxHeld {
		d.hold(c)
		return true
	}
	line := string(d.held[strings.LastIndexByte(string(d.held), '\n')+1:])
	d.releasePlain()
	d.bol = skipBlank(line, 0) == len(line)
	return false
}

// endFence settles a fence that the message did not close.
func (d *Detector) endFence() {
	if d.pending = d.fenceCalls(true); len(d.pending) > 0 {
		d.commit()
		return
	}
	d.releasePlain()
}
