package render

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds that keep parsing linear; what is beyond them is text.
const (
	maxDepth      = 24     // quotes and lists inside each other
	maxBrackets   = 200    // openings of links in one paragraph
	maxDelimiters = 1000   // runs of * _ ~ in one paragraph
	maxCells      = 10_000 // of one table
	maxDefined    = 500    // lines of a paragraph that begins with definitions
	maxTag        = 2048   // bytes between < and >
	maxURL        = 2000   // bytes of an address that is linked
)

// markdown is stateless once it is made; what one parse remembers is in its
// parser.Context.
var markdown = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(bounded{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(quotes{bounded{parser.NewBlockquoteParser()}}, 800),
		util.Prioritized(comments{parser.NewHTMLBlockParser()}, 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(&links{InlineParser: parser.NewLinkParser()}, 200),
		util.Prioritized(angles{}, 300),
		util.Prioritized(emphasis{}, 500),
		util.Prioritized(addresses{}, 600),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
		util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
	),
	parser.WithASTTransformers(
		util.Prioritized(extension.NewTableASTTransformer(), 0),
	),
)

func parse(src []byte) ast.Node { return markdown.Parse(text.NewReader(src)) }

// bounded opens no block inside more than maxDepth others: each line would cost as
// much as it is deep.
type bounded struct{ parser.BlockParser }

func (b bounded) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxDepth {
			return nil, parser.NoChildren
		}
	}
	return b.BlockParser.Open(parent, r, pc)
}

// quotes leaves >>> alone: a shift operator or a prompt in practice, and on Discord
// the quote of all that follows.
type quotes struct{ bounded }

func (q quotes) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := r.PeekLine()
	if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte(">>>")) {
		return nil, parser.NoChildren
	}
	return q.bounded.Open(parent, r, pc)
}

// comments takes only HTML comments over several lines for HTML. No platform shows
// HTML, so that any other tag is text, and what stands around it stays Markdown.
type comments struct{ parser.BlockParser }

func (c comments) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := r.PeekLine()
	line = bytes.TrimLeft(line, " ")
	if !bytes.HasPrefix(line, []byte("<!--")) || bytes.Contains(line, []byte("-->")) || !commentEnds(segment.Start, r.Source(), pc) {
		return nil, parser.NoChildren
	}
	return c.BlockParser.Open(parent, r, pc)
}

var lastCommentEnd = parser.NewContextKey()

// commentEnds tells whether a comment ends behind a position. The last end is
// looked up once a text.
func commentEnds(from int, src []byte, pc parser.Context) bool {
	last, ok := pc.Get(lastCommentEnd).(int)
	if !ok {
		last = bytes.LastIndex(src, []byte("-->"))
		pc.Set(lastCommentEnd, last)
	}
	return last > from
}

// definitions leaves a paragraph alone that is too long to be made of definitions.
type definitions struct{ parser.ParagraphTransformer }

func (t definitions) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxDefined {
		t.ParagraphTransformer.Transform(node, r, pc)
	}
}

// tables leaves a paragraph alone that would become far more cells than it has
// bytes, as rows are filled up to the width of the heading.
type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() < 2 {
		return
	}
	for i := 1; i < lines.Len(); i++ {
		at := lines.At(i)
		line := at.Value(r.Source())
		if len(bytes.Trim(line, " \t\r\n|:-")) > 0 {
			continue
		}
		if (bytes.Count(line, []byte{'|'})+1)*(lines.Len()-i) > maxCells {
			return
		}
		blank := node.HasBlankPreviousLines()
		before := node.PreviousSibling()
		parent := node.Parent()
		t.ParagraphTransformer.Transform(node, r, pc)
		keepBlank(parent, before, node, blank)
		return
	}
}

// keepBlank tells a table that replaced a paragraph whether a blank line stood
// before it, which goldmark forgets.
func keepBlank(parent, before ast.Node, paragraph *ast.Paragraph, blank bool) {
	if paragraph.Parent() != nil || parent == nil {
		return
	}
	first := parent.FirstChild()
	if before != nil {
		first = before.NextSibling()
	}
	if first != nil && first.Kind() == extast.KindTable {
		first.SetBlankPreviousLines(blank)
	}
}
