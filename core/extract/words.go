package extract

import (
	"strings"
	"unicode"
)

// functionWord names the language of a small word: one of those that make up a
// third of any running text and hardly occur in another of these languages. Text
// without them is a list, code or data, and its language is anybody's guess.
func functionWord(word string) string {
	switch word {
	case "the", "of", "and", "is", "are", "that", "with", "this", "for", "from", "which", "be", "it", "you", "your", "by", "not",
		"was", "were", "can", "must", "has", "have", "what", "how", "if", "when", "should", "or", "their", "they", "we":
		return "en"
	case "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "einen", "einer", "mit", "auf", "für", "von", "dem", "den",
		"sie", "wird", "werden", "sind", "auch", "zu", "im", "nach", "oder", "wenn", "wir", "ich", "bei", "wie", "aus":
		return "de"
	case "le", "les", "des", "est", "et", "une", "dans", "pour", "que", "qui", "sur", "pas", "du", "au", "aux", "avec", "vous",
		"nous", "sont", "ce", "cette", "leur", "leurs", "être", "ou", "il", "elle", "par", "ne":
		return "fr"
	case "el", "los", "las", "y", "es", "una", "por", "con", "para", "del", "se", "al", "su", "sus", "como", "más", "pero", "lo",
		"está", "son", "puede", "pueden", "cuando", "hasta", "después":
		return "es"
	case "di", "che", "gli", "della", "nel", "sono", "è", "anche", "degli", "delle", "alla", "dei", "nella":
		return "it"
	case "não", "uma", "os", "dos", "da", "em", "é", "são", "ao", "pelo", "pela", "você", "também", "até":
		return "pt"
	case "het", "een", "van", "niet", "voor", "zijn", "wordt", "aan", "ook", "naar", "bij", "maar", "deze", "je":
		return "nl"
	}
	return ""
}

// byFunctionWords names the language whose small words lead clearly.
func byFunctionWords(text string) string {
	votes := map[string]int{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), notLetter) {
		if lang := functionWord(w); lang != "" {
			votes[lang]++
		}
	}
	best, second := "", 0
	for lang, n := range votes {
		switch {
		case n > votes[best] || n == votes[best] && lang < best:
			second = max(second, votes[best])
			best = lang
		default:
			second = max(second, n)
		}
	}
	if votes[best] < 2 || votes[best] < 2*second {
		return ""
	}
	return best
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }
