package index

import (
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"
)

type stemmer struct {
	script *unicode.RangeTable
	run    func(*snowballstem.Env) bool
}

// stemmerOf gives the stemmer of an ISO 639-1 language.
func stemmerOf(language string) (stemmer, bool) {
	switch language {
	case "en":
		return stemmer{unicode.Latin, english.Stem}, true
	case "de":
		return stemmer{unicode.Latin, german.Stem}, true
	case "fr":
		return stemmer{unicode.Latin, french.Stem}, true
	case "es":
		return stemmer{unicode.Latin, spanish.Stem}, true
	case "it":
		return stemmer{unicode.Latin, italian.Stem}, true
	case "pt":
		return stemmer{unicode.Latin, portuguese.Stem}, true
	case "nl":
		return stemmer{unicode.Latin, dutch.Stem}, true
	case "sv":
		return stemmer{unicode.Latin, swedish.Stem}, true
	case "da":
		return stemmer{unicode.Latin, danish.Stem}, true
	case "no", "nb", "nn":
		return stemmer{unicode.Latin, norwegian.Stem}, true
	case "fi":
		return stemmer{unicode.Latin, finnish.Stem}, true
	case "hu":
		return stemmer{unicode.Latin, hungarian.Stem}, true
	case "ro":
		return stemmer{unicode.Latin, romanian.Stem}, true
	case "tr":
		return stemmer{unicode.Latin, turkish.Stem}, true
	case "ru":
		return stemmer{unicode.Cyrillic, russian.Stem}, true
	case "ar":
		return stemmer{unicode.Arabic, arabic.Stem}, true
	}
	return stemmer{}, false
}

// fallbackLanguage is the language in which a word is stemmed when the
// document's own language is unknown or is written in another script.
func fallbackLanguage(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	switch {
	case unicode.Is(unicode.Latin, r):
		return "en"
	case unicode.Is(unicode.Cyrillic, r):
		return "ru"
	case unicode.Is(unicode.Arabic, r):
		return "ar"
	}
	return ""
}

// stem reduces a word by the language's rules, or by those of its script's
// fallback language. Words with digits stay as they are.
func stem(word, language string) string {
	if !stemmable(word) {
		return word
	}
	first, _ := utf8.DecodeRuneInString(word)
	st, ok := stemmerOf(language)
	if !ok || !unicode.Is(st.script, first) {
		if st, ok = stemmerOf(fallbackLanguage(word)); !ok {
			return word
		}
	}
	return runStemmer(st, word)
}

func stemmable(word string) bool {
	if len(word) < 3 {
		return false
	}
	for _, r := range word {
		if unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// runStemmer guards against the stemmers' index arithmetic on odd input.
func runStemmer(st stemmer, word string) (out string) {
	defer func() {
		if recover() != nil {
			out = word
		}
	}()
	env := snowballstem.NewEnv(word)
	st.run(env)
	if s := env.Current(); s != "" && utf8.ValidString(s) {
		return s
	}
	return word
}

// foldMarks removes accents from Latin, Greek and Cyrillic letters, so that
// resume meets résumé.
func foldMarks(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	out := make([]rune, 0, len(s))
	for _, r := range norm.NFD.String(s) {
		switch {
		case r >= 0x300 && r <= 0x36f:
		case r == 'ß':
			out = append(out, 's', 's')
		default:
			out = append(out, r)
		}
	}
	return norm.NFC.String(string(out))
}
