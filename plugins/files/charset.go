package files

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// errNotText is returned for content that no supported character set explains.
var errNotText = errors.New("the content is not text in UTF-8, UTF-16 or a single-byte character set: save it anew as UTF-8, or exclude it")

// decode turns a file's bytes into valid UTF-8. HTML may name its character set
// itself; other files without a byte-order mark that are not UTF-8 are taken
// for windows-1252.
func decode(data []byte, mediaType string) (string, error) {
	if rest, ok := bytes.CutPrefix(data, []byte("\xEF\xBB\xBF")); ok && utf8.Valid(rest) {
		return string(rest), nil
	}
	var enc encoding.Encoding
	switch order := utf16Order(data); {
	case order != nil:
		enc = order
	case bytes.IndexByte(data, 0) >= 0:
		return "", errNotText
	case utf8.Valid(data):
		return string(data), nil
	case mediaType == "text/html":
		enc, _, _ = charset.DetermineEncoding(data, "")
	default:
		enc = charmap.Windows1252
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil || !readable(out) {
		return "", errNotText
	}
	return string(out), nil
}

// utf16Order recognizes UTF-16 by its mark or, without one, by the zero bytes
// that Latin letters have in every second place.
func utf16Order(data []byte) encoding.Encoding {
	little := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	big := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return little
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return big
	}
	head := data[:min(len(data)&^1, 1<<10)]
	var even, odd int
	for i := 0; i < len(head); i += 2 {
		if head[i] == 0 {
			even++
		}
		if head[i+1] == 0 {
			odd++
		}
	}
	half := len(head) / 2
	switch {
	case half >= 4 && even == 0 && odd*10 > half*7:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case half >= 4 && odd == 0 && even*10 > half*7:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// readable tells whether decoded text looks like text: hardly any control or
// replacement characters.
func readable(data []byte) bool {
	bad, all := 0, 0
	for _, r := range string(data) {
		all++
		if r == utf8.RuneError || r < 0x20 && r != '\n' && r != '\r' && r != '\t' && r != '\f' {
			bad++
		}
	}
	return bad*50 <= all && utf8.Valid(data)
}
