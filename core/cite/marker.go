package cite

import "slices"

// maxSpan is how many numbers a range may stand for.
const maxSpan = 20

// tooLarge is where numbers stop growing, far above any number given.
const tooLarge = 1 << 30

// markerPart is what a marker's reader expects next.
type markerPart uint8

const (
	wantItem    markerPart = iota // openers, blanks, a prefix or a number
	readPrefix                    // letters of a prefix word
	afterPrefix                   // blanks, signs or a number after a prefix
	readNumber
	afterNumber // blanks after a number
	wantEnd     // the second number of a range
	readEnd
	readDagger // free text after a dagger
	nextDagger // separator inside that text: perhaps another number
	daggerItem // digits there
	readCloser
)

// span is one number, or a range of numbers.
type span struct {
	low, high int
	caret     bool // written as a footnote
	ranged    bool
}

// marker reads one marker, character by character.
type marker struct {
	part    markerPart
	openers int
	closers int
	head    int // bytes of the openers
	gap     bool
	word    []byte
	spans   []span
	now     span
	hash    bool
	// targeted is set when a target was read before the last closer.
	targeted bool
}

func (m *marker) reset(raw string) {
	*m = marker{openers: 1, head: len(raw), word: m.word[:0], spans: m.spans[:0]}
}

// step takes a character and reports whether what was read may still be or
// become a marker.
func (m *marker) step(r rune) bool {
	switch m.part {
	case wantItem:
		return m.item(r)
	case readPrefix:
		return m.prefix(r)
	case afterPrefix:
		return isBlank(r) || m.sign(r) || m.digit(r, readNumber)
	case readNumber, readEnd:
		return m.digit(r, m.part) || m.after(r)
	case afterNumber:
		return isBlank(r) || m.after(r)
	case wantEnd:
		return isBlank(r) || m.second(r)
	}
	return m.dagger(r)
}

func (m *marker) item(r rune) bool {
	switch {
	case isBlank(r):
		m.gap = true
	case r == '^':
		m.now.caret = true
		m.part = afterPrefix
		m.hash = true
	case m.sign(r):
		m.part = afterPrefix
	case isASCIILetter(r):
		m.word = append(m.word[:0], byte(r|0x20))
		m.part = readPrefix
		return m.partWord()
	default:
		return m.digit(r, readNumber)
	}
	return true
}

// sign accepts one number sign or colon between a prefix and its number.
func (m *marker) sign(r rune) bool {
	if m.hash || r != '#' && r != '＃' && (r != ':' || m.part != afterPrefix) {
		return false
	}
	m.hash = r != ':'
	return true
}

var prefixWords = []string{"doc", "docs", "document", "documents", "source", "sources"}

func (m *marker) partWord() bool {
	for _, word := range prefixWords {
		if len(word) >= len(m.word) && word[:len(m.word)] == string(m.word) {
			return true
		}
	}
	return false
}

func (m *marker) prefix(r rune) bool {
	if isASCIILetter(r) {
		m.word = append(m.word, byte(r|0x20))
		return m.partWord()
	}
	if !slices.Contains(prefixWords, string(m.word)) {
		return false
	}
	m.part = afterPrefix
	return m.step(r)
}

// digit adds a digit to the number being read, or starts one.
func (m *marker) digit(r rune, part markerPart) bool {
	d, ok := digitValue(r)
	if !ok {
		return false
	}
	m.part = part
	n := &m.now.low
	if part == readEnd {
		n = &m.now.high
	}
	*n = min(*n*10+d, tooLarge)
	return true
}

// second starts the upper end of a range.
func (m *marker) second(r rune) bool {
	m.now.ranged = true
	return m.digit(r, readEnd)
}

// after takes what may follow a number.
func (m *marker) after(r rune) bool {
	switch {
	case isBlank(r):
		if m.part == readNumber {
			m.part = afterNumber
			return true
		}
		m.endItem()
		m.part = afterNumber
	case isDash(r) && !m.now.ranged && m.now.low >= 0:
		m.part = wantEnd
	case isSeparator(r):
		m.endItem()
		m.now = span{}
		m.part = wantItem
	case r == '†' || r == '‡':
		m.endItem()
		m.part = readDagger
	case isCloser(r):
		m.endItem()
		m.part, m.closers = readCloser, 1
	default:
		return false
	}
	return true
}

// endItem files the number or range that was read. low < 0 means that it was
// filed already.
func (m *marker) endItem() {
	if m.now.low >= 0 {
		m.spans = append(m.spans, m.now)
	}
	m.now = span{low: -1}
	m.hash = false
}

// dagger reads the free text after a dagger, up to the closer.
func (m *marker) dagger(r rune) bool {
	switch {
	case isOpener(r), r == '\n', r == '`':
		return false
	case isCloser(r):
		m.part, m.closers = readCloser, 1
		return true
	case isSeparator(r):
		m.part = nextDagger
		return true
	}
	switch m.part {
	case nextDagger:
		if isBlank(r) {
			return true
		}
		m.now = span{}
		if m.digit(r, daggerItem) {
			return true
		}
	case daggerItem:
		if m.digit(r, daggerItem) {
			return true
		}
		if r == '†' || r == '‡' {
			m.endItem()
		}
	}
	m.part = readDagger
	return true
}
