package toolcall

// verdict is what a scanner says after a byte.
type verdict byte

const (
	more verdict = iota // the candidate goes on
	done                // this byte ended it
	fail                // this byte cannot belong to it
	deep                // nested deeper than MaxDepth
)

// jsonScan follows JSON, with the faults that parser forgives, byte by byte, and
// stops at the first byte that cannot belong to it. Its state is a few words.
type jsonScan struct {
	stack  uint64 // one bit a level, 1 is an object
	depth  int
	state  jsonState
	quote  byte // kind of the open string's quote
	curly  byte // bytes of a curly quote seen so far
	escape bool
	key    int // length of the open key
}

type jsonState byte

const (
	jsonKey    jsonState = iota // a key, or the end of the object
	jsonInKey                   // inside a key
	jsonColon                   // the colon after a key
	jsonValue                   // a value, or the end of the list
	jsonString                  // inside a string value
	jsonWord                    // inside a number or a word
	jsonAfter                   // a comma or a closer
	jsonMaybe                   // after a single quote that may be an apostrophe
)

// maxKey is the longest key in bytes; prose that opened a quote ends there.
const maxKey = 256

// begin starts at an opening brace or bracket.
func (j *jsonScan) begin(c byte) {
	*j = jsonScan{}
	j.push(c)
}

func (j *jsonScan) push(c byte) verdict {
	if j.depth == MaxDepth {
		return deep
	}
	j.depth++
	j.stack <<= 1
	j.state = jsonValue
	if c == '{' {
		j.stack |= 1
		j.state = jsonKey
	}
	return more
}

// close takes a closer; those missing before it are forgiven.
func (j *jsonScan) close(c byte) verdict {
	want := uint64(0)
	if c == '}' {
		want = 1
	}
	for ; j.depth > 0; j.stack >>= 1 {
		j.depth--
		if j.stack&1 == want {
			j.stack >>= 1
			j.state = jsonAfter
			if j.depth == 0 {
				return done
			}
			return more
		}
	}
	return fail
}

func (j *jsonScan) feed(c byte) verdict {
	switch j.state {
	case jsonString, jsonInKey:
		return j.inString(c)
	case jsonMaybe:
		j.state = jsonString
		if isWordByte(c) && c != 0xE2 {
			return j.inString(c)
		}
		j.endString()
		return j.feed(c)
	case jsonWord:
		if isLiteralByte(c) {
			return more
		}
		j.state = jsonAfter
	}
	if j.curly > 0 {
		return j.openCurly(c)
	}
	if isBlank(c) {
		return more
	}
	return j.structure(c)
}

func (j *jsonScan) structure(c byte) verdict {
	switch {
	case j.state == jsonColon:
		if c != ':' {
			return fail
		}
		j.state = jsonValue
	case j.state == jsonAfter:
		switch c {
		case ',':
			j.state = jsonValue
			if j.stack&1 == 1 {
				j.state = jsonKey
			}
		case '}', ']':
			return j.close(c)
		default:
			return fail
		}
	case c == '"' || c == '\'':
		j.open(c)
	case c == 0xE2:
		j.curly = 1
	case j.state == jsonKey:
		if c != '}' {
			return fail
		}
		return j.close(c)
	case c == '{' || c == '[':
		return j.push(c)
	case c == ']' && j.stack&1 == 0:
		return j.close(c)
	case isLiteralByte(c):
		j.state = jsonWord
	default:
		return fail
	}
	return more
}

func (j *jsonScan) open(kind byte) {
	j.quote, j.curly, j.escape, j.key = kind, 0, false, 0
	if j.state == jsonKey {
		j.state = jsonInKey
	} else {
		j.state = jsonString
	}
}

// openCurly takes the second and third byte of a curly quote.
func (j *jsonScan) openCurly(c byte) verdict {
	if j.curly == 1 {
		j.curly = 2
		if c != 0x80 {
			return fail
		}
		return more
	}
	kind := curlyKind(string([]byte{0xE2, 0x80, c}))
	if kind == 0 {
		return fail
	}
	j.open(kind)
	return more
}

func (j *jsonScan) inString(c byte) verdict {
	if j.state == jsonInKey {
		j.key++
		if j.key > maxKey || c == '\n' {
			return fail
		}
	}
	if j.escape {
		j.escape = false
		return more
	}
	if j.quote == '"' || j.quote == '\'' {
		switch c {
		case '\\':
			j.escape = true
		case j.quote:
			j.stringClosed()
		}
		return more
	}
	switch {
	case c == '\\':
		j.escape, j.curly = true, 0
	case c == 0xE2:
		j.curly = 1
	case j.curly == 1 && c == 0x80:
		j.curly = 2
	case j.curly == 2 && curlyKind(string([]byte{0xE2, 0x80, c})) == j.quote:
		j.stringClosed()
	default:
		j.curly = 0
	}
	return more
}

// stringClosed ends a string, or waits for the next byte where the quote may be
// an apostrophe. Keys hold none.
func (j *jsonScan) stringClosed() {
	j.curly = 0
	if j.state == jsonString && (j.quote == '\'' || j.quote == curlySingle) {
		j.state = jsonMaybe
		return
	}
	j.endString()
}

func (j *jsonScan) endString() {
	if j.state == jsonInKey {
		j.state = jsonColon
		return
	}
	j.state = jsonAfter
}
