package extract

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// Parent and child speak in frames: four bytes of length, big endian, then that
// many bytes. A conversation is a hello and its answer, then for each file an
// order, the file's bytes in frames that an empty one ends, and answers of which
// the last says done or why not.

// maxFrame bounds a frame, in bytes. A page of text is far smaller.
const maxFrame = 8 << 20

type hello struct {
	CacheDir string `json:"cache_dir,omitempty"`
	Memory   int64  `json:"memory"`
	Office   bool   `json:"office,omitempty"` // PDF is not needed, so PDFium is not started
}

type order struct {
	Kind  string `json:"kind,omitempty"` // what the name says that it is, kindWord or another; "" for PDF
	Flat  bool   `json:"flat,omitempty"` // of a mail: without its attachments
	Pages int    `json:"pages"`
	Bytes int64  `json:"bytes"`
	Text  int64  `json:"text"`
	Nanos int64  `json:"nanos"` // after which the child gives up by itself
}

// answer is one message of the child: a field says which, and Why and Count say
// more. A part is followed by its bytes in frames.
type answer struct {
	Ready  bool     `json:"ready,omitempty"`
	Page   *rawPage `json:"page,omitempty"`
	Blocks []Block  `json:"blocks,omitempty"`
	Part   *rawPart `json:"part,omitempty"`
	Done   *rawDone `json:"done,omitempty"`
	Fault  string   `json:"fault,omitempty"` // one of the fault… words
	Count  int      `json:"count,omitempty"` // of pages, with faultPages
	Why    string   `json:"why,omitempty"`   // the library's words, for the log
}

const (
	faultDamaged  = "damaged"  // not a PDF, or broken
	faultPassword = "password" // encrypted
	faultPages    = "pages"    // more pages than allowed
	faultText     = "text"     // more text than allowed
	faultCrash    = "crash"    // the reader broke; the child ends

	faultBroken  = "broken"  // an Office file, book or mail that is damaged
	faultExpands = "expands" // unpacks to far more than it is
	faultOld     = "old"     // an Office format that is not read
	faultUnknown = "unknown" // not what its name says
	faultDeep    = "deep"    // nested too deeply
)

type rawPage struct {
	Number int       `json:"n"` // from 1
	Lines  []rawLine `json:"l"`
}

// rawLine is a line of text as it stands on the page. Sizes are in points; where
// the engine knows none they are 0.
type rawLine struct {
	Text   string  `json:"t"`
	Left   float64 `json:"x,omitempty"`
	Bottom float64 `json:"y,omitempty"` // grows upwards
	Height float64 `json:"h,omitempty"` // of the font
}

type rawDone struct {
	Title string `json:"title,omitempty"`
	Pages int    `json:"pages"`
	Plain bool   `json:"plain,omitempty"` // the fallback read it

	Language string            `json:"language,omitempty"`
	Meta     map[string]string `json:"meta,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
}

// rawPart announces an attachment.
type rawPart struct {
	Name      string `json:"name"`
	MediaType string `json:"type"`
	Size      int64  `json:"size"`
}

func writeFrame(w io.Writer, body []byte) error {
	frame := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)))
	_, err := w.Write(append(frame, body...))
	return err
}

func writeJSON(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(body) > maxFrame {
		return errFrame
	}
	return writeFrame(w, body)
}

var errFrame = errors.New("a frame is larger than allowed")

func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, errFrame
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return body, nil
}

func readJSON(r io.Reader, v any) error {
	body, err := readFrame(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}
