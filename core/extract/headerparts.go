package extract

import (
	"strings"
	"unicode"
)

// headerParts are a name's words in lower case, also those that a program joined as
// in orderNo. Figures tells that digits or a mark of money are among them.
func headerParts(name string) (words []string, figures bool) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	for _, r := range name {
		switch {
		case r == '#' || r == '№' || r == '/' && len(words)+len(word) > 0:
			end()
			words = append(words, string(r))
		case unicode.IsLetter(r) || unicode.IsMark(r) || r == '°':
			if n := len(word); n > 0 && (unicode.IsUpper(r) && unicode.IsLower(word[n-1]) || ideographs(r) != ideographs(word[n-1])) {
				end() // 社員ID, too
			}
			word = append(word, r)
		default:
			end()
			figures = figures || unicode.IsDigit(r) || unicode.Is(unicode.Sc, r) || r == '%'
		}
	}
	end()
	return words, figures
}

// ideographs tells letters of scripts that need no spaces from those that do.
func ideographs(r rune) bool { return r >= 0x2e80 }

type wordList struct {
	meaning meaning
	words   string
}

func wordsOf(lists []wordList) map[string]meaning {
	all := map[string]meaning{}
	for _, list := range lists {
		for w := range strings.FieldsSeq(list.words) {
			all[w] = list.meaning
		}
	}
	return all
}

func setOf(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}
