package extract

import (
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// Language names the language of a text by its ISO 639-1 code, "" if unsure.
// Scripts that belong to one language decide at once, also for short texts;
// languages that share a script need about a sentence.
func Language(text string) string {
	n := countScripts(text)
	switch {
	case n.letters == 0:
		return ""
	case n.kana > 0 && (n.kana+n.han)*3 >= n.letters && n.kana*12 >= n.han:
		return "ja"
	case n.hangul*3 >= n.letters:
		return "ko"
	case n.thai*3 >= n.letters:
		return "th"
	case n.han*4 >= n.letters:
		return "zh"
	}
	if n.cyrillic*2 > n.letters {
		switch {
		case n.russian > 0 && n.ukrainian == 0:
			return "ru"
		case n.ukrainian > 0 && n.russian == 0:
			return "uk"
		}
	}
	return byTrigrams(text, n)
}

// scripts counts letters. Ideographs and syllables carry about three times what
// a Latin letter does, so a third of the letters makes a text theirs.
type scripts struct {
	letters, han, kana, hangul, thai, latin, cyrillic int

	russian, ukrainian int // Cyrillic letters that the other, and Bulgarian, lacks
}

func countScripts(text string) scripts {
	var n scripts
	for _, r := range text {
		if r < 0x80 {
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				n.letters++
				n.latin++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		n.letters++
		switch {
		case unicode.Is(unicode.Han, r):
			n.han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			n.kana++
		case unicode.Is(unicode.Hangul, r):
			n.hangul++
		case unicode.Is(unicode.Thai, r):
			n.thai++
		case unicode.Is(unicode.Latin, r):
			n.latin++
		case unicode.Is(unicode.Cyrillic, r):
			n.cyrillic++
			if strings.ContainsRune("ыэёЫЭЁ", r) {
				n.russian++
			} else if strings.ContainsRune("іїєґІЇЄҐ", r) {
				n.ukrainian++
			}
		}
	}
	return n
}

// commonLanguages keeps rare relatives from winning over the languages teams
// write in: a short English text must not become Scots or Nynorsk.
var commonLanguages = map[whatlanggo.Lang]bool{
	whatlanggo.Eng: true, whatlanggo.Deu: true, whatlanggo.Spa: true, whatlanggo.Fra: true, whatlanggo.Ita: true,
	whatlanggo.Por: true, whatlanggo.Nld: true, whatlanggo.Swe: true, whatlanggo.Dan: true, whatlanggo.Nob: true,
	whatlanggo.Fin: true, whatlanggo.Pol: true, whatlanggo.Ces: true, whatlanggo.Hun: true, whatlanggo.Ron: true,
	whatlanggo.Tur: true, whatlanggo.Vie: true, whatlanggo.Ind: true, whatlanggo.Rus: true, whatlanggo.Ukr: true,
	whatlanggo.Bul: true, whatlanggo.Arb: true, whatlanggo.Pes: true, whatlanggo.Heb: true, whatlanggo.Hin: true,
	whatlanggo.Ell: true, whatlanggo.Hrv: true,
}

// enoughLetters is how many letters trigrams are counted of: some sentences. A longer
// text does not make the choice surer, and counting all of two kilobytes took a fifth
// of reading a document whose words are not of a language.
const enoughLetters = 500

func byTrigrams(text string, n scripts) string {
	fewest := 10
	if n.latin*2 > n.letters {
		if lang := byFunctionWords(text); lang != "" {
			return lang
		}
		fewest = 200
	}
	if n.letters < fewest {
		return ""
	}
	info := whatlanggo.DetectWithOptions(firstLetters(text, enoughLetters), whatlanggo.Options{Whitelist: commonLanguages})
	if info.Lang < 0 || info.Confidence < 0.1 {
		return ""
	}
	return info.Lang.Iso6391()
}

// firstLetters is the beginning of a text, up to so many letters.
func firstLetters(text string, n int) string {
	for i, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
