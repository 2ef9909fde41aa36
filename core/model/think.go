package model

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// longestLead bounds the blanks and the part of a tag that wait for the rest of
// the tag, in bytes: a model that sends nothing but blanks is not read again and
// again from the start.
const longestLead = 256

// thinkFilter moves the thoughts that some servers leave at the start of the
// text to where they belong.
type thinkFilter struct {
	state thinkState
	held  string
}

type thinkState byte

const (
	thinkStart  thinkState = iota // the text may still begin with the tag
	thinkInside                   // in the thoughts
	thinkAfter                    // right behind them: blanks are dropped
	thinkOver                     // plain text to the end
)

// write takes the next piece and returns text and thoughts that are certain.
func (f *thinkFilter) write(piece string) (text, thought string) {
	if f.state == thinkOver || piece == "" {
		return piece, ""
	}
	f.held += piece
	if f.state == thinkStart {
		trimmed := strings.TrimLeft(f.held, " \t\r\n")
		switch {
		case strings.HasPrefix(trimmed, thinkOpen):
			f.state, f.held = thinkInside, trimmed[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, trimmed) && len(f.held) <= longestLead:
			return "", ""
		default:
			return f.over(), ""
		}
	}
	if f.state == thinkInside {
		thought = f.inside()
	}
	if f.state == thinkAfter {
		if f.held = strings.TrimLeft(f.held, " \t\r\n"); f.held != "" {
			text = f.over()
		}
	}
	return text, thought
}

// inside returns the thoughts so far, less what may be the start of the end.
func (f *thinkFilter) inside() string {
	if before, after, ended := strings.Cut(f.held, thinkClose); ended {
		f.state, f.held = thinkAfter, after
		return before
	}
	keep := min(len(thinkClose)-1, len(f.held))
	for keep > 0 && !strings.HasPrefix(thinkClose, f.held[len(f.held)-keep:]) {
		keep--
	}
	out := f.held[:len(f.held)-keep]
	f.held = f.held[len(out):]
	return out
}

func (f *thinkFilter) over() string {
	out := f.held
	f.state, f.held = thinkOver, ""
	return out
}

// close returns the text that was held back. Half an end tag in the thoughts
// belongs to nothing.
func (f *thinkFilter) close() string {
	if f.state == thinkInside {
		return ""
	}
	return f.over()
}
