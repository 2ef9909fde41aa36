package toolcall

import "slices"

// inJSON follows a JSON candidate.
func (d *Detector) inJSON(c byte) bool {
	switch d.json.feed(c) {
	case done:
		d.hold(c)
		d.jsonDone()
		return true
	case fail:
		if len(d.held) == 1 {
			d.releasePlain()
		} else if !d.repaired() {
			d.release()
		}
		return false
	case deep:
		d.noJSON = true
		d.release()
		return false
	}
	if !d.hold(c) {
		d.noJSON = true
		d.release()
	}
	return true
}

// jsonDone judges a complete candidate.
func (d *Detector) jsonDone() {
	raw := string(d.held[d.from:])
	v, _, _, err := parseLenient(raw)
	if err != nil {
		d.release()
		return
	}
	calls := d.read(v, raw)
	switch {
	case len(calls) == 0:
		d.release()
	case d.opts.Native || d.named != nil || calls[0].bare:
		d.pending = append(d.pending, calls...)
		d.mode = modeTail
	default:
		d.pending = calls
		d.commit()
	}
}

// read returns the calls of a JSON value that may run.
func (d *Detector) read(v any, raw string) []found {
	if d.named != nil {
		o, ok := v.(object)
		if !ok || describes(d.named, o) {
			return nil
		}
		call := found{tool: d.named, args: coerceObject(o, d.named.schema, 0)}
		return d.allowed([]found{call}, string(d.held))
	}
	if calls := d.tools.namedCalls(v, 0); len(calls) > 0 {
		if d.shown {
			calls = slices.DeleteFunc(calls, mentioned)
		}
		return d.allowed(calls, raw)
	}
	if d.shown || d.hid || len(d.pending) > 0 {
		return nil
	}
	if call, ok := d.tools.bareCall(v, d.opts.Forced); ok {
		return d.allowed([]found{call}, raw)
	}
	return nil
}

// mentioned tells a name that prose merely lists from a call: nothing is given
// where the tool needs something.
func mentioned(call found) bool {
	return len(call.args) == 0 && len(call.tool.schema.required) > 0
}

// repaired takes a candidate whose closers are missing before prose goes on.
func (d *Detector) repaired() bool {
	if d.json.state != jsonAfter || d.opts.Native || d.named != nil {
		return false
	}
	raw := string(d.held[d.from:])
	calls := d.readCut(raw)
	if len(calls) == 0 || calls[0].bare {
		return false
	}
	d.pending = calls
	d.commit()
	return true
}

// readCut reads a candidate that was cut off. A call whose arguments had not
// begun to come does not count.
func (d *Detector) readCut(raw string) []found {
	v, _, _, err := parseLenient(raw)
	if err != nil {
		return nil
	}
	var calls []found
	for _, call := range d.read(v, raw) {
		if len(call.args) > 0 {
			calls = append(calls, call)
		}
	}
	return calls
}

// endJSON settles a candidate at the end of the message.
func (d *Detector) endJSON() {
	calls := d.readCut(string(d.held[d.from:]))
	if len(calls) == 0 {
		d.release()
		return
	}
	d.pending = append(d.pending, calls...)
	d.commit()
}

// inTail waits for the end after calls that must be the whole message.
func (d *Detector) inTail(c byte) bool {
	room := len(d.held) < MaxHeld
	switch {
	case room && (isBlank(c) || c == ',' || c == ';'):
		d.hold(c)
	case room && d.expr.used && d.list && c == ']':
		d.hold(c)
		d.list = false
		d.expr.used = false
	case room && d.expr.used && isLetter(c):
		d.from = len(d.held)
		d.hold(c)
		d.mode = modeWord
	case room && d.opts.Native && d.named == nil && !d.expr.used && !d.pending[0].bare && (c == '{' || c == '['):
		d.from = len(d.held)
		d.hold(c)
		d.json.begin(c)
		d.mode = modeJSON
	default:
		d.release()
		return false
	}
	return true
}
