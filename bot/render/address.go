package render

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// addresses reads bare addresses. goldmark asks a parser at punctuation only, so
// that it begins at the colon or the dot and takes what stands before it from the
// text already read. So an address is also found behind a letter that is not
// Latin, where no blank is written.
type addresses struct{}

func (addresses) Trigger() []byte { return []byte{':', '.'} }

func (addresses) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	src := block.Source()
	before := 0
	if line[0] == ':' {
		before = schemeBefore(line, src[:segment.Start])
	} else {
		before = wwwBefore(src[:segment.Start])
	}
	last, ok := parent.LastChild().(*ast.Text)
	if before == 0 || !ok || last.Segment.Stop != segment.Start || last.Segment.Len() < before {
		return nil
	}
	from := segment.Start - before
	end := addressEnd(src[from:min(segment.Start+len(line), from+maxURL+1)])
	if end <= before {
		return nil
	}
	block.Advance(end - before)
	last.Segment.Stop = from
	n := ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(from, from+end)))
	if line[0] == '.' {
		n.Protocol = []byte("http")
	}
	return n
}

// schemeBefore is how many bytes of a scheme that is linked stand before a colon.
func schemeBefore(line, before []byte) int {
	if !bytes.HasPrefix(line, []byte("://")) {
		return 0
	}
	for _, scheme := range []string{"https", "http"} {
		n := len(scheme)
		if len(before) >= n && bytes.EqualFold(before[len(before)-n:], []byte(scheme)) &&
			(len(before) == n || !isWord(before[len(before)-n-1])) {
			return n
		}
	}
	return 0
}

func wwwBefore(before []byte) int {
	n := len(before)
	if n < 3 || !bytes.EqualFold(before[n-3:], []byte("www")) || n > 3 && (isWord(before[n-4]) || before[n-4] == '/' || before[n-4] == '@') {
		return 0
	}
	return 3
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// addressEnd is where an address ends that a text begins with; 0 if its host is none
// or if it is too long to be linked.
func addressEnd(s []byte) int {
	end := addressStop(s)
	if end > maxURL {
		return 0
	}
	for end > 0 && bytes.IndexByte([]byte(".,;:!?'\"*_~&"), s[end-1]) >= 0 {
		end--
	}
	host := s[:end]
	if i := bytes.Index(host, []byte("://")); i >= 0 {
		host = host[i+3:]
	}
	if i := bytes.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	name, _, _ := bytes.Cut(host, []byte{':'})
	dot := bytes.IndexByte(name, '.')
	if string(name) == "localhost" || dot > 0 && dot < len(name)-1 {
		return end
	}
	return 0
}

// stops are the bytes that end an address.
var stops = func() (t [256]bool) {
	for c := range byte(' ' + 1) {
		t[c] = true
	}
	for _, c := range []byte("<>\"`|\\\x7f") {
		t[c] = true
	}
	return t
}()

// addressStop is the first byte that cannot belong to an address. Parentheses and
// brackets do if they are opened in it. East Asian letters and punctuation end it.
func addressStop(s []byte) int {
	round, square := 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(s[i:])
			if wide(r) || r == utf8.RuneError || r >= 0x2000 && r <= 0x206f || r == 0xa0 {
				return i
			}
			i += n
			continue
		}
		switch c {
		case '(':
			round++
		case ')':
			round--
		case '[':
			square++
		case ']':
			square--
		}
		if stops[c] || round < 0 || square < 0 {
			return i
		}
		i++
	}
	return len(s)
}
