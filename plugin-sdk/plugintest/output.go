package plugintest

import (
	"bytes"
	"io"
	"sync"
)

// output keeps the end of what a process prints.
type output struct {
	mu      sync.Mutex
	outTail []byte // of standard output, but for the handshake
	errTail []byte
}

// keep is how much of each is kept, in bytes.
const keep = 16 << 10

// tail adds to one of the two.
type tail struct {
	of *output
	to *[]byte
}

func (o *output) stray() io.Writer  { return tail{o, &o.outTail} }
func (o *output) errors() io.Writer { return tail{o, &o.errTail} }

// Write never fails.
func (t tail) Write(p []byte) (int, error) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	*t.to = append(*t.to, p...)
	if over := len(*t.to) - keep; over > 0 {
		*t.to = append([]byte(nil), (*t.to)[over:]...)
	}
	return len(p), nil
}

func (o *output) strayText() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.outTail)
}

// printed is the end of both.
func (o *output) printed() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.outTail) + "\n" + string(o.errTail)
}

// lastWords is the end of standard error.
func (o *output) lastWords() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return clip(string(bytes.TrimSpace(o.errTail)), 2000)
}
