package store

import (
	"encoding/binary"
	"math"
)

// packVector writes a vector in two bytes a number: fractions of the largest one.
// Only a vector's direction counts, so that its length need not be kept; what is
// lost is less than what the models themselves are exact to.
func packVector(v []float32) []byte {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	out := make([]byte, 0, 2*len(v))
	for _, x := range v {
		fraction := 0.0
		if largest > 0 {
			fraction = float64(x) / largest
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(math.Round(fraction*math.MaxInt16))))
	}
	return out
}

func unpackVector(packed []byte) []float32 {
	out := make([]float32, len(packed)/2)
	for i := range out {
		out[i] = float32(int16(binary.LittleEndian.Uint16(packed[2*i:]))) / math.MaxInt16
	}
	return out
}
