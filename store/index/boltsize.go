package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The engine keeps its list of segments in a bolt file, which it maps into memory. A
// page behind the end of a file that was cut ends the process when it is touched,
// maybe in a goroutine of the engine and at each start again. So it is looked first
// whether the file is as long as it says: each of the two heads tells how many pages
// there are, and no write ends before the file has them.
const (
	boltFile     = "root.bolt"
	boltMagic    = 0xED0CDAED
	boltMetaAt   = 16 // behind the page's own head
	boltPageSize = boltMetaAt + 8
	boltPages    = boltMetaAt + 40
	boltHead     = boltMetaAt + 64
)

// checkBolt is an error where the file is shorter than it says. All else that may be
// wrong with it the engine finds itself.
func checkBolt(folder string) (err error) {
	f, err := os.Open(filepath.Join(folder, boltFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	at := int64(0)
	for range 2 {
		head := make([]byte, boltHead)
		_, err := f.ReadAt(head, at)
		if errors.Is(err, io.EOF) {
			return nil // too short for a head: the engine says so
		}
		if err != nil {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(head[boltPageSize:]))
		if binary.LittleEndian.Uint32(head[boltMetaAt:]) != boltMagic || size <= 0 {
			return nil
		}
		if pages := binary.LittleEndian.Uint64(head[boltPages:]); pages > uint64(info.Size()/size) {
			return fmt.Errorf("%s has %d bytes and says that it has %d pages of %d", boltFile, info.Size(), pages, size)
		}
		at = size
	}
	return nil
}
