package index

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// sealKey is under what each write leaves its seal in the engine.
const sealKey = "seal"

// seal says which write a state of the text is of, and sums up the keys of all
// windows in it. A state whose keys add up to another sum is damaged.
type seal struct {
	generation uint32
	sum        uint64
	known      bool // the sum is right; after a failed write nobody knows until the next start
}

// count counts a window in.
func (s *seal) count(key string) { s.sum += keySum(key) }

// uncount counts a window out.
func (s *seal) uncount(key string) { s.sum -= keySum(key) }

// keySum is FNV-1a, written out because a start sums up every window.
func keySum[K string | []byte](key K) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(key) {
		sum = (sum ^ uint64(key[i])) * 1099511628211
	}
	return sum
}

func (s seal) write(b *bleveindex.Batch) {
	out := binary.BigEndian.AppendUint32(nil, s.generation)
	if s.known {
		out = binary.BigEndian.AppendUint64(out, s.sum)
	}
	b.SetInternal([]byte(sealKey), out)
}

// internals is where the engine keeps what is not text.
type internals interface {
	GetInternal(key []byte) ([]byte, error)
}

// readSeal gives the seal of a state of the text; an older form of the index has
// none.
func readSeal(snap internals) (seal, error) {
	b, err := snap.GetInternal([]byte(sealKey))
	if err != nil || len(b) == 0 {
		return seal{}, err
	}
	switch len(b) {
	case 4:
		return seal{generation: binary.BigEndian.Uint32(b)}, nil
	case 12:
		return seal{generation: binary.BigEndian.Uint32(b), sum: binary.BigEndian.Uint64(b[4:]), known: true}, nil
	}
	return seal{}, errors.New("the seal of the text cannot be read")
}

// noteNewest notes beside the engine which write has ended: what cannot be read of
// its newest state the engine passes over for an older one, or for none, without a
// word.
func (x *Index) noteNewest(generation uint32) error {
	return os.WriteFile(x.path(newestFile), []byte(strconv.FormatUint(uint64(generation), 10)+"\n"), 0o600)
}

// newest is the write that was noted last, 0 if that is not known.
func (x *Index) newest() uint32 {
	b, err := os.ReadFile(x.path(newestFile))
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}
