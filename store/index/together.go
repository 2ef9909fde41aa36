package index

import (
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/footnote-bot/footnote/core"
)

// Bounds of what together remembers: one question asks the same several times,
// and few places are asked in at once.
const (
	rememberedAnswers    = 4
	rememberedPrincipals = 500_000 // of all readers of all answers
)

// together answers what several readers may all read, and remembers its newest
// answers for as long as no facts change.
type together struct {
	mu      sync.Mutex
	answers []answer // the newest last
}

// answer is never changed.
type answer struct {
	readers    [][]core.Principal // our own copy
	principals int
	changes    uint64
	slots      *roaring.Bitmap
}

// allRead is the set of slots that each of the readers may read, apart from what
// is public. The caller must not change it, and hold the facts against changes.
func (t *together) allRead(f *facts, readers [][]core.Principal) *roaring.Bitmap {
	if found := t.recall(readers, f.changes); found != nil {
		return found
	}
	a := answer{changes: f.changes, slots: f.readByAll(readers), readers: make([][]core.Principal, len(readers))}
	for i, held := range readers {
		a.readers[i] = slices.Clone(held)
		a.principals += len(held)
	}
	t.keep(a)
	return a.slots
}

// recall compares readers by what they hold. Within one question these are the
// same strings, which compare without being read.
func (t *together) recall(readers [][]core.Principal, changes uint64) *roaring.Bitmap {
	t.mu.Lock()
	known := slices.Clone(t.answers)
	t.mu.Unlock()
	for _, a := range known {
		if a.changes == changes && slices.EqualFunc(a.readers, readers, slices.Equal) {
			return a.slots
		}
	}
	return nil
}

func (t *together) keep(a answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers = slices.DeleteFunc(t.answers, func(old answer) bool { return old.changes != a.changes })
	t.answers = append(t.answers, a)
	total := 0
	for i := len(t.answers) - 1; i >= 0; i-- {
		total += t.answers[i].principals
		if total > rememberedPrincipals || len(t.answers)-i > rememberedAnswers {
			t.answers = slices.Delete(t.answers, 0, i+1)
			return
		}
	}
}

// readByAll decides once for each list of principals that documents have, and
// not for each document: which readers hold one of them is a set of bits, and
// all of them have to.
func (f *facts) readByAll(readers [][]core.Principal) *roaring.Bitmap {
	b := f.access.holders(readers)
	good := make([]bool, len(f.access.held))
	for list, principals := range f.access.held {
		good[list] = b.coverAll(principals)
	}
	out := make(slots, len(f.records)/64+1)
	for slot := range f.records {
		if good[f.records[slot].access] {
			out.add(uint32(slot))
		}
	}
	return roaring.FromDense(out, true)
}

// holders says of each principal of the index which readers hold it.
type holders struct {
	at    []uint32 // by number of the principal: its place in bits, from 1; 0 if nobody holds it
	bits  []uint64 // width words for each place
	width int
	last  uint64 // the bits of the last word that stand for readers
	sum   []uint64
}

func (f *family) holders(readers [][]core.Principal) *holders {
	width := (len(readers) + 63) / 64
	b := &holders{at: make([]uint32, len(f.names)), width: width, bits: make([]uint64, width), sum: make([]uint64, width)}
	b.last = math.MaxUint64 >> (64*width - len(readers))
	for r, held := range readers {
		for _, p := range held {
			if n, ok := f.numbers[string(p)]; ok {
				b.of(n)[r>>6] |= 1 << (r & 63)
			}
		}
	}
	return b
}

// of gives the bits of a principal, to be set.
func (b *holders) of(number uint32) []uint64 {
	if b.at[number] == 0 {
		b.at[number] = uint32(len(b.bits) / b.width)
		for range b.width {
			b.bits = append(b.bits, 0)
		}
	}
	start := int(b.at[number]) * b.width
	return b.bits[start : start+b.width]
}

// coverAll tells whether each reader holds one of the principals.
func (b *holders) coverAll(principals []uint32) bool {
	clear(b.sum)
	some := false
	for _, n := range principals {
		if at := int(b.at[n]); at != 0 {
			some = true
			for i, w := range b.bits[at*b.width : (at+1)*b.width] {
				b.sum[i] |= w
			}
		}
	}
	if !some {
		return false
	}
	for _, w := range b.sum[:b.width-1] {
		if w != math.MaxUint64 {
			return false
		}
	}
	return b.sum[b.width-1]&b.last == b.last
}
