package vector

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"

	"github.com/footnote-bot/footnote/core"
)

// A set's folder holds three files, each a head and records of one length. Row n
// is the nth record of values and of codes. A row whose number stands in gone is
// dead.
//
//	values  magic, dimensions; see value.go
//	codes   magic, dimensions, rows when centred, mean, checksum; then the passage's
//	        id, the code and a checksum of both
//	gone    magic; then a row's number and its checksum
const (
	valueMagic = "FNVALUE1"
	codeMagic  = "FNCODES1"
	goneMagic  = "FNVGONE1"
	valueHead  = 8 + 4
	goneHead   = 8
	goneSize   = 4 + 4
)

func codeHead(dimensions int) int64 { return int64(8 + 4 + 4 + 4*dimensions + 4) }
func codeSize(words int) int        { return 8 + 8*words + 4 }

func putCode(rec []byte, passage core.PassageID, code []uint64) {
	binary.LittleEndian.PutUint64(rec, uint64(passage))
	for i, w := range code {
		binary.LittleEndian.PutUint64(rec[8+8*i:], w)
	}
	end := len(rec) - 4
	binary.LittleEndian.PutUint32(rec[end:], checksum(passage, rec[8:end]))
}

func headOfValues(dimensions int) []byte {
	return binary.LittleEndian.AppendUint32([]byte(valueMagic), uint32(dimensions))
}

func headOfCodes(mean []float32, centred int) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(codeMagic), uint32(len(mean)))
	b = binary.LittleEndian.AppendUint32(b, uint32(centred))
	for _, x := range mean {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(b, checksum(0, b))
}

// readHeadOfCodes takes in the mean and when it was made.
func (s *Set) readHeadOfCodes(r io.Reader) error {
	b := make([]byte, codeHead(s.dimensions))
	if _, err := io.ReadFull(r, b); err != nil {
		return s.readError("codes", err)
	}
	end := len(b) - 4
	if string(b[:8]) != codeMagic || int(binary.LittleEndian.Uint32(b[8:])) != s.dimensions ||
		binary.LittleEndian.Uint32(b[end:]) != checksum(0, b[:end]) {
		return fmt.Errorf("%w: the head of codes", ErrDamaged)
	}
	s.centred = int(binary.LittleEndian.Uint32(b[12:]))
	for i := range s.state.mean {
		s.state.mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[16+4*i:]))
	}
	return nil
}

// eachRecord reads the records of a file. What a crash left unfinished at the end
// is not counted; a broken record before a whole one is damage.
func eachRecord(f io.Reader, size int, take func(rec []byte) (good bool)) (n int, err error) {
	r, rec := bufio.NewReaderSize(f, 1<<20), make([]byte, size)
	broken := -1
	for i := 0; ; i++ {
		_, err := io.ReadFull(r, rec)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return n, nil
		case err != nil:
			return n, err
		case !take(rec):
			if broken < 0 {
				broken = i
			}
		case broken >= 0:
			return n, fmt.Errorf("%w: record %d", ErrDamaged, broken)
		default:
			n++
		}
	}
}

func newSet(dir string, dimensions int) *Set {
	return &Set{dir: dir, dimensions: dimensions, rows: map[core.PassageID]uint32{}, state: &state{mean: make([]float32, dimensions)}}
}

// openFiles opens the three files with the flags.
func (s *Set) openFiles(flags int) error {
	for name, f := range map[string]**os.File{"values": &s.values, "codes": &s.codes, "gone": &s.gone} {
		var err error
		if *f, err = os.OpenFile(s.path(name), flags, 0o600); err != nil {
			return errors.Join(s.readError(name, err), s.closeOpened())
		}
	}
	return nil
}

func (s *Set) closeOpened() error {
	var errs []error
	for _, f := range []*os.File{s.values, s.codes, s.gone} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// readError tells what the disk causes from damage.
func (s *Set) readError(name string, err error) error {
	if isDisk(err) {
		return s.writeError(name, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
}

func (s *Set) writeError(name string, err error) error {
	return core.Wrap(core.KindDisk, err,
		"The vectors in "+s.path(name)+" cannot be read or written. Check the free space and the permissions of that folder.")
}

func isDisk(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EMFILE)
}
