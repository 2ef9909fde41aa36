package cite

import "strings"

// chunk is about how much text shares one allocation.
const chunk = 2 << 10

// output collects final text and hands it out without copying it: a builder's
// string stays valid while the builder grows behind it.
type output struct {
	b    strings.Builder
	sent int
}

func (o *output) room() {
	if o.b.Cap() == 0 {
		o.b.Grow(chunk)
	}
}

func (o *output) writeString(s string) {
	o.room()
	o.b.WriteString(s)
}

func (o *output) write(p []byte) {
	o.room()
	o.b.Write(p)
}

// take returns what was written since the last call.
func (o *output) take() string {
	s := o.b.String()[o.sent:]
	o.sent += len(s)
	if o.sent > chunk-256 {
		o.b, o.sent = strings.Builder{}, 0
	}
	return s
}
