package web

import (
	"bufio"
	"crypto/rand"
	"errors"
	"os"
	"slices"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// known is what is kept of one address.
type known struct {
	URL      string `json:"u"` // in the form of normal
	Depth    int    `json:"d,omitempty"`
	Named    bool   `json:"n,omitempty"` // by a sitemap or the configuration
	Round    int    `json:"r,omitempty"` // the crawl in which it was looked at last
	Misses   int    `json:"m,omitempty"` // crawls in a row in which it was dead, or no document any more
	Dead     bool   `json:"x,omitempty"` // it led nowhere
	To       string `json:"t,omitempty"` // key of the page that it led to: a redirect or a canonical address
	Unread   bool   `json:"f,omitempty"` // it is there and could not be read
	ETag     string `json:"e,omitempty"`
	Modified string `json:"l,omitempty"`
	Print    string `json:"p,omitempty"` // of its text; see page
	Sent     string `json:"s,omitempty"` // digest of the document that was sent, "" where none was
}

// state is all that is known of a site. A cursor is too small for it, so it lies in a
// journal in the source's own folder, and the cursor names a mark in that: whatever
// stands behind the mark was not yet covered by a checkpoint that the host has.
type state struct {
	Round    int  `json:"round"`
	Named    bool `json:"named,omitempty"` // starts and sitemaps of the round are in
	Whole    bool `json:"whole,omitempty"` // the round came to its end
	pages    map[string]*known
	order    []*known // as they were found
	settings string
	lines    int
	file     *os.File // nil where nothing is written
	out      *bufio.Writer
	mark     string
}

func newState(settings string) *state {
	return &state{pages: map[string]*known{}, settings: settings}
}

func (st *state) close() error {
	if st.file == nil {
		return nil
	}
	return st.file.Close()
}

// checkpoint makes what was written outlast the process, and returns the cursor that
// covers it.
func (st *state) checkpoint() (sdk.Cursor, error) {
	st.mark = rand.Text()
	st.write(line{Mark: st.mark})
	if st.out != nil {
		if err := errors.Join(st.out.Flush(), st.file.Sync()); err != nil {
			return nil, unwritable(err)
		}
	}
	return sdk.JSONCursor(cursor{st.mark})
}

func (st *state) put(k *known) {
	key := keyOf(k.URL)
	if old := st.pages[key]; old != nil {
		*old = *k
		return
	}
	st.pages[key] = k
	st.order = append(st.order, k)
}

// add keeps a new address.
func (st *state) add(k *known) {
	st.put(k)
	st.write(line{Page: k})
}

// looked notes that an address was looked at in this round.
func (st *state) looked(k *known) {
	k.Round = st.Round
	st.write(line{Page: k})
}

func (st *state) set(change func()) {
	change()
	st.write(line{State: st})
}

// forgetAfter is in how many rounds an address leads nowhere until it is forgotten.
const forgetAfter = 3

// begin starts a new round. Where there is little room for addresses, those that lead
// nowhere are forgotten: a link to them may be seen again.
func (st *state) begin(goneAfter, most int) {
	st.order = slices.DeleteFunc(st.order, func(k *known) bool {
		if 2*len(st.pages) > most && k.Dead && (k.Sent == "" && k.Misses >= forgetAfter || k.Misses >= goneAfter+forgetAfter) {
			delete(st.pages, keyOf(k.URL))
			return true
		}
		return false
	})
	st.set(func() { st.Round, st.Named, st.Whole = st.Round+1, false, false })
}
