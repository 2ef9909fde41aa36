package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// officeFile is what a reader in the child gives back: everything but the
// attachments of a mail, which it hands over as they come.
type officeFile struct {
	content Content
	pages   int
}

// Words for what a file is, in messages and in the child's answers.
const (
	kindWord  = "docx"
	kindSlide = "pptx"
	kindSheet = "xlsx"
	kindODT   = "odt"
	kindBook  = "epub"
	kindMail  = "eml"
)

var (
	errOldOffice = errors.New("an Office file of before 2007")
	errUnknown   = errors.New("neither an Office file nor a book")
	errMuchText  = errors.New("too much text")
)

var (
	zipMagic = []byte("PK\x03\x04")
	oleMagic = []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
)

// readOffice finds out what a file is by its content, whatever its name says, and
// reads it. attach takes the attachments of a mail.
func readOffice(f io.ReaderAt, size int64, o order, attach func(attachment) error) (officeFile, error) {
	head := make([]byte, len(oleMagic))
	if n, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return officeFile{}, err
	} else {
		head = head[:n]
	}
	switch {
	case o.Kind == kindMail:
		if err := checkMailDepth(io.NewSectionReader(f, 0, size)); err != nil {
			return officeFile{}, err
		}
		return readMail(io.NewSectionReader(f, 0, size), o, attach)
	case bytes.HasPrefix(head, oleMagic):
		return officeFile{}, whyOld(io.NewSectionReader(f, 0, size))
	case !bytes.HasPrefix(head, zipMagic[:2]):
		return officeFile{}, errUnknown
	}
	z, err := openZip(f, size)
	if err != nil {
		return officeFile{}, err
	}
	return readZipped(z, o)
}

func readZipped(z *zipFile, o order) (officeFile, error) {
	main := z.mainPart()
	root, err := z.rootOf(main)
	switch {
	case main != "" && err != nil:
		return officeFile{}, err
	case root == "document":
		return readWord(z, main, o)
	case root == "presentation":
		return readSlides(z, main, o)
	case root == "workbook":
		return readWorkbook(z, main, o)
	case z.has("META-INF/container.xml"):
		return readBook(z, o)
	case z.has("content.xml"):
		return readODT(z, o)
	case z.has("xl/workbook.bin"):
		return officeFile{}, errOldOffice
	}
	return officeFile{}, errUnknown
}

// whyOld tells an encrypted file from one of an old program: both lie in the same
// container, the first under a name that is always there.
func whyOld(r io.Reader) error {
	name := []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")
	buf := make([]byte, 0, 128<<10)
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if bytes.Contains(buf, name) {
			return errPassword
		}
		if err != nil {
			return errOldOffice
		}
		buf = buf[:copy(buf, buf[len(buf)-len(name):])]
	}
}

// officeAnswer turns a reader's outcome into the last message of the child.
func officeAnswer(done officeFile, err error) answer {
	if err == nil {
		c := done.content
		return answer{Done: &rawDone{Title: c.Title, Pages: done.pages, Language: c.Language, Meta: c.Meta, Notes: c.Notes}}
	}
	a := answer{Fault: faultBroken, Why: err.Error()}
	var many errTooManyPages
	if errors.As(err, &many) {
		a.Fault, a.Count = faultPages, many.pages
	}
	for fault, cause := range map[string]error{
		faultPassword: errPassword, faultExpands: errExpands, faultOld: errOldOffice, faultUnknown: errUnknown,
		faultText: errMuchText, faultDeep: errTooDeep,
	} {
		if errors.Is(err, cause) {
			a.Fault = fault
		}
	}
	return a
}

// Bounds that keep answers far below maxFrame.
const (
	frameBytes    = 256 << 10
	maxBlockBytes = 2 << 20 // longer ones are cut, at a line's end where there is one
)

// sendBlocks hands over blocks in answers of a bounded size.
func sendBlocks(blocks []Block, send func(answer) error) error {
	var batch []Block
	held := 0
	for _, b := range blocks {
		for _, piece := range cutBlock(b) {
			batch = append(batch, piece)
			if held += len(piece.Text); held < frameBytes {
				continue
			}
			if err := send(answer{Blocks: batch}); err != nil {
				return err
			}
			batch, held = nil, 0
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return send(answer{Blocks: batch})
}

func cutBlock(b Block) []Block {
	var out []Block
	for len(b.Text) > maxBlockBytes {
		at := maxBlockBytes
		if i := bytes.LastIndexByte([]byte(b.Text[:at]), '\n'); i > 0 {
			at = i
		}
		for at > 0 && at < len(b.Text) && b.Text[at]&0xC0 == 0x80 {
			at--
		}
		piece := b
		piece.Text = b.Text[:at]
		out = append(out, piece)
		b.Text = b.Text[at:]
	}
	return append(out, b)
}

// serveOffice reads one file in the child and returns the last answer.
func serveOffice(f *os.File, size int64, o order, send func(answer) error, raw func([]byte) error) answer {
	attach := func(a attachment) error {
		if err := send(answer{Part: &rawPart{Name: a.name, MediaType: a.mediaType, Size: int64(len(a.body))}}); err != nil {
			return err
		}
		for body := a.body; len(body) > 0; {
			n := min(len(body), frameBytes)
			if err := raw(body[:n]); err != nil {
				return err
			}
			body = body[n:]
		}
		return nil
	}
	done, err := readOffice(f, size, o, attach)
	if err == nil {
		total := int64(0)
		for _, b := range done.content.Blocks {
			total += int64(len(b.Text))
		}
		if total > o.Text {
			err = fmt.Errorf("%w: %d bytes", errMuchText, total)
		}
	}
	if err != nil {
		return officeAnswer(officeFile{}, err)
	}
	if err := sendBlocks(done.content.Blocks, send); err != nil {
		return answer{Fault: faultCrash, Why: err.Error()}
	}
	return officeAnswer(done, nil)
}
