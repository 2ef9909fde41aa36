package extract

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
)

// packedPDFium is the module of the go-pdfium that go.mod names. Packed it takes less
// than half of the room in the program, of which only the process that reads PDF files
// needs it. A test holds it against the library's; go test ./core/extract -run
// TestPDFiumModule -update writes it anew.
//
//go:embed pdfium.wasm.gz
var packedPDFium []byte

// pdfiumModule unpacks PDFium, which takes some hundredths of a second.
func pdfiumModule() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedPDFium))
	if err != nil {
		return nil, fmt.Errorf("unpack PDFium: %w", err)
	}
	module, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack PDFium: %w", err)
	}
	return module, nil
}
