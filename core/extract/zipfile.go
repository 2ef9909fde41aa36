package extract

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// Bounds of what a zipped file may become. Office programs stay far below: their
// XML shrinks to a tenth or a twentieth.
const (
	maxExpanded   = 200 << 20 // bytes of all entries that are read
	maxRatio      = 100       // of an entry's bytes to what they take in the file
	ratioFrom     = 4 << 20   // bytes; smaller entries may shrink as they like
	maxZipEntries = 20_000
)

var (
	errExpands  = errors.New("expands too much")
	errDamaged  = errors.New("damaged")
	errPassword = errors.New("encrypted")
)

// zipFile is the inside of an Office file or book. Entries are looked up by name
// and read one after the other; nothing is written to disk, and a zip inside is
// never opened.
type zipFile struct {
	entries map[string]*zip.File // by cleaned name in lower case
	names   []string             // as they stand, in the file's order
	left    int64                // bytes that may still be expanded
}

func openZip(f io.ReaderAt, size int64) (*zipFile, error) {
	r, err := zip.NewReader(f, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are never used as paths
		return nil, errors.Join(errDamaged, err)
	}
	if len(r.File) > maxZipEntries {
		return nil, errExpands
	}
	z := &zipFile{entries: make(map[string]*zip.File, len(r.File)), left: maxExpanded}
	for _, e := range r.File {
		name := entryName(e.Name)
		if _, twice := z.entries[name]; twice || strings.HasSuffix(e.Name, "/") {
			continue // the first counts, as in most programs
		}
		z.entries[name] = e
		z.names = append(z.names, e.Name)
	}
	return z, nil
}

// entryName makes names comparable: writers differ in slashes and case.
func entryName(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
}

// rootOf is the local name of an entry's outermost element.
func (z *zipFile) rootOf(name string) (root string, err error) {
	err = z.eachXML(name, func(_ *xmlReader, e xml.StartElement) error {
		root = e.Name.Local
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return root, err
}

var errFound = errors.New("found")

func (z *zipFile) has(name string) bool { return z.entries[entryName(name)] != nil }

// open reads an entry within the bounds. The error is errMissing if there is none.
func (z *zipFile) open(name string) (io.ReadCloser, error) {
	e := z.entries[entryName(name)]
	switch {
	case e == nil:
		return nil, errMissing
	case e.Flags&1 != 0:
		return nil, errPassword
	}
	r, err := e.Open()
	if err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	return &expanding{z: z, from: r, packed: int64(e.CompressedSize64)}, nil
}

var errMissing = errors.New("no such entry")

// readAll reads a small entry whole; what is over the limit is errExpands.
func (z *zipFile) readAll(name string, limit int64) ([]byte, error) {
	r, err := z.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = errExpands
	}
	return raw, err
}

// expanding counts what an entry becomes, whatever the zip says about it.
type expanding struct {
	z      *zipFile
	from   io.ReadCloser
	packed int64
	read   int64
}

// Read fails as soon as the entry is over a bound.
func (x *expanding) Read(p []byte) (int, error) {
	n, err := x.from.Read(p)
	x.read += int64(n)
	x.z.left -= int64(n)
	switch {
	case x.z.left < 0, x.read > ratioFrom && x.read > maxRatio*max(x.packed, 1):
		return 0, errExpands
	case err != nil && !errors.Is(err, io.EOF):
		err = errors.Join(errDamaged, err)
	}
	return n, err
}

// Close ends the entry.
func (x *expanding) Close() error { return x.from.Close() }
