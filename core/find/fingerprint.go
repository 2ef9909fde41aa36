package find

import (
	"hash/fnv"
	"math/bits"
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

// fingerprint computes a SimHash over pairs of neighbouring words.
func fingerprint(text string) simhash {
	words := wordsOf(text)
	var votes [64]int
	vote := func(parts ...string) {
		h := fnv.New64a()
		for _, p := range parts {
			h.Write([]byte(p))
			h.Write([]byte{0})
		}
		sum := h.Sum64()
		for b := range votes {
			votes[b] += int(sum>>b&1)*2 - 1
		}
	}
	for i := range words {
		vote(words[max(0, i-1)].text, words[i].text)
	}
	p := simhash{words: len(words)}
	for b, v := range votes {
		if v > 0 {
			p.bits |= 1 << b
		}
	}
	return p
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
