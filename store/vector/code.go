package vector

import (
	"math"
	"math/bits"
)

// wordsFor is the length of a code: one bit for each dimension.
func wordsFor(dimensions int) int { return (dimensions + 63) / 64 }

// encode writes on which side of the mean each number of a unit vector lies.
// Without a mean most models' vectors share many signs, which then tell nothing.
func encode(code []uint64, unit, mean []float32) {
	clear(code)
	for i, x := range unit {
		if x > mean[i] {
			code[i>>6] |= 1 << (i & 63)
		}
	}
}

// distance is the number of bits in which two codes differ. Four words at a time
// keep the counter busy.
func distance(a, b []uint64) int {
	n := 0
	for len(a) >= 4 && len(b) >= 4 {
		n += bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) + bits.OnesCount64(a[3]^b[3])
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		n += bits.OnesCount64(a[i] ^ b[i])
	}
	return n
}

// Unit is a vector of the same direction and length 1; false if it has no
// direction: it is zero, or a number in it is none or infinite.
func Unit(v []float32) ([]float32, bool) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, false
	}
	scale := 1 / math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) * scale)
	}
	return out, true
}
