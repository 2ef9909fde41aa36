package chunk

import (
	"regexp"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
)

const (
	mostSymbols   = 3  // named in one heading
	longestSymbol = 80 // bytes
)

// declared finds the name that a line at the left edge declares, in the languages
// that say so with a word, and functions of C and its like.
var declared = regexp.MustCompile(`^(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|async|unsafe|inline|extern|pub(?:\([^)]*\))?)\s+)*` +
	`(?:(?:func|function\*?|def|class|interface|struct|enum|trait|impl|type|module|namespace|fn|object|protocol|sub|record|(?i:create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure)))\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\pN_$.:]*)` +
	`|(?:const|let|var|val)\s+([\pL_$][\pL\pN_$]*)\s*(?::[^=]*)?=` +
	`|[\pL_][\pL\pN_<>:,*& ]*[ *&]([\pL_~][\pL\pN_:~]*)\s*\([^;]*$)`)

// statements begin lines that look like functions of C and are none.
var statements = []string{"return", "else", "if", "for", "while", "switch", "case", "throw", "new", "await", "yield", "print", "import", "from", "package", "use", "using"}

// symbolsIn are the names that code declares at its left edge, in their order.
func symbolsIn(code string) []string {
	var out []string
	for line := range strings.Lines(code) {
		if len(line) > 400 || line[0] == ' ' || line[0] == '\t' {
			continue
		}
		m := declared.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		first, _, _ := strings.Cut(line, " ")
		name := strings.TrimRight(m[1]+m[2]+m[3], ":.")
		if m[3] != "" && slices.Contains(statements, first) || len(name) > longestSymbol || slices.Contains(out, name) {
			continue
		}
		out = append(out, name)
	}
	return out
}

// isSource tells whether a document is nothing but code under headings, as a file of
// source code is read.
func isSource(blocks []extract.Block) bool {
	code := 0
	for _, b := range blocks {
		switch b.Kind {
		case extract.KindHeading:
		case extract.KindCode:
			code++
		default:
			return false
		}
	}
	return code > 0
}

// nameSymbols puts the symbols that passages of source code declare behind their
// headings. A piece that declares nothing belongs to the last one before it, so that
// the middle of a long function is found by its name.
func nameSymbols(passages []core.Passage) {
	last := ""
	for i := range passages {
		p := &passages[i]
		names := symbolsIn(p.Text)
		if len(names) > 0 {
			last = names[len(names)-1]
		} else if last != "" {
			names = []string{last}
		}
		if len(names) > mostSymbols {
			names = names[:mostSymbols]
		}
		if len(names) > 0 {
			p.Heading = strings.TrimPrefix(p.Heading+" › "+strings.Join(names, ", "), " › ")
		}
	}
}
