package extract

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// maxMailDepth is how deep the parts of a mail may nest. The mail parser passes each
// line through all levels, several times each, so that a small file of many levels
// takes it minutes. Mails that people write have three or four.
const maxMailDepth = 12

var declaredBoundary = regexp.MustCompile(`(?i)boundary\s*=\s*(?:"([^"]+)"|([^\s";]+))`)

// checkMailDepth reads a mail line by line and fails where too many parts are open
// at once. A part is open from where its header declares its boundary to its end, or
// to the next line that belongs to a part around it.
func checkMailDepth(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 8<<10)
	var open []string
	whole, header := true, true // the line begins here; it belongs to a header
	for {
		line, err := lines.ReadSlice('\n')
		text := strings.TrimRight(string(line), "\r\n \t")
		if mark, ok := strings.CutPrefix(text, "--"); ok && whole {
			if i := slices.Index(open, mark); i >= 0 {
				open, header = open[:i+1], true
			} else if i := slices.Index(open, strings.TrimSuffix(mark, "--")); i >= 0 {
				open = open[:i]
			}
		}
		if text == "" && whole {
			header = false
		}
		if !header {
			text = ""
		}
		for _, found := range declaredBoundary.FindAllStringSubmatch(text, -1) {
			if open = append(open, found[1]+found[2]); len(open) > maxMailDepth {
				return errTooDeep
			}
		}
		whole = !errors.Is(err, bufio.ErrBufferFull)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && whole:
			return err
		}
	}
}
