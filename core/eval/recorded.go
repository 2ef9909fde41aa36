package eval

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/footnote-bot/footnote/core"
)

// recordedMark begins a file of recorded vectors; the number is its form.
const recordedMark = "footnote vectors 1\n"

// nameOf is enough of a text's hash to tell the texts of a test set apart.
type nameOf [8]byte

func nameText(text string) nameOf {
	sum := sha256.Sum256([]byte(text))
	return nameOf(sum[:8])
}

// Recorded are vectors of texts in a file, so that a test set can be measured again
// without the model that made them. A number takes one byte: measured, the order of
// what is found hardly changes. It may be used from several goroutines.
type Recorded struct {
	Model      string
	Dimensions int

	mu      sync.Mutex
	vectors map[nameOf][]int8
	from    Embedder // asked for what is not there; nil fails
}

// Embedder makes vectors of texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Record begins an empty record, which is filled as texts are embedded.
func Record(model string, from Embedder) *Recorded {
	return &Recorded{Model: model, from: from, vectors: map[nameOf][]int8{}}
}

// Embed returns the vectors of texts. Errors are of kind not_found for a text that
// is not in the record.
func (r *Recorded) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if r.from != nil {
		if err := r.record(ctx, texts); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([][]float32, len(texts))
	for i, text := range texts {
		packed, ok := r.vectors[nameText(text)]
		if !ok {
			return nil, core.Errorf(core.KindNotFound,
				"The recorded vectors have none for a text of %d bytes: the set or the cutting of documents changed since. Record them again with footnote eval DIR --record FILE.", len(text))
		}
		out[i] = make([]float32, len(packed))
		for n, x := range packed {
			out[i][n] = float32(x) / math.MaxInt8
		}
	}
	return out, nil
}

func (r *Recorded) record(ctx context.Context, texts []string) error {
	var missing []string
	r.mu.Lock()
	for _, text := range texts {
		if _, ok := r.vectors[nameText(text)]; !ok {
			missing = append(missing, text)
		}
	}
	r.mu.Unlock()
	if len(missing) == 0 {
		return nil
	}
	found, err := r.from.Embed(ctx, missing)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, v := range found {
		r.Dimensions = len(v)
		r.vectors[nameText(missing[i])] = packed(v)
	}
	return nil
}

func packed(v []float32) []int8 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	out := make([]int8, len(v))
	for i, x := range v {
		if largest > 0 {
			out[i] = int8(math.Round(float64(x) / largest * math.MaxInt8))
		}
	}
	return out
}

// Write writes the record to a file: the mark, the model's name as a line, how many
// numbers a vector has and how many vectors there are as 32 bits, low byte first,
// and of each text, in the order of their names, eight bytes of its SHA-256 and its
// numbers in a byte each.
func (r *Recorded) Write(path string) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.Create(path)
	if err != nil {
		return core.Errorf(core.KindDisk, "cannot write the recorded vectors: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	w.WriteString(recordedMark + strings.ReplaceAll(r.Model, "\n", " ") + "\n") //nolint:errcheck // Flush tells
	head := binary.LittleEndian.AppendUint32(nil, uint32(r.Dimensions))
	w.Write(binary.LittleEndian.AppendUint32(head, uint32(len(r.vectors)))) //nolint:errcheck // Flush tells
	names := slices.SortedFunc(maps.Keys(r.vectors), func(a, b nameOf) int { return slices.Compare(a[:], b[:]) })
	for _, name := range names {
		w.Write(name[:]) //nolint:errcheck // Flush tells
		for _, x := range r.vectors[name] {
			w.WriteByte(byte(x)) //nolint:errcheck // Flush tells
		}
	}
	return w.Flush()
}

// ReadRecorded reads a record. Errors are of kind not_found for a missing file and
// invalid for one that is no record.
func ReadRecorded(path string) (*Recorded, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, core.Errorf(core.KindNotFound, "cannot read the recorded vectors: %w", err)
	}
	broken := core.Errorf(core.KindInvalid, "%s is no file of recorded vectors, or is cut off; footnote eval DIR --record FILE makes one", path)
	rest, ok := strings.CutPrefix(string(raw), recordedMark)
	model, rest, named := strings.Cut(rest, "\n")
	in := strings.NewReader(rest)
	var head [2]uint32
	if !ok || !named || binary.Read(in, binary.LittleEndian, &head) != nil {
		return nil, broken
	}
	size := int64(head[0]) + int64(len(nameOf{}))
	if head[0] == 0 || int64(in.Len()) != size*int64(head[1]) {
		return nil, broken
	}
	r := &Recorded{Model: model, Dimensions: int(head[0]), vectors: make(map[nameOf][]int8, head[1])}
	for range head[1] {
		one := make([]byte, size)
		io.ReadFull(in, one) //nolint:errcheck // the length was checked
		v := make([]int8, head[0])
		for i, x := range one[len(nameOf{}):] {
			v[i] = int8(x)
		}
		r.vectors[nameOf(one[:len(nameOf{})])] = v
	}
	return r, nil
}
