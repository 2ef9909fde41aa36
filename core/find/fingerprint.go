package find

import (
	"math"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// simhash is a text's fingerprint: texts that differ in a few words have nearly
// the same bits.
type simhash struct {
	bits  uint64
	words int
}

// Texts shorter than minPrintWords say too little for a fuzzy comparison.
const (
	minPrintWords = 24
	maxDistance   = 3
)

// fingerprint computes a SimHash over pairs of neighbouring words. It runs on
// every candidate of every search, so it hashes in place, counts eight bits at
// once and allocates nothing.
func fingerprint(text string) simhash {
	p, c := simhash{}, counts{}
	before := uint64(0)
	eachWordHash(text, func(h uint64) {
		p.words++
		c.add(mix(before ^ h*fnvPrime))
		before = h
	})
	c.flush()
	for b, set := range c.set {
		if 2*set > p.words {
			p.bits |= 1 << b
		}
	}
	return p
}

// counts is how often each bit was set. Eight counters of a byte share a number:
// the one at s has the bits s, s+8, s+16 and so on.
type counts struct {
	set   [64]int
	bytes [8]uint64
	added int // since the bytes were last emptied
}

func (c *counts) add(hash uint64) {
	const eachByte = 0x0101010101010101
	for s := range c.bytes {
		c.bytes[s] += hash >> s & eachByte
	}
	if c.added++; c.added == math.MaxUint8 {
		c.flush()
	}
}

func (c *counts) flush() {
	for s, eight := range c.bytes {
		for i := range 8 {
			c.set[8*i+s] += int(eight >> (8 * i) & math.MaxUint8)
		}
	}
	c.bytes, c.added = [8]uint64{}, 0
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// eachWordHash calls f with the hash of each word in lower case; where a script
// writes no spaces, of each character.
func eachWordHash(text string, f func(uint64)) {
	h, inside := uint64(fnvOffset), false
	end := func() {
		if inside {
			f(h)
		}
		h, inside = fnvOffset, false
	}
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			h, inside = (h^uint64(r))*fnvPrime, true
		case 'A' <= r && r <= 'Z':
			h, inside = (h^uint64(r+'a'-'A'))*fnvPrime, true
		case r < utf8.RuneSelf:
			end()
		case dense(r):
			end()
			f((fnvOffset ^ uint64(r)) * fnvPrime)
		case inWord(r):
			h, inside = (h^uint64(unicode.ToLower(r)))*fnvPrime, true
		default:
			end()
		}
	}
	end()
}

// mix spreads a hash over all of its bits.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// near tells texts that say the same. Short texts must have the same words.
func (p simhash) near(o simhash) bool {
	if p.words == 0 || o.words == 0 {
		return false
	}
	if min(p.words, o.words) < minPrintWords {
		return p == o
	}
	short, long := min(p.words, o.words), max(p.words, o.words)
	return short*10 >= long*9 && bits.OnesCount64(p.bits^o.bits) <= maxDistance
}
