package toolcall

// mode is what the detector is in the middle of.
type mode byte

const (
	modeProse     mode = iota
	modeTag            // after "<": a name that may be a marker's
	modeAttrs          // after a marker's name, up to ">"
	modeBlock          // inside a marker's block
	modeBracket        // after "[": a marker, a list of calls, or prose
	modeJSON           // inside a JSON candidate
	modeWord           // inside the first word of a message or a line
	modeRecipient      // inside the header of a harmony call without tokens
	modeGap            // between a tool's name and what may be its arguments
	modeExpr           // inside the parentheses of a call expression
	modeTail           // after a call that counts only if nothing else follows
	modeReact          // inside Action and Action Input
	modeObserve        // after them: an observation would be made up
	modeDrop           // inside a made-up observation, to the end
	modeTicks          // in a run of backticks or tildes
	modeInfo           // in the first line of a fence
	modeFence          // in a fence that may be a call
	modeFenceTail      // after such a fence
	modeDocument       // in a fence that is documentation
)

// Detector finds calls in one message. It is not safe for concurrent use.
type Detector struct {
	opts   Options
	tools  *toolset
	quotes *quotations // read when the first call is found

	mode mode
	held []byte // what is kept back, from the start of the candidate
	one  string // what the current Write shows, if it is one piece of its input
	out  []byte // what it shows otherwise
	lead []byte // blanks at the start, shown with the first text

	shown  bool // text that is not blank was shown
	hid    bool // markup was hidden
	bol    bool // at the beginning of a line
	code   int  // length of the backtick run that opened inline code, 0 outside
	replay bool // released text: markers are hidden in it, nothing in it is a call
	noJSON bool // a candidate went over a limit: the rest of it is no call

	json    jsonScan
	from    int     // where in held the current part begins
	named   *tool   // the tool whose name stands before the object
	pending []found // calls that count only if nothing else follows
	expr    exprScan
	list    bool // call expressions inside brackets
	block   block
	react   reactScan
	fence   fence

	calls  []Call
	judged int // calls that were compared with the texts the model was given
	seen   map[string]bool
	closed bool
}

// NewDetector makes a Detector for one message.
func NewDetector(o Options) *Detector {
	return &Detector{opts: o, tools: newToolset(o.Tools), bol: true, seen: map[string]bool{}}
}

// Write takes the next piece of the message and returns the text that is now
// certainly prose, possibly none. After Close it returns nothing.
func (d *Detector) Write(delta string) string {
	if d.closed {
		return ""
	}
	if d.mode == modeProse && d.shown && !d.bol && plain(delta) {
		return delta
	}
	if d.shown && len(d.held) == 1 && d.inRun(delta) {
		return delta
	}
	d.run(delta)
	return d.output()
}

// inRun tells whether a piece only goes on a run of one opening byte, of which
// the last is held. Each releases the one before it, so the piece itself is what
// is shown, and the state stays.
func (d *Detector) inRun(delta string) bool {
	switch d.mode {
	case modeTag, modeBracket, modeJSON:
	default:
		return false
	}
	for i := 0; i < len(delta); i++ {
		if delta[i] != d.held[0] {
			return false
		}
	}
	return true
}

// output returns what was shown since the last time.
func (d *Detector) output() string {
	if d.one != "" {
		s := d.one
		d.one = ""
		return s
	}
	if len(d.out) == 0 {
		return ""
	}
	s := string(d.out)
	d.out = d.out[:0]
	return s
}

// Close ends the message: it returns the text that was still held and is no
// call, and the calls in the order in which they were written, identical ones
// once. A second Close returns nothing.
func (d *Detector) Close() (visible string, calls []Call) {
	if d.closed {
		return "", nil
	}
	d.closed = true
	d.finish()
	if d.mode != modeProse { // released text may have opened a marker
		d.finish()
	}
	if !d.shown && !d.hid {
		d.out = append(d.out, d.lead...)
	}
	return d.output(), d.calls
}

func (d *Detector) run(s string) {
	for i := 0; i < len(s); {
		switch {
		case d.mode == modeProse:
			i = d.prose(s, i)
		case d.mode == modeDocument:
			i = d.document(s, i)
		case d.step(s[i]):
			i++
		}
	}
}

// step takes one byte and tells whether it was used up; if not, it is looked at
// again in the new mode.
func (d *Detector) step(c byte) bool {
	switch d.mode {
	case modeTag:
		return d.inTag(c)
	case modeAttrs:
		return d.inAttrs(c)
	case modeBlock:
		return d.inBlock(c)
	case modeBracket:
		return d.inBracket(c)
	case modeJSON:
		return d.inJSON(c)
	case modeWord:
		return d.inWord(c)
	case modeRecipient:
		return d.inRecipient(c)
	case modeGap:
		return d.inGap(c)
	case modeExpr:
		return d.inExpr(c)
	case modeTail:
		return d.inTail(c)
	case modeReact:
		return d.inReact(c)
	case modeObserve:
		return d.inObserve(c)
	case modeTicks:
		return d.inTicks(c)
	case modeInfo:
		return d.inInfo(c)
	case modeFence:
		return d.inFence(c)
	case modeFenceTail:
		return d.inFenceTail(c)
	}
	return true // modeDrop
}

// finish settles what is held at the end of the message.
func (d *Detector) finish() {
	switch d.mode {
	case modeTail, modeFenceTail:
		d.commit()
	case modeFence:
		d.endFence()
	case modeJSON:
		d.endJSON()
	case modeBlock:
		if d.block.soft > 0 {
			d.endSoft()
			return
		}
		d.endBlock()
	case modeReact:
		d.endReact()
	case modeAttrs:
		if d.block.attrs == attrsNone {
			d.releasePlain()
			return
		}
		d.hide()
	case modeProse, modeDrop, modeObserve:
		d.held = d.held[:0]
		d.mode = modeProse
	case modeTag, modeBracket, modeTicks, modeInfo:
		d.releasePlain()
	default:
		d.release()
	}
}

// hold keeps a byte back and tells whether there is still room.
func (d *Detector) hold(c byte) bool {
	d.held = append(d.held, c)
	return len(d.held) <= MaxHeld
}

// start makes c the first byte of a candidate.
func (d *Detector) start(m mode, c byte) {
	d.mode = m
	d.held = append(d.held[:0], c)
	d.from = 0
}

// show adds text to what the reader sees. Blanks at the start wait: a message
// that is all calls shows nothing.
func (d *Detector) show(s string) {
	if !d.shown {
		n := skipBlank(s, 0)
		if n == len(s) && len(d.lead)+n <= MaxHeld {
			d.lead = append(d.lead, s...)
			return
		}
		d.out = append(d.out, d.lead...)
		d.lead, d.shown = nil, true
	}
	if len(d.out) == 0 && d.one == "" {
		d.one = s
		return
	}
	d.out = append(append(d.out, d.one...), s...)
	d.one = ""
}

// releasePlain shows what is held as it is.
func (d *Detector) releasePlain() {
	s := string(d.held)
	d.reset()
	d.show(s)
}

// release shows what is held, except for markers in it.
func (d *Detector) release() {
	s := string(d.held)
	d.reset()
	if d.replay { // already looked through
		d.show(s)
		return
	}
	d.replay = true
	d.bol = false
	d.run(s)
	d.replay = false
}

// hide drops what is held.
func (d *Detector) hide() {
	d.reset()
	d.hid = true
}

func (d *Detector) reset() {
	d.held = d.held[:0]
	d.mode, d.from, d.named, d.pending, d.list = modeProse, 0, nil, nil, false
}

// commit records the pending calls and hides what is held.
func (d *Detector) commit() {
	for _, call := range d.pending {
		d.record(call)
	}
	d.hide()
}

func (d *Detector) record(call found) {
	key := callKey(call)
	if d.seen[key] {
		return
	}
	d.seen[key] = true
	d.calls = append(d.calls, Call{Name: call.tool.name, Arguments: encode(call.args)})
}

// allowed keeps the calls that may run: of tools that change nothing, and not
// quoted from a text the model was given. raw is where they were read, if they
// do not know it themselves.
func (d *Detector) allowed(calls []found, raw string) []found {
	var ok []found
	for _, call := range calls {
		if call.raw == "" {
			call.raw = raw
		}
		if d.seen[callKey(call)] || d.mayRun(call) {
			ok = append(ok, call)
		}
	}
	return ok
}

func (d *Detector) mayRun(call found) bool {
	if d.opts.ReadOnly != nil && !d.opts.ReadOnly(call.tool.name) {
		return false
	}
	if d.quotes == nil {
		d.quotes = newQuotations(d.tools, d.opts.Context)
	}
	d.judged++
	return d.judged <= MaxCalls && !d.quotes.quoted(call)
}
