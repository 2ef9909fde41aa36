package extract

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/footnote-bot/footnote/core"
)

// peek returns the first bytes of r and a reader that still has them.
func peek(r io.Reader) ([]byte, io.Reader, error) {
	head := make([]byte, 1024)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head, io.MultiReader(bytes.NewReader(head), r), err
}

// decode turns a text file's bytes into UTF-8. What is valid UTF-8 is taken as
// that whatever the file claims, since claims are wrong more often than chance
// makes another encoding valid.
func decode(name, mediaType string, raw []byte) (string, error) {
	if bytes.HasPrefix(raw, []byte("\xFE\xFF")) || bytes.HasPrefix(raw, []byte("\xFF\xFE")) {
		enc, _, _ := charset.DetermineEncoding(raw, "")
		return decodeWith(name, enc, raw)
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return "", core.Errorf(core.KindInvalid,
			"%s is not a text file: it holds binary data. Leave it out, or save it as PDF, HTML, Markdown or plain text", name)
	}
	if utf8.Valid(raw) {
		return string(raw), nil
	}
	return decodeWith(name, guessEncoding(mediaType, raw), raw)
}

func decodeWith(name string, enc encoding.Encoding, raw []byte) (string, error) {
	out, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return "", core.Wrap(core.KindInvalid, err,
			name+" could not be read: its character set is unclear. Save it as UTF-8")
	}
	return string(out), nil
}

// guessEncoding trusts a declaration, then the byte statistics. One stray byte
// in a UTF-8 file does not make it another encoding.
func guessEncoding(mediaType string, raw []byte) encoding.Encoding {
	sample := raw[:min(len(raw), 64<<10)]
	if mostlyUTF8(sample) {
		enc, _ := htmlindex.Get("utf-8")
		return enc
	}
	enc, _, certain := charset.DetermineEncoding(sample, mediaType)
	if certain {
		return enc
	}
	if best, err := chardet.NewTextDetector().DetectBest(sample); err == nil && best.Confidence >= 30 {
		label := strings.ToLower(best.Charset)
		if label == "gb-18030" {
			label = "gb18030"
		}
		if found, err := htmlindex.Get(label); err == nil {
			return found
		}
	}
	return enc
}

// mostlyUTF8 tells whether multi-byte sequences are nearly all well formed.
func mostlyUTF8(b []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good > 20*bad
}
