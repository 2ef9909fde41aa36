package render

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/text/width"
)

// tally counts what one paragraph has opened.
type tally struct {
	block                          ast.Node
	brackets, delimiters, comments int
}

var tallyKey = parser.NewContextKey()

func tallyOf(block ast.Node, pc parser.Context) *tally {
	t, ok := pc.Get(tallyKey).(*tally)
	if !ok {
		t = &tally{}
		pc.Set(tallyKey, t)
	}
	if t.block != block {
		*t = tally{block: block}
	}
	return t
}

// links bounds how many links one paragraph may open, because each looks for its
// end as far as the line goes.
type links struct{ parser.InlineParser }

func (l *links) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if line[0] == '[' || line[0] == '!' && len(line) > 1 && line[1] == '[' {
		t := tallyOf(parent, pc)
		if t.brackets++; t.brackets > maxBrackets {
			return nil
		}
	}
	return l.InlineParser.Parse(parent, block, pc)
}

// CloseBlock ends the links that a paragraph left open.
func (l *links) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := l.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// emphasis reads * _ and ~. It differs from CommonMark where East Asian letters
// stand next to a marker: they are written without blanks between words, and
// their punctuation does not keep a marker from closing.
type emphasis struct{}

func (emphasis) Trigger() []byte         { return []byte{'*', '_', '~'} }
func (emphasis) IsDelimiter(b byte) bool { return b == '*' || b == '_' || b == '~' }
func (emphasis) CanOpenCloser(o, c *parser.Delimiter) bool {
	return o.Char == c.Char && (o.Char != '~' || o.OriginalLength == c.OriginalLength)
}

// OnMatch makes emphasis; strikes are made by the type below.
func (emphasis) OnMatch(n int) ast.Node { return ast.NewEmphasis(n) }

type strikes struct{ emphasis }

func (strikes) OnMatch(int) ast.Node { return extast.NewStrikethrough() }

func (e emphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	c, n := line[0], 1
	for n < len(line) && line[n] == c {
		n++
	}
	if c == '~' && (n > 2 || before == '~') {
		return nil
	}
	t := tallyOf(parent, pc)
	if t.delimiters++; t.delimiters > maxDelimiters {
		return nil
	}
	after := ' '
	if n < len(line) {
		after, _ = utf8.DecodeRune(line[n:])
	}
	opens, closes := flanks(c, before, after)
	var process parser.DelimiterProcessor = e
	if c == '~' {
		process = strikes{e}
	}
	node := parser.NewDelimiter(opens, closes, n, c, process)
	node.Segment = segment.WithStop(segment.Start + n)
	block.Advance(n)
	pc.PushDelimiter(node)
	return node
}

// flanks tells whether a run of markers between two characters may open and may
// close emphasis.
func flanks(c byte, before, after rune) (opens, closes bool) {
	spaceBefore, spaceAfter := util.IsSpaceRune(before), util.IsSpaceRune(after)
	wideBefore, wideAfter := wide(before), wide(after)
	punctBefore := !wideBefore && util.IsPunctRune(before)
	punctAfter := !wideAfter && util.IsPunctRune(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore || wideBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter || wideAfter)
	if c == '_' {
		return left && (!right || punctBefore || fullPunct(before)), right && (!left || punctAfter || fullPunct(after))
	}
	return left, right
}

// wide tells whether a character takes two columns: East Asian letters and
// punctuation, and pictures.
func wide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}

func fullPunct(r rune) bool { return r >= 0x3000 && wide(r) && unicode.IsPunct(r) }

// angles reads what stands in angle brackets: <https://...>, Slack's
// <https://...|label> which models write too, <br>, and comments.
type angles struct{}

func (angles) Trigger() []byte { return []byte{'<'} }

func (angles) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if bytes.HasPrefix(line, []byte("<!--")) {
		return comment(parent, block, segment, pc)
	}
	end := bytes.IndexByte(line[:min(len(line), maxTag)], '>')
	if end < 2 {
		return nil
	}
	inner := line[1:end]
	if isBreak(inner) {
		block.Advance(end + 1)
		return lineBreak()
	}
	url, label, labelled := bytes.Cut(inner, []byte{'|'})
	mail := bytes.TrimPrefix(url, []byte("mailto:"))
	isMail := mailAt(mail)
	if bytes.ContainsAny(url, " \t<\n") || !isMail && !hasScheme(url) || len(url) > maxURL {
		return nil
	}
	block.Advance(end + 1)
	if labelled && len(bytes.TrimSpace(label)) > 0 {
		link := ast.NewLink()
		link.Destination = url
		at := segment.Start + end - len(label)
		link.AppendChild(link, ast.NewRawTextSegment(text.NewSegment(at, at+len(label))))
		return link
	}
	kind := ast.AutoLinkType(ast.AutoLinkURL)
	from := segment.Start + 1
	if isMail {
		kind, from = ast.AutoLinkEmail, from+len(url)-len(mail)
	}
	n := ast.NewAutoLink(kind, ast.NewTextSegment(text.NewSegment(from, segment.Start+1+len(url))))
	n.Protocol = angled
	return n
}

// angled marks an autolink that was written in angle brackets.
var angled = []byte("<")

func isBreak(inner []byte) bool {
	name := bytes.TrimRight(bytes.TrimSuffix(inner, []byte{'/'}), " ")
	return len(name) == 2 && name[0]|0x20 == 'b' && name[1]|0x20 == 'r'
}

// lineBreak is an empty text with a hard break behind it.
func lineBreak() ast.Node {
	n := ast.NewText()
	n.SetHardLineBreak(true)
	return n
}

// comment skips a comment in a paragraph, which nobody sees.
func comment(parent ast.Node, block text.Reader, segment text.Segment, pc parser.Context) ast.Node {
	t := tallyOf(parent, pc)
	if t.comments++; t.comments > maxBrackets || !commentEnds(segment.Start, block.Source(), pc) {
		return nil
	}
	block.Advance(4)
	for {
		line, _ := block.PeekLine()
		if line == nil {
			return nil
		}
		if end := bytes.Index(line, []byte("-->")); end >= 0 {
			block.Advance(end + 3)
			return ast.NewString(nil)
		}
		block.AdvanceLine()
	}
}
