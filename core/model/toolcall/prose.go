package toolcall

// triggers are the bytes at which prose may stop being prose.
var triggers = [256]bool{'<': true, '{': true, '[': true, '`': true, '~': true, '\n': true}

// plain tells whether a piece holds nothing that could begin a call.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if triggers[s[i]] {
			return false
		}
	}
	return true
}

// prose shows text from i up to the next candidate and returns where to go on.
func (d *Detector) prose(s string, i int) int {
	from := i
	for i < len(s) {
		c := s[i]
		begin := d.bol
		if begin {
			if c == ' ' || c == '\t' || c == '\r' {
				i++
				continue
			}
			d.bol = false
			from = d.settle(s, from, i)
			if d.mayBeWord(c) {
				d.show(s[from:i])
				d.start(modeWord, c)
				return i + 1
			}
		}
		if !triggers[c] {
			i++
			continue
		}
		if c == '\n' {
			d.bol, d.code = true, 0
			i++
			continue
		}
		from = d.settle(s, from, i)
		if m := d.opens(s, i, begin); m != modeProse {
			d.show(s[from:i])
			d.start(m, c)
			if m == modeJSON {
				d.json.begin(c)
			}
			return i + 1
		}
		i++
	}
	d.show(s[from:])
	return len(s)
}

// settle makes known whether anything was shown before a decision that depends
// on it.
func (d *Detector) settle(s string, from, to int) int {
	if d.shown || from == to {
		return from
	}
	d.show(s[from:to])
	return to
}

// opens returns the mode that the trigger at s[i] starts, modeProse for none.
// Where the next byte is at hand and settles it, no candidate is made.
func (d *Detector) opens(s string, i int, bol bool) mode {
	c := s[i]
	next, known := byte(0), i+1 < len(s)
	if known {
		next = s[i+1]
	}
	switch {
	case c == '`' && !d.replay:
		return modeTicks
	case c == '~' && bol && !d.replay:
		return modeTicks
	case d.code > 0:
	case c == '<' && (!known || startsTag(next)):
		return modeTag
	case c == '{' && d.mayBeJSON() && (!known || isBlank(next) || next == '"' || next == '\'' || next == 0xE2 || next == '}'):
		return modeJSON
	case c == '[' && (!known || next == 'T' || next == '/' || next == '{' || isBlank(next) || isLetter(next)):
		return modeBracket
	}
	return modeProse
}

// mayBeJSON tells whether an object here could be a call: anywhere for a model
// without native calls, else as the beginning of a message.
func (d *Detector) mayBeJSON() bool {
	return !d.replay && !d.noJSON && (!d.opts.Native || !d.shown)
}

// mayBeWord tells whether a line that begins with c could be a call expression
// (the first line only) or ReAct's action.
func (d *Detector) mayBeWord(c byte) bool {
	if d.replay || d.code > 0 {
		return false
	}
	if !d.shown {
		return isLetter(c)
	}
	return c == 'A' && (!d.opts.Native || d.react.expected)
}

func startsTag(c byte) bool {
	return isLetter(c) || c == '|' || c == '/' || c == 0xEF
}

// inBracket looks at what follows "[": calls in a list, a marker, or prose.
func (d *Detector) inBracket(c byte) bool {
	n := len(d.held)
	switch {
	case d.held[n-1] == '[' || isBlank(d.held[n-1]):
		return d.afterBracket(c)
	case c != bracketMarkers[d.held[1]][min(n, len(bracketMarkers[d.held[1]])-1)]:
		d.releasePlain()
		return false
	}
	d.hold(c)
	if c == ']' {
		if d.held[1] == '/' {
			d.hide()
			return true
		}
		d.openBlock(blockJSON, bracketMarkers['T'])
	}
	return true
}

// bracketMarkers are Mistral's markers by their second byte.
var bracketMarkers = map[byte]string{'T': "[TOOL_CALLS]", '/': "[/TOOL_CALLS]"}

func (d *Detector) afterBracket(c byte) bool {
	n := len(d.held)
	switch {
	case (c == 'T' || c == '/') && n == 1:
		d.hold(c)
	case isBlank(c) && n < 64 && d.mayBeJSON():
		d.hold(c)
	case c == '{' && d.mayBeJSON():
		d.json.begin('[')
		d.json.feed(c)
		d.hold(c)
		d.mode = modeJSON
	case isLetter(c) && !d.shown && !d.replay:
		d.list = true
		d.from = n
		d.hold(c)
		d.mode = modeWord
	default:
		d.releasePlain()
		return false
	}
	return true
}
