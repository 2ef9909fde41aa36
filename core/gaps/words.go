package gaps

import (
	"strings"
	"unicode"
)

// small are words that carry grammar or that every question has, in the languages
// that Footnote speaks itself and a few more. Words that most of the questions at
// hand share are left out by counting, whatever their language.
var small = wordSet(`a about after all also am an and any anybody anyone are as at be because been before but by can
could did do does doing for from get got had has have having he hello her here hey hi his how i if in into is it its
just know let like may me might much many must my need no not now of off on once one only or other our out over please
shall she should so some somebody someone such tell than thank thanks that the their them then there these they this
those to too under up us use using very want was we were what when where whether which while who whom whose why will
with without would you your yours
aber alle als am an auf aus bei bin bis bitte da damit danke das dass dem den der des die dies diese du durch ein eine
einem einen einer es für gibt haben hallo hat ich ihr im in ist ja kann kein können man mein meine mich mir mit muss
nach nicht noch nur oder ohne sein sich sie sind so um und uns unser vom von vor wann war warum was welche welcher
welches wenn wer werden wie wir wird wo zu zum zur
au aux avec ce ces cette comment dans de des du elle en est et il je la le les leur mais merci mon ne nous on où ou par
pas pour pourquoi qu que quel quelle qui quoi sa se ses son sur un une vous
al como con cuando cuál de del donde dónde el ella es esta este hay la las lo los me mi no para pero por qué que quién
se si sin su sus un una y yo cómo`)

func wordSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

const (
	longestWord = 40  // runes; longer ones are no words
	mostWords   = 200 // of one question
)

// Terms are the words of a text by which it may be put together with others: in
// lower case, each once, in their order, at most 200. Scripts that write no spaces
// give pairs of characters.
func Terms(text string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(w string) {
		if len(out) < mostWords && !seen[w] && !small[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	for _, field := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !inWord(r) }) {
		word := []rune(field)
		switch {
		case unspaced(word[0]):
			for i := 0; i+1 < len(word) && len(out) < mostWords; i++ {
				add(string(word[i : i+2]))
			}
		case len(word) >= 2 && len(word) <= longestWord:
			add(stem(field))
		}
	}
	return out
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// stem takes a plural's ending off, so that "invoice" meets "invoices". More would
// put apart what a reader of the list could not explain.
func stem(w string) string {
	if len(w) > 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}
