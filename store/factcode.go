package store

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"math"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// packedFacts are the facts of some documents by column, as a page keeps them. Names
// and lists of names occur once each: most documents share theirs.
type packedFacts struct {
	IDs, Titles           []string
	Names                 []string
	Lists                 [][]uint32 // of names; list 0 is the empty one
	Source, Kind          []uint32   // names
	Access, Folders, Tags []uint32   // lists
	Hidden                []bool
	Created, Updated      []int64 // microseconds, noTime for none
}

const noTime = math.MinInt64

var errPage = errors.New("a page of facts does not fit together")

// packer numbers names and lists.
type packer struct {
	packedFacts
	names map[string]uint32
	lists map[string]uint32
}

func packFacts(facts []core.Facts) ([]byte, error) {
	p := &packer{names: map[string]uint32{}, lists: map[string]uint32{"": 0}}
	p.Lists = [][]uint32{nil}
	for _, f := range facts {
		p.IDs, p.Titles = append(p.IDs, f.Document), append(p.Titles, f.Title)
		p.Source, p.Kind = append(p.Source, p.name(f.Source)), append(p.Kind, p.name(f.Kind))
		p.Access = append(p.Access, list(p, f.Access))
		p.Folders = append(p.Folders, list(p, f.Folders))
		p.Tags = append(p.Tags, list(p, f.Tags))
		p.Hidden = append(p.Hidden, f.Hidden)
		p.Created, p.Updated = append(p.Created, packTime(f.Created)), append(p.Updated, packTime(f.Updated))
	}
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(p.packedFacts)
	return out.Bytes(), err
}

func (p *packer) name(s string) uint32 {
	n, ok := p.names[s]
	if !ok {
		n = uint32(len(p.Names))
		p.names[s], p.Names = n, append(p.Names, s)
	}
	return n
}

func list[S ~string](p *packer, names []S) uint32 {
	numbers, key := make([]uint32, len(names)), make([]byte, 0, 4*len(names))
	for i, s := range names {
		numbers[i] = p.name(string(s))
		key = binary.LittleEndian.AppendUint32(key, numbers[i])
	}
	l, ok := p.lists[string(key)]
	if !ok {
		l = uint32(len(p.Lists))
		p.lists[string(key)], p.Lists = l, append(p.Lists, numbers)
	}
	return l
}

func packTime(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixMicro()
}

// unpacker gives documents that share a list one copy of it.
type unpacker struct {
	packedFacts
	texts  [][]string    // by list
	access []core.Access // by list
}

// unpackFacts is the way back. An error stands for anything that packFacts did not
// make.
func unpackFacts(b []byte) ([]core.Facts, error) {
	var u unpacker
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&u.packedFacts); err != nil {
		return nil, err
	}
	if err := u.fits(); err != nil {
		return nil, err
	}
	u.readLists()
	out := make([]core.Facts, len(u.IDs))
	for i := range out {
		out[i] = core.Facts{
			Document: u.IDs[i], Title: u.Titles[i], Hidden: u.Hidden[i],
			Source: u.Names[u.Source[i]], Kind: u.Names[u.Kind[i]],
			Access: u.access[u.Access[i]], Folders: u.texts[u.Folders[i]], Tags: u.texts[u.Tags[i]],
			Created: unpackTime(u.Created[i]), Updated: unpackTime(u.Updated[i]),
		}
	}
	return out, nil
}

// fits makes sure that all columns are as long as each other and point to what is
// there.
func (u *unpacker) fits() error {
	n := len(u.IDs)
	for _, length := range []int{len(u.Titles), len(u.Hidden), len(u.Source), len(u.Kind), len(u.Access), len(u.Folders), len(u.Tags), len(u.Created), len(u.Updated)} {
		if length != n {
			return errPage
		}
	}
	if !below(len(u.Names), append(u.Lists, u.Source, u.Kind)...) || !below(len(u.Lists), u.Access, u.Folders, u.Tags) {
		return errPage
	}
	return nil
}

func below(limit int, columns ...[]uint32) bool {
	for _, column := range columns {
		for _, v := range column {
			if int64(v) >= int64(limit) {
				return false
			}
		}
	}
	return true
}

// readLists leaves empty lists nil, as facts have them.
func (u *unpacker) readLists() {
	u.texts, u.access = make([][]string, len(u.Lists)), make([]core.Access, len(u.Lists))
	for i, numbers := range u.Lists {
		for _, n := range numbers {
			u.texts[i] = append(u.texts[i], u.Names[n])
			u.access[i] = append(u.access[i], core.Principal(u.Names[n]))
		}
	}
}

func unpackTime(v int64) time.Time {
	if v == noTime {
		return time.Time{}
	}
	return time.UnixMicro(v).UTC()
}
