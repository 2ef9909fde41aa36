package find

import (
	"fmt"
	"strings"
	"testing"
)

// The counters of a byte must give what counting one bit after the other gives,
// also where more words come than a byte can count.
func TestFingerprintCountsEveryBit(t *testing.T) {
	for _, words := range []int{0, 1, 2, 3, 24, 254, 255, 256, 257, 510, 511, 2000} {
		for _, text := range []string{strings.Repeat("leave ", words), strings.Repeat("年", words), different(words)} {
			var votes [64]int
			before, n := uint64(0), 0
			eachWordHash(text, func(h uint64) {
				pair := mix(before ^ h*fnvPrime)
				before = h
				n++
				for b := range votes {
					votes[b] += int(pair>>b&1)*2 - 1
				}
			})
			want := simhash{words: n}
			for b, v := range votes {
				if v > 0 {
					want.bits |= 1 << b
				}
			}
			if got := fingerprint(text); got != want || n != words {
				t.Errorf("%d words: %x, %d words, want %x, %d", words, got.bits, got.words, want.bits, n)
			}
		}
	}
}

func different(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%dx ", i)
	}
	return b.String()
}

func BenchmarkFingerprint(b *testing.B) {
	for name, text := range map[string]string{"words": different(330), "characters": strings.Repeat("年假", 300)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fingerprint(text)
			}
		})
	}
}
