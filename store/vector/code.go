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

// The query keeps more of itself than its signs: each number is one of 16 odd
// steps, -15 to 15, written as four planes of bits that count 1, 2, 4 and 8, a set
// bit for more and a clear one for less. Numbers beyond clip standard deviations
// count as if they were there. That finds far more of the best than signs alone,
// at four times as many operations.
const (
	planes = 4
	clip   = 2.5
)

// planesOf is a centred query: the planes' words lie side by side.
func planesOf(unit, mean []float32) [][planes]uint64 {
	sum := 0.0
	for i, x := range unit {
		d := float64(x - mean[i])
		sum += d * d
	}
	step := clip * math.Sqrt(sum/float64(len(unit))) / (1 << (planes - 1))
	out := make([][planes]uint64, wordsFor(len(unit)))
	for i, x := range unit {
		level := int(math.Floor(float64(x-mean[i])/step)) + 1<<(planes-1)
		level = max(0, min(1<<planes-1, level))
		for p := range planes {
			out[i>>6][p] |= uint64(level>>p&1) << (i & 63)
		}
	}
	return out
}

// distance is the number of bits in which a code differs from the planes, each
// counted as its plane does.
func distance(query [][planes]uint64, code []uint64) int {
	n := 0
	for i := range min(len(query), len(code)) {
		q, w := &query[i], code[i]
		n += bits.OnesCount64(q[0]^w) + bits.OnesCount64(q[1]^w)<<1 + bits.OnesCount64(q[2]^w)<<2 + bits.OnesCount64(q[3]^w)<<3
	}
	return n
}

// farthest is the largest distance.
func farthest(dimensions int) int { return (1<<planes - 1) * 64 * wordsFor(dimensions) }

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
