package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// A packed page is its form, the names in it (each once), the lists of names (each
// once, list 0 is the empty one), the documents, and a checksum of all that. Numbers are
// varints, and texts have their length before them. It is written out here because a
// start reads a page for each 1,024 documents and must not allocate for each of them.
const pageForm = 1

// Flags of a document in a page.
const (
	flagHidden = 1 << iota
	flagCreated
	flagUpdated
)

var errPage = errors.New("a page of facts does not fit together")

// packer numbers names and lists.
type packer struct {
	names, lists   map[string]uint64
	named, listed  []byte
	documents, key []byte
}

func packFacts(facts []core.Facts) []byte {
	p := &packer{names: map[string]uint64{}, lists: map[string]uint64{"": 0}}
	for _, f := range facts {
		p.documents = text(text(p.documents, f.Document), f.Title)
		p.put(p.name(f.Source), p.name(f.Kind), list(p, f.Access), list(p, f.Folders), list(p, f.Tags))
		p.documents = packTimes(p.documents, f)
	}
	out := []byte{pageForm}
	out = append(binary.AppendUvarint(out, uint64(len(p.names))), p.named...)
	out = append(binary.AppendUvarint(out, uint64(len(p.lists))), p.listed...)
	out = append(binary.AppendUvarint(out, uint64(len(facts))), p.documents...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

func (p *packer) put(numbers ...uint64) {
	for _, n := range numbers {
		p.documents = binary.AppendUvarint(p.documents, n)
	}
}

func text(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }

func packTimes(b []byte, f core.Facts) []byte {
	at := len(b)
	b = append(b, 0)
	if f.Hidden {
		b[at] |= flagHidden
	}
	if !f.Created.IsZero() {
		b[at] |= flagCreated
		b = binary.AppendVarint(b, f.Created.UnixMicro())
	}
	if !f.Updated.IsZero() {
		b[at] |= flagUpdated
		b = binary.AppendVarint(b, f.Updated.UnixMicro())
	}
	return b
}

func (p *packer) name(s string) uint64 {
	n, ok := p.names[s]
	if !ok {
		n = uint64(len(p.names))
		p.names[s], p.named = n, text(p.named, s)
	}
	return n
}

// list numbers a list of names; the empty one needs no bytes of its own.
func list[S ~string](p *packer, names []S) uint64 {
	p.key = p.key[:0]
	for _, s := range names {
		p.key = binary.AppendUvarint(p.key, p.name(string(s)))
	}
	l, ok := p.lists[string(p.key)]
	if !ok {
		l = uint64(len(p.lists))
		p.lists[string(p.key)], p.listed = l, append(binary.AppendUvarint(p.listed, uint64(len(names))), p.key...)
	}
	return l
}

// soundPage tells whether a page is as packFacts left it.
func soundPage(b []byte) bool {
	end := len(b) - crc32.Size
	return end > 0 && b[0] == pageForm && crc32.ChecksumIEEE(b[:end]) == binary.BigEndian.Uint32(b[end:])
}

// unpacker reads a page. Documents that share a list share its memory, and ids lie in
// the page's own.
type unpacker struct {
	page   string
	at     int
	bad    bool
	names  []string
	texts  [][]string    // by list
	access []core.Access // by list
}

// unpackFacts appends the facts of a sound page. An error stands for bytes that
// packFacts did not make.
func unpackFacts(b []byte, into []core.Facts) ([]core.Facts, error) {
	if !soundPage(b) {
		return into, errPage
	}
	u := &unpacker{page: string(b[:len(b)-crc32.Size]), at: 1}
	u.readNames()
	u.readLists()
	for range u.count() {
		into = append(into, u.document())
		if u.bad {
			break
		}
	}
	if u.bad || u.at != len(u.page) {
		return into, errPage
	}
	return into, nil
}

func (u *unpacker) uvarint() uint64 {
	var v uint64
	for shift := 0; shift < 64 && u.at < len(u.page); shift += 7 {
		c := u.page[u.at]
		u.at++
		if v |= uint64(c&0x7f) << shift; c < 0x80 {
			return v
		}
	}
	u.bad = true
	return 0
}

// count is a number of things that follow, each of a byte at least.
func (u *unpacker) count() int {
	n := u.uvarint()
	if n > uint64(len(u.page)-u.at) {
		u.bad = true
		return 0
	}
	return int(n)
}

func (u *unpacker) text() string {
	n := u.count()
	s := u.page[u.at : u.at+n]
	u.at += n
	return s
}

func (u *unpacker) readNames() {
	u.names = make([]string, u.count())
	for i := range u.names {
		u.names[i] = strings.Clone(u.text()) // outlives the page
	}
}

// readLists leaves empty lists nil, as facts have them.
func (u *unpacker) readLists() {
	n := max(1, u.count())
	u.texts, u.access = make([][]string, n), make([]core.Access, n)
	for i := 1; i < n; i++ {
		held := u.count()
		u.texts[i], u.access[i] = make([]string, held), make(core.Access, held)
		for j := range held {
			name := of(u, u.names)
			u.texts[i][j], u.access[i][j] = name, core.Principal(name)
		}
	}
}

// of is the one of all whose number follows.
func of[T any](u *unpacker, all []T) (one T) {
	n := u.uvarint()
	if n >= uint64(len(all)) {
		u.bad = true
		return one
	}
	return all[n]
}

func (u *unpacker) document() core.Facts {
	f := core.Facts{
		Document: u.text(), Title: strings.Clone(u.text()), Source: of(u, u.names), Kind: of(u, u.names),
		Access: of(u, u.access), Folders: of(u, u.texts), Tags: of(u, u.texts),
	}
	if u.at >= len(u.page) {
		u.bad = true
		return f
	}
	flags := u.page[u.at]
	u.at++
	f.Hidden = flags&flagHidden != 0
	if flags&flagCreated != 0 {
		f.Created = u.time()
	}
	if flags&flagUpdated != 0 {
		f.Updated = u.time()
	}
	return f
}

func (u *unpacker) time() time.Time {
	v := u.uvarint()
	return time.UnixMicro(int64(v>>1) ^ -int64(v&1)).UTC()
}
