package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind says how a piece of text became a token.
type kind uint8

const (
	word  kind = iota // letters and digits between separators
	ident             // a whole identifier: camelCase, snake_case, dotted, ticket key
	gram              // characters of a script that writes no spaces
)

// piece is one unit of text before stemming.
type piece struct {
	text string // lower case, NFKC
	kind kind
	name bool // holds a digit or was written in capitals: counts as rare even when short
	size int  // length in quarters of a word, as far as texts of all scripts can be compared
}

const (
	maxPiece    = 64 // bytes of a token; longer ones are cut, they are data and no words
	maxParts    = 12 // parts of an identifier
	thaiGramLen = 3

	wordSize = 4 // of a word; the others are by how many make a word's worth
	cjkSize  = 2
	thaiSize = 1
)

type class uint8

const (
	classSep class = iota
	classWord
	classCJK
	classSEA
	classJoin  // binds identifier parts
	classQuote // apostrophes
)

func classify(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return classWord
		case r == '_' || r == '.' || r == '-' || r == '@':
			return classJoin
		case r == '\'':
			return classQuote
		}
		return classSep
	case r == '’':
		return classQuote
	case r < 0x0e00: // before Thai: no script without spaces
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			return classWord
		}
		return classSep
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー' || r == '々':
		return classCJK
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return classSEA
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r):
		return classWord
	}
	return classSep
}

// scan cuts text into pieces and hands them to emit in order.
func scan(text string, emit func(piece)) {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch classify(r) {
		case classWord:
			end := wordEnd(text, i)
			scanWord(text[i:end], emit)
			i = end
		case classCJK:
			end := runEnd(text, i, classCJK)
			grams(text[i:end], 2, cjkSize, emit)
			lone(text[i:end], emit)
			i = end
		case classSEA:
			end := runEnd(text, i, classSEA)
			grams(text[i:end], thaiGramLen, thaiSize, emit)
			i = end
		default:
			i += size
		}
	}
}

// wordEnd finds the end of a word together with what single joining characters
// bind to it.
func wordEnd(s string, i int) int {
	end := i
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		switch classify(r) {
		case classWord:
			end += size
			continue
		case classJoin, classQuote:
			if next, _ := utf8.DecodeRuneInString(s[end+size:]); end+size < len(s) && classify(next) == classWord {
				end += size
				continue
			}
		}
		return end
	}
	return end
}

func runEnd(s string, i int, c class) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if classify(r) != c {
			break
		}
		i += size
	}
	return i
}

// grams emits overlapping runs of n characters; a shorter run is emitted whole.
func grams(run string, n, size int, emit func(piece)) {
	run = strings.ToLower(run)
	starts := make([]int, 0, len(run)/3+1)
	for i := range run {
		starts = append(starts, i)
	}
	starts = append(starts, len(run))
	if len(starts)-1 <= n {
		emit(piece{text: run, kind: gram, size: size})
		return
	}
	for i := 0; i+n < len(starts); i++ {
		emit(piece{text: run[starts[i]:starts[i+n]], kind: gram, size: size})
	}
}

// scanWord emits the parts of a word and, where it is an identifier, the whole.
func scanWord(s string, emit func(piece)) {
	parts := strings.FieldsFunc(s, func(r rune) bool { c := classify(r); return c == classJoin || c == classQuote })
	quoted := strings.ContainsAny(s, "'’")
	n := 0
	for _, p := range parts {
		if quoted && len(parts) > 1 && utf8.RuneCountInString(p) <= 2 {
			continue // elided articles and endings: l', 's, 'll
		}
		if n++; n > maxParts {
			break
		}
		scanPart(p, emit)
	}
	if len(parts) < 2 || quoted {
		return
	}
	whole := strings.ToLower(s)
	if lettersAndHyphens(whole) {
		whole = strings.ReplaceAll(whole, "-", "") // e-mail is email
	}
	emitWhole(whole, emit)
}

func lettersAndHyphens(s string) bool {
	for _, r := range s {
		if r != '-' && !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

func emitWhole(whole string, emit func(piece)) {
	if len(whole) <= maxPiece {
		emit(piece{text: whole, kind: ident, name: true})
	}
}

// scanPart emits one run of letters and digits and the words inside camelCase.
func scanPart(s string, emit func(piece)) {
	humps := splitCamel(s)
	if len(humps) == 1 {
		emit(piece{text: cut(strings.ToLower(s)), kind: word, name: isName(s), size: wordSize})
		return
	}
	for i, h := range humps {
		if i == maxParts {
			break
		}
		emit(piece{text: cut(strings.ToLower(h)), kind: word, name: isName(h), size: wordSize})
	}
	emitWhole(strings.ToLower(s), emit)
}

func cut(s string) string {
	if len(s) <= maxPiece {
		return s
	}
	n := maxPiece
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// isName tells words that carry meaning although they are short.
func isName(s string) bool {
	upper, letters := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			return true
		case unicode.IsUpper(r):
			upper++
		}
		letters++
	}
	return letters > 1 && upper == letters
}

// splitCamel cuts before a capital that follows a small letter, and before the
// last capital of a run of capitals that a small letter follows.
func splitCamel(s string) []string {
	ascii, upper := true, 0
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
		if 'A' <= s[i] && s[i] <= 'Z' {
			upper++
		}
	}
	if !ascii || upper == 0 || len(s) < 3 {
		return []string{s}
	}
	isUp := func(i int) bool { return 'A' <= s[i] && s[i] <= 'Z' }
	isLow := func(i int) bool { return 'a' <= s[i] && s[i] <= 'z' }
	var out []string
	start := 0
	for i := 1; i < len(s); i++ {
		hump := isUp(i) && (isLow(i-1) || isUp(i-1) && i+1 < len(s) && isLow(i+1))
		if hump && i-start > 1 {
			out = append(out, s[start:i])
			start = i
		}
	}
	return append(out, s[start:])
}
