package toolcall

import "strings"

// exprScan finds the closing parenthesis of a call expression.
type exprScan struct {
	depth  int
	quote  byte
	escape bool
	used   bool // the calls that are held are expressions
}

func (e *exprScan) feed(c byte) verdict {
	switch {
	case e.escape:
		e.escape = false
	case e.quote != 0:
		if c == '\\' {
			e.escape = true
		} else if c == e.quote {
			e.quote = 0
		}
	case c == '"' || c == '\'':
		e.quote = c
	case c == '(' || c == '[' || c == '{':
		if e.depth++; e.depth > MaxDepth {
			return deep
		}
	case c == ')' || c == ']' || c == '}':
		if e.depth--; e.depth == 0 {
			return done
		}
	}
	return more
}

// maxWord is the longest name in bytes that is held.
const maxWord = 128

// inWord reads the first word of the message, or of a line that may be ReAct's.
func (d *Detector) inWord(c byte) bool {
	word := string(d.held[d.from:])
	switch {
	case d.shown:
		if len(word) < len(actionWord) && c == actionWord[len(word)] {
			d.hold(c)
			return true
		}
		if word == actionWord && c == ':' {
			return d.openReact(c)
		}
	case c == ':' && strings.EqualFold(word, actionWord):
		return d.openReact(c)
	case c == ':' && strings.EqualFold(word, "thought"):
		d.react.expected = true
	case isNameByte(c) && len(word) < maxWord:
		d.hold(c)
		return true
	case c == '(' && (word == "print" || d.tools.resolve(trimCall(word)) != nil):
		d.hold(c)
		d.expr = exprScan{depth: 1, used: true}
		d.mode = modeExpr
		return true
	case (c == ' ' || c == '=') && d.from == 0 && harmonyWords[word]:
		d.hold(c)
		d.mode = modeRecipient
		return true
	case (isBlank(c) || c == '{') && d.from == 0:
		if d.named = d.tools.resolve(word); d.named != nil {
			d.mode = modeGap
			return false
		}
	}
	d.release()
	return false
}

// harmonyWords begin a harmony call whose tokens a server has swallowed:
// "commentary to=functions.name json{…}".
var harmonyWords = map[string]bool{"commentary": true, "assistantcommentary": true, "assistant": true, "to": true}

// inRecipient reads the header of such a call, up to its object.
func (d *Detector) inRecipient(c byte) bool {
	head := string(d.held)
	at := strings.Index(head, "to=")
	switch {
	case c == '{' && at >= 0:
		name, _, _ := strings.Cut(head[at+len("to="):], " ")
		if d.named = d.tools.resolve(name); d.named != nil {
			d.mode = modeGap
			return false
		}
	case len(head) < maxWord && (isNameByte(c) || c == ' ' || c == '=') && (at >= 0 || recipientAhead(head, c)):
		d.hold(c)
		return true
	}
	d.release()
	return false
}

// recipientAhead tells whether the words so far still lead to "to=".
func recipientAhead(head string, c byte) bool {
	last := head[strings.LastIndexByte(head, ' ')+1:] + string(rune(c))
	if c == ' ' {
		return harmonyWords[strings.TrimSpace(last)]
	}
	if strings.HasPrefix("to=", last) {
		return true
	}
	for word := range harmonyWords {
		if strings.HasPrefix(word, last) {
			return true
		}
	}
	return false
}

// inGap waits for the object after a tool's name.
func (d *Detector) inGap(c byte) bool {
	switch {
	case isBlank(c) && len(d.held) < 2*maxWord:
		d.hold(c)
	case c == '{':
		d.from = len(d.held)
		d.hold(c)
		d.json.begin(c)
		d.expr.used = false
		d.mode = modeJSON
	default:
		d.release()
		return false
	}
	return true
}

// inExpr follows a call expression and reads it once it is closed.
func (d *Detector) inExpr(c byte) bool {
	room := d.hold(c)
	switch v := d.expr.feed(c); {
	case v == done:
		src := string(d.held[d.from:])
		call, n, ok := d.tools.expression(src)
		call.raw = src
		if ok && n == len(src) {
			calls := d.allowed([]found{call}, src)
			d.pending = append(d.pending, calls...)
			if len(calls) == 1 {
				d.mode = modeTail
				return true
			}
		}
		d.release()
	case v == deep || !room:
		d.release()
	}
	return true
}
