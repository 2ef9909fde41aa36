package console

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/footnote-bot/footnote/core"
)

// longestLine is the most a person may type as one question, in bytes.
const longestLine = 256 << 10

// lines reads lines so that waiting for one can be given up. A read from a
// terminal cannot be interrupted: a goroutine that waits for one when the chat
// ends holds nothing but the input, and ends with it.
type lines struct {
	want chan struct{}
	got  chan line
}

type line struct {
	text string
	err  error
}

func newLines(in io.Reader) *lines {
	l := &lines{want: make(chan struct{}), got: make(chan line, 1)}
	go l.read(in)
	return l
}

// read reads one line each time one is wanted, so that what is typed during an
// answer stays where it is.
func (l *lines) read(in io.Reader) {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, longestLine)
	for range l.want {
		switch {
		case scanner.Scan():
			l.got <- line{text: scanner.Text()}
		case errors.Is(scanner.Err(), bufio.ErrTooLong):
			l.got <- line{err: core.Errorf(core.KindTooLarge, "the question is longer than %d KiB; ask a shorter one", longestLine>>10)}
			return
		case scanner.Err() != nil:
			l.got <- line{err: scanner.Err()}
			return
		default:
			l.got <- line{err: io.EOF}
			return
		}
	}
}

// next waits for the next line or the end of the context.
func (l *lines) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	select {
	case l.want <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case got := <-l.got:
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// close ends the reader, if it does not wait for input.
func (l *lines) close() { close(l.want) }
