package cite

import "strings"

// urlTree holds the URLs that must not appear, as a prefix tree over their
// normal form: lower case, percent signs decoded, no fragment, no slash at the
// end. http and https are the same.
type urlTree struct {
	size  int
	first [256]bool // bytes that a URL may begin with, both cases
	next  map[uint64]int32
	nodes int32
	ends  map[int32]urlEnd
}

// minURL is the length below which something is no URL worth looking for.
const minURL = 8

type urlEnd struct {
	doc   int
	query bool // the URL has a query
}

func (t *urlTree) add(url string, doc int) {
	url = strings.TrimSpace(url)
	if cut := strings.IndexByte(url, '#'); cut >= 0 {
		url = url[:cut]
	}
	url = strings.ToLower(strings.TrimRight(decodePercent(url), "/"))
	if !strings.Contains(url, ":") || len(url) < minURL || len(url) > maxTarget {
		return
	}
	rest, web := strings.CutPrefix(url, "https://")
	if !web {
		rest, web = strings.CutPrefix(url, "http://")
	}
	if !web {
		t.insert(url, doc)
		return
	}
	t.insert("http://"+rest, doc)
	t.insert("https://"+rest, doc)
}

func (t *urlTree) insert(url string, doc int) {
	if t.next == nil {
		t.next, t.ends = map[uint64]int32{}, map[int32]urlEnd{}
	}
	node := int32(0)
	for i := range len(url) {
		key := edge(node, url[i])
		to, ok := t.next[key]
		if !ok {
			t.nodes++
			to = t.nodes
			t.next[key] = to
		}
		node = to
	}
	t.ends[node] = urlEnd{doc: doc, query: strings.Contains(url, "?")}
	t.first[url[0]] = true
	if isASCIILetter(rune(url[0])) {
		t.first[url[0]&^0x20] = true
	}
	t.size++
}

func edge(node int32, c byte) uint64 { return uint64(node)<<8 | uint64(c) }

// find reports whether a link's target is one of the URLs.
func (t *urlTree) find(url string) (doc int, ok bool) {
	if t.size == 0 {
		return 0, false
	}
	m := urlMatch{}
	for i := range len(url) {
		if !m.step(t, url[i], i+1) {
			break
		}
	}
	return m.doc, m.complete()
}

// urlMatch follows one place in a text through the tree.
type urlMatch struct {
	node   int32
	dead   bool // no longer a prefix of any URL
	alive  bool // a whole URL was read and nothing since makes it another
	ext    bool // a query or fragment follows it
	query  bool // that URL has a query itself
	doc    int
	glue   int32 // place of a second URL that follows without a gap, 0 if none
	slash  byte  // last byte of that
	accept int   // bytes up to the end of that URL
	hex    int   // hexadecimal digits still to come after a percent sign
	code   byte  // their value so far
}

// step takes the byte that ends at pos and reports whether it still belongs.
func (m *urlMatch) step(t *urlTree, c byte, pos int) bool {
	if !m.dead {
		m.walk(t, c, pos)
		if !m.dead && m.accept == pos {
			return true
		}
	}
	if m.alive {
		return m.beyond(t, c, pos)
	}
	return !m.dead
}

// complete reports whether the URL read ends here.
func (m *urlMatch) complete() bool { return m.alive && (m.glue == 0 || m.slash == '/') }

// walk follows the tree by one byte.
func (m *urlMatch) walk(t *urlTree, c byte, pos int) {
	switch {
	case m.hex > 0:
		d, ok := hexValue(c)
		if !ok {
			m.dead = true
			return
		}
		m.code = m.code<<4 | d
		m.hex--
		if m.hex > 0 {
			return
		}
		c = m.code
	case c == '%':
		m.hex, m.code = 2, 0
		return
	case c == '\\':
		return
	}
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	to, ok := t.next[edge(m.node, c)]
	if !ok {
		m.dead = true
		return
	}
	m.node = to
	if end, ok := t.ends[to]; ok {
		m.alive, m.ext, m.glue, m.query, m.doc, m.accept = true, false, 0, end.query, end.doc, pos
	}
}

// beyond takes a byte after a whole URL. It reports false where the URL ends,
// with alive telling whether it is the one that was read.
func (m *urlMatch) beyond(t *urlTree, c byte, pos int) bool {
	switch {
	case endsURL(c):
		m.alive = m.alive && m.glue == 0
		return false
	case m.glue != 0:
		return m.second(t, c)
	case m.ext, isSoft(c):
	case c == '#', c == '?', c == '&' && m.query:
		m.ext = true
	case c == '/' && pos == m.accept+1:
	default:
		return m.second(t, c)
	}
	return true
}

// second follows what may be another URL right after a whole one, so that the
// two cannot hide each other. The first ends where the second has its scheme.
func (m *urlMatch) second(t *urlTree, c byte) bool {
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	to, ok := t.next[edge(m.glue, c)]
	if !ok {
		m.alive, m.glue = false, 0
		return !m.dead
	}
	last := m.slash
	m.glue, m.slash = to, c
	return c != '/' || last != '/'
}

// end tells how much of what was held is the URL: not the punctuation after it.
func (m *urlMatch) end(held []byte) int {
	if !m.ext {
		if m.accept < len(held) && held[m.accept] == '/' {
			return m.accept + 1
		}
		return m.accept
	}
	n := len(held)
	for n > m.accept && (isSoft(held[n-1]) || held[n-1] == '?' || held[n-1] == '#') {
		n--
	}
	return n
}

// isSoft reports punctuation that ends a URL where nothing follows it.
func isSoft(c byte) bool { return strings.IndexByte(".,;:!'_~", c) >= 0 }

func endsURL(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("<>\"`|*()[]{}\\", c) >= 0
}

func hexValue(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

func decodePercent(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, ok1 := hexValue(s[i+1])
			low, ok2 := hexValue(s[i+2])
			if ok1 && ok2 {
				b.WriteByte(high<<4 | low)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
