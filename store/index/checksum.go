package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// A text of up to checkedAtOpen bytes is compared with its checksums before the index
// is open, which takes some hundredths of a second. A larger one is compared beside
// the first searches, and not before what is started meanwhile has what it needs of
// the processors.
const (
	checkedAtOpen = 64 << 20
	startIsOver   = 2 * time.Second
)

// segmentFiles are the files of the text as it is now.
func (x *Index) segmentFiles() (paths []string, err error) {
	snap, err := x.snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { err = closeAfter(snap, err) }()
	for _, seg := range snap.Segments() {
		if p, ok := seg.Segment().(segment.PersistedSegment); ok {
			paths = append(paths, p.Path())
		}
	}
	return paths, nil
}

// checkFiles compares the text with its checksums, or leaves that to a goroutine that
// Close ends.
func (x *Index) checkFiles(ctx context.Context) error {
	paths, err := x.segmentFiles()
	if err != nil {
		return err
	}
	size := int64(0)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // merged meanwhile
			return err
		}
		if err == nil {
			size += info.Size()
		}
	}
	if size > checkedAtOpen {
		x.checkLater(paths, startIsOver)
		return nil
	}
	buf := make([]byte, checkBuffer)
	for _, path := range paths {
		if err := checkFile(ctx, path, buf); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (x *Index) checkLater(paths []string, after time.Duration) {
	ctx, stop := context.WithCancel(context.Background())
	x.checked = make(chan struct{})
	x.endCheck = func() { stop(); <-x.checked }
	go func() {
		defer close(x.checked)
		select {
		case <-ctx.Done():
			return
		case <-time.After(after):
		}
		buf := make([]byte, checkBuffer)
		for _, path := range paths {
			err := checkFile(ctx, path, buf)
			switch {
			case ctx.Err() != nil:
				return
			case errors.Is(err, os.ErrNotExist): // merged meanwhile
			case isDisk(err):
				x.log.Warn("a file of the search index cannot be compared with its checksum", "error", err)
			case err != nil:
				_ = x.markDamaged(err) // which has logged it
				return
			}
		}
	}()
}

// checkBuffer is how much of a file is read at once, in bytes.
const checkBuffer = 256 << 10

// checkFile compares a segment with the checksum at its end.
func checkFile(ctx context.Context, path string, buf []byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - crc32.Size
	if size < 0 {
		return fmt.Errorf("%s is cut short", path)
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(sum, &ending{ctx: ctx, r: io.LimitReader(f, size)}, buf); err != nil {
		return err
	}
	var want [crc32.Size]byte
	if _, err := f.ReadAt(want[:], size); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return fmt.Errorf("%s does not fit its checksum", path)
	}
	return nil
}

// ending is a reader that ends with its context.
type ending struct {
	ctx context.Context
	r   io.Reader
}

func (p *ending) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}
