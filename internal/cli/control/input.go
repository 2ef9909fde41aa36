package control

import (
	"io"
	"sync"
)

// input is the holder's end of a caller's standard input. It asks for input only
// when the command reads, so a caller's input is not swallowed by commands that
// do not want it.
type input struct {
	out    *sender
	pieces chan []byte
	ended  chan struct{}
	once   sync.Once
	rest   []byte
}

func newInput(out *sender) *input {
	return &input{out: out, pieces: make(chan []byte, 1), ended: make(chan struct{})}
}

func (i *input) close() { i.once.Do(func() { close(i.ended) }) }

func (i *input) give(p []byte) {
	select {
	case i.pieces <- p:
	case <-i.ended:
	}
}

// Read asks the caller for a piece and waits for it.
func (i *input) Read(p []byte) (int, error) {
	if len(i.rest) == 0 {
		if err := i.out.send(frame{Want: true}); err != nil {
			return 0, err
		}
		select {
		case i.rest = <-i.pieces:
		case <-i.ended:
			return 0, io.EOF
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
