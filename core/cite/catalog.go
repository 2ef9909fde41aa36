package cite

import (
	"github.com/footnote-bot/footnote/core"
)

// catalog knows the numbered sources, which of them are one document, and what
// was shown of them so far.
type catalog struct {
	mode     Mode
	renumber bool
	byNumber map[int]int    // number to index in docs
	byKey    map[string]int // document id or URL to index in docs
	docs     []document
	highest  int
	hidden   urlTree // URLs that must not appear
	shown    []int   // roots, in order of first display
	seen     []int
}

// document is one document, joined from all its aliases.
type document struct {
	parent int // index of the document it was joined with; itself if root
	source Source
	number int    // of the alias that was used first; 0 while unused
	first  int    // number that it was added under first
	view   int    // display number; 0 while not shown
	seen   bool   // its own number occurred
	text   string // the citation as written, once shown
}

func newCatalog(o Options) catalog {
	return catalog{
		mode: o.Mode, renumber: o.Renumber,
		byNumber: map[int]int{}, byKey: map[string]int{},
	}
}

func (c *catalog) add(number int, s Source) {
	if _, taken := c.byNumber[number]; taken || number < 1 {
		return
	}
	own := len(c.docs)
	c.docs = append(c.docs, document{parent: own, source: s, first: number})
	c.byNumber[number] = own
	c.highest = max(c.highest, number)
	for _, key := range keysOf(s) {
		if other, ok := c.byKey[key]; ok {
			c.join(other, own)
		} else {
			c.byKey[key] = own
		}
	}
	c.hideURLs(c.root(own))
}

func keysOf(s Source) []string {
	var keys []string
	if s.Document != "" {
		keys = append(keys, "d"+s.Document)
	}
	if s.URL != "" {
		keys = append(keys, "u"+s.URL)
	}
	return keys
}

func (c *catalog) root(i int) int {
	for c.docs[i].parent != i {
		i = c.docs[i].parent
	}
	return i
}

// join makes two documents one. The one added first stays, with the stricter
// view of both.
func (c *catalog) join(a, b int) {
	a, b = c.root(a), c.root(b)
	if a == b {
		return
	}
	a, b = min(a, b), max(a, b)
	keep, gone := &c.docs[a], &c.docs[b]
	gone.parent = a
	keep.text = ""
	keep.source.Show = min(keep.source.Show, gone.source.Show)
	if keep.source.URL == "" {
		keep.source.URL = gone.source.URL
	}
	if keep.number == 0 {
		keep.number = gone.number
	}
	if keep.view == 0 {
		keep.view = gone.view
	}
}

// hideURLs enters every URL of a document that may not be linked.
func (c *catalog) hideURLs(root int) {
	if c.show(root) == core.ShowLink || c.mode > Remove {
		return
	}
	for i := range c.docs {
		if c.root(i) == root {
			c.hidden.add(c.docs[i].source.URL, root)
		}
	}
}

func (c *catalog) show(root int) core.Show {
	if c.mode == Remove {
		return core.ShowNothing
	}
	return c.docs[root].source.Show
}

// lookup finds the document of a number.
func (c *catalog) lookup(number int) (root int, known bool) {
	i, known := c.byNumber[number]
	if !known {
		return 0, false
	}
	return c.root(i), true
}

// limit is the largest number that is taken for a citation when unknown.
func (c *catalog) limit() int { return max(99, c.highest) }

// use notes that a number occurred as a marker.
func (c *catalog) use(number, root int) {
	if own := &c.docs[c.byNumber[number]]; !own.seen {
		own.seen = true
		c.seen = append(c.seen, number)
	}
	if c.docs[root].number == 0 {
		c.docs[root].number = number
	}
}

func (c *catalog) useAll(numbers []int) {
	for _, n := range numbers {
		root, _ := c.lookup(n)
		c.use(n, root)
	}
}

// display gives the number that the reader sees. first is true when the
// document had not been shown before.
func (c *catalog) display(root int) (n int, first bool) {
	d := &c.docs[root]
	if d.view != 0 {
		return d.view, false
	}
	c.shown = append(c.shown, root)
	d.view = d.number
	if c.renumber {
		d.view = len(c.shown)
	}
	return d.view, true
}

func (c *catalog) shownList() []Shown {
	out := make([]Shown, 0, len(c.shown))
	for _, i := range c.shown {
		d := c.docs[i]
		out = append(out, Shown{Display: d.view, Number: d.number, Document: d.source.Document})
	}
	return out
}
