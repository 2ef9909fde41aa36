package vector

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/footnote-bot/footnote/core"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A value record is a vector in 16-bit steps of its largest number, which keeps a
// cosine to five decimals in half the room: scale (4 bytes), numbers (2 each) and
// the checksum (4) of these and the passage's id. The scale makes the length 1.
func valueSize(dimensions int) int { return 4 + 2*dimensions + 4 }

func putValue(rec []byte, passage core.PassageID, unit []float32) {
	largest := float32(0)
	for _, x := range unit {
		largest = max(largest, x, -x)
	}
	sum := 0.0
	for i, x := range unit {
		n := int16(math.Round(float64(x) / float64(largest) * math.MaxInt16))
		sum += float64(n) * float64(n)
		binary.LittleEndian.PutUint16(rec[4+2*i:], uint16(n))
	}
	binary.LittleEndian.PutUint32(rec, math.Float32bits(float32(1/math.Sqrt(sum))))
	end := len(rec) - 4
	binary.LittleEndian.PutUint32(rec[end:], checksum(passage, rec[:end]))
}

// goodValue tells whether a record is whole and of the passage.
func goodValue(rec []byte, passage core.PassageID) bool {
	end := len(rec) - 4
	return binary.LittleEndian.Uint32(rec[end:]) == checksum(passage, rec[:end])
}

func checksum(passage core.PassageID, data []byte) uint32 {
	var id [8]byte
	binary.LittleEndian.PutUint64(id[:], uint64(passage))
	return crc32.Update(crc32.Checksum(id[:], castagnoli), castagnoli, data)
}

// cosine compares a record with a unit vector.
func cosine(rec []byte, unit []float32) float64 {
	numbers := rec[4 : 4+2*len(unit)]
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(unit); i += 4 {
		u, n := unit[i:i+4:i+4], binary.LittleEndian.Uint64(numbers[2*i:])
		a += u[0] * float32(int16(n))
		b += u[1] * float32(int16(n>>16))
		c += u[2] * float32(int16(n>>32))
		d += u[3] * float32(int16(n>>48))
	}
	for ; i < len(unit); i++ {
		a += unit[i] * float32(int16(binary.LittleEndian.Uint16(numbers[2*i:])))
	}
	cos := float64(a+b+c+d) * float64(math.Float32frombits(binary.LittleEndian.Uint32(rec)))
	return max(-1, min(1, cos))
}

// valueOf reads a record's unit vector.
func valueOf(unit []float32, rec []byte) {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(rec))
	for i := range unit {
		unit[i] = scale * float32(int16(binary.LittleEndian.Uint16(rec[4+2*i:])))
	}
}
