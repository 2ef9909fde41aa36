package find

import (
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
// every candidate of every search, so it hashes in place and allocates nothing.
func fingerprint(text string) simhash {
	var votes [64]int32
	p := simhash{}
	before := uint64(0)
	eachWordHash(text, func(h uint64) {
		p.words++
		pair := mix(before ^ h*fnvPrime)
		before = h
		for b := range votes {
			votes[b] += int32(pair>>b&1)*2 - 1
		}
	})
	for b, v := range votes {
		if v > 0 {
			p.bits |= 1 << b
		}
	}
	return p
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
