package cite

import (
	"github.com/footnote-bot/footnote/core"
)

// Mode says how markers are written.
type Mode int

const (
	Hyperlink Mode = iota // every source as its Show says
	Remove                // every source is shown as nothing
	Keep                  // the text is not changed, numbers are only recorded

	collapsing // numbers are rewritten in place, see Collapse
	stripping  // written links are deleted, see StripLinks
)

// Source is one numbered document that an answer may cite.
type Source struct {
	Document string    // core.Document.ID; two numbers of one document are aliases
	Title    string    // not written by this package, carried for source lists
	URL      string    // two numbers with one URL are aliases too
	Show     core.Show // how it may be shown; of two aliases the stricter counts
}

// Options configure a Writer. Functions may be nil. They are called from within
// Write and Close and must not call back into the Writer.
type Options struct {
	Mode Mode
	// Renumber numbers documents in the order in which they are first shown.
	Renumber bool
	// Schemes lists the URL schemes that may become links; nil means http and https.
	Schemes []string
	// Link writes one linked citation in a platform's dialect; nil means
	// Markdown, [[n]](url). The URL is already safe inside Markdown parentheses.
	Link func(display int, url string) string
	// Text gets the visible text, in order, never empty.
	Text func(delta string)
	// Cited is called once a document, before the text that first shows it.
	Cited func(display, number int)
	// Deleted is called for each marker, link or bare URL of a known source that
	// was deleted because the source may not be shown, with the number used.
	Deleted func(number int)
}

// Shown is a document that the answer showed a citation of.
type Shown struct {
	Display  int // the number that the reader sees
	Number   int // the number that the model used first
	Document string
}

// Writer rewrites one answer. It is not safe for concurrent use.
type Writer struct {
	opts    Options
	sources catalog
	sink    sink
	scanner
	collapse *collapse // in mode collapsing
}

// NewWriter makes a writer that knows no sources yet.
func NewWriter(opts Options) *Writer {
	if opts.Schemes == nil {
		opts.Schemes = []string{"http", "https"}
	}
	if opts.Link == nil {
		opts.Link = markdownLink
	}
	w := &Writer{opts: opts, sources: newCatalog(opts)}
	w.line.reset()
	if opts.Mode == stripping {
		w.sink.tidy = true
	}
	return w
}

// AddSource makes a number known. It may be called between writes. A number
// keeps its first owner; numbers below 1 are ignored.
func (w *Writer) AddSource(number int, s Source) {
	w.sources.add(number, s)
	if w.opts.Mode != Keep && len(w.sources.byNumber) > 0 {
		w.sink.tidy = true
	}
}

// Write takes the next piece of the answer. Pieces may end anywhere, even
// inside a character.
func (w *Writer) Write(delta string) {
	if delta == "" {
		return
	}
	if w.opts.Mode == Keep {
		w.send(delta)
	} else if w.passes(delta) {
		w.send(delta)
		return
	}
	w.feed(delta)
	w.flush()
}

// Close ends the answer: what is still held goes out by the rules. The writer
// must not be used afterwards, except for Shown and Seen.
func (w *Writer) Close() {
	w.endHolds()
	w.sink.end()
	w.flush()
}

// Shown lists the documents that were shown, in the order of first display.
func (w *Writer) Shown() []Shown { return w.sources.shownList() }

// Seen lists the known numbers that occurred as markers, shown or not, in
// order of first occurrence.
func (w *Writer) Seen() []int { return append([]int(nil), w.sources.seen...) }

func (w *Writer) flush() {
	if w.opts.Mode == Keep {
		w.sink.out.take()
		return
	}
	if text := w.sink.out.take(); text != "" {
		w.send(text)
	}
}

func (w *Writer) send(text string) {
	if w.opts.Text != nil {
		w.opts.Text(text)
	}
}
