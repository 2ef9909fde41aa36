// Package extract turns files and document bodies into blocks of Markdown that
// remember heading levels, anchors and pages. Text formats are read in process;
// PDF, Office files, books and mails are read by a child process of the same
// binary that can be killed and whose answers are bounded and never trusted.
//
// Every parser here runs on input from strangers: sizes and depths are limited,
// panics become errors, and work grows linearly with the input.
package extract

// Kind says what a block is. The values are stable, other parts compare them.
type Kind string

const (
	KindHeading   Kind = "heading"   // Text is the plain heading without markup; Level is 1 to 6
	KindParagraph Kind = "paragraph" // also quotes, raw HTML and whatever has no kind of its own
	KindList      Kind = "list"      // one whole list, nested lists included
	KindTable     Kind = "table"     // a Markdown table: header, delimiter row, rows
	KindRows      Kind = "rows"      // rows of a sheet: one "Columns: …" line, then one line a row
	KindCode      Kind = "code"      // fenced with its info string, or indented
	KindImage     Kind = "image"     // a picture and its label, alone on a line
)

// Block is a piece of a document that reads on its own. Text is Markdown.
type Block struct {
	Kind   Kind
	Text   string
	Level  int    // of a heading, from 1; 0 otherwise
	Page   int    // from 1; 0 where there are no pages
	Anchor string // of a heading: what follows # in a link to it; "" if unknown
}

// Content is what was read from one file.
type Content struct {
	Title    string            // as the content itself states it; "" if it does not
	Language string            // ISO 639-1; "" if unsure
	Meta     map[string]string // front matter and document properties, scalars only
	Blocks   []Block
	Pages    int      // of a paged file; 0 otherwise
	Notes    []string // whole sentences for the owner: what could not be read and why
}
