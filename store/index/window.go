package index

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"github.com/footnote-bot/footnote/core"
)

// bodyField is the one text field: body, title and heading path count into the
// same terms, so that a query reads one posting list a term.
const bodyField = "t"

// The text of a passage is indexed in windows, each with the title and heading
// path, and the best window counts. Words far apart in a long passage then do
// not add up, and length hardly matters.
const (
	windowWords   = 110
	wholeWords    = 220 // passages up to this many words are one window
	titleWeight   = 2
	headingWeight = 1
	contextWeight = 1
)

// windowKey is what the index stores as the name of a window. It holds
// everything a search needs, so that no stored field is ever read.
type windowKey struct {
	passage    core.PassageID
	generation uint32 // of the write that put the document
	length     uint16 // words, capped
	number     uint8  // of the window in its passage
	document   string
}

const keyHead = 8 + 4 + 2 + 1

func (k windowKey) encode() string {
	b := make([]byte, 0, keyHead+len(k.document))
	b = binary.BigEndian.AppendUint64(b, uint64(k.passage))
	b = binary.BigEndian.AppendUint32(b, k.generation)
	b = binary.BigEndian.AppendUint16(b, k.length)
	b = append(b, k.number)
	return string(append(b, k.document...))
}

// decodeKey reads a key; the document's name is left to who needs it.
func decodeKey(b []byte) (k windowKey, document []byte, err error) {
	if len(b) < keyHead {
		return k, nil, errors.New("a window's key is too short")
	}
	return windowKey{
		passage:    core.PassageID(binary.BigEndian.Uint64(b)),
		generation: binary.BigEndian.Uint32(b[8:]),
		length:     binary.BigEndian.Uint16(b[12:]),
		number:     b[14],
	}, b[keyHead:], nil
}

// window is a piece of a passage with its counted terms.
type window struct {
	tally
	number uint8
}

// windowsOf cuts a passage into windows and counts their terms.
func windowsOf(title string, p core.Passage, st *stems) []window {
	head := &tally{freqs: bleveindex.TokenFrequencies{}}
	scan(title, func(pc piece) { head.addPiece(pc, st, titleWeight) })
	scan(p.Heading, func(pc piece) { head.addPiece(pc, st, headingWeight) })
	scan(p.Context, func(pc piece) { head.addPiece(pc, st, contextWeight) })
	var body []piece
	size := 0
	scan(p.Text, func(pc piece) { body, size = append(body, pc), size+pc.size })

	n := windowsFor(size / wordSize)
	out := make([]window, 0, n)
	for i := range n {
		w := window{number: uint8(i), tally: tally{freqs: make(bleveindex.TokenFrequencies, 2*len(body)/n+len(head.freqs))}}
		for _, pc := range body[i*len(body)/n : (i+1)*len(body)/n] {
			w.addPiece(pc, st, 1)
		}
		for term, f := range head.freqs {
			w.add(term, f.Frequency())
		}
		w.size += head.size
		out = append(out, w)
	}
	return out
}

// windowsFor says into how many windows a passage of so many words is cut.
func windowsFor(words int) int {
	if words <= wholeWords {
		return 1
	}
	return min((words+windowWords/2)/windowWords, math.MaxUint8)
}

// bleveDocument makes the engine's document of a window.
func bleveDocument(key windowKey, w window) *document.Document {
	d := document.NewDocument(key.encode())
	return d.AddField(&termField{tally: w.tally})
}

// termField is a text field whose terms are counted already.
type termField struct{ tally }

func (f *termField) Name() string                                          { return bodyField }
func (f *termField) Value() []byte                                         { return nil }
func (f *termField) ArrayPositions() []uint64                              { return nil }
func (f *termField) EncodedFieldType() byte                                { return 't' }
func (f *termField) Analyze()                                              {}
func (f *termField) Options() bleveindex.FieldIndexingOptions              { return bleveindex.IndexField }
func (f *termField) AnalyzedLength() int                                   { return 1 } // kept with each posting and never read: keys hold the length
func (f *termField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.freqs }
func (f *termField) NumPlainTextBytes() uint64                             { return 0 }
func (f *termField) Size() int                                             { return f.freqs.Size() }
