package model

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"
)

// eventReader reads the data of server-sent events, one at a time. Lines of any
// other kind are passed over, however many: servers that think for long keep the
// line open with comments. Lines may be as long as the reply.
type eventReader struct {
	lines *bufio.Reader
	long  []byte // a line that is longer than the reader's own memory
}

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{lines: bufio.NewReader(r)}
}

// next returns the data of the next event as valid UTF-8, good until it is called
// again, and io.EOF after the last one. The last line may lack its end; the chunk
// decoder then tells whether anything else is missing.
func (e *eventReader) next() ([]byte, error) {
	for {
		line, err := e.line()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if data, ok := eventData(line); ok {
			if string(data) == "[DONE]" {
				return nil, io.EOF
			}
			if !utf8.Valid(data) {
				data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
			}
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// line reads up to the end of a line, without memory of its own for each.
func (e *eventReader) line() ([]byte, error) {
	line, err := e.lines.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	e.long = e.long[:0]
	for err == bufio.ErrBufferFull {
		e.long = append(e.long, line...)
		line, err = e.lines.ReadSlice('\n')
	}
	e.long = append(e.long, line...)
	return e.long, err
}

// eventData finds the data of a line. An error object without "data:" in front,
// as some gateways send it in mid-stream, counts as data.
func eventData(line []byte) ([]byte, bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // some servers begin with a byte order mark
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		data = bytes.TrimSpace(data)
		return data, len(data) > 0
	}
	return line, bytes.HasPrefix(line, []byte(`{"error"`))
}
