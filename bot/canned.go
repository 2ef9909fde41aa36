package bot

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/footnote-bot/footnote/core"
)

// Match finds the canned answer for a text: the first that has not expired and
// whose words occur as whole words, whatever their case.
func Match(list []Canned, text string, now time.Time) (Canned, bool) {
	words := " " + plainWords(text) + " "
	for _, c := range list {
		if (c.Expires.IsZero() || now.Before(c.Expires)) && c.fits(words) {
			return c, true
		}
	}
	return Canned{}, false
}

// mayHear tells whether the answer is for those who read the place. What the owner
// wrote for no place in particular is for full members, as a workspace document
// is: guests, outsiders and unknown readers hold no workspace.
func (c Canned) mayHear(a core.Audience) bool {
	return c.Listed || slices.ContainsFunc(a.Principals, func(p core.Principal) bool {
		return p == core.Workspace || strings.HasPrefix(string(p), string(core.WorkspaceOf("")))
	})
}

func (c Canned) fits(words string) bool {
	for _, w := range c.All {
		if !occurs(words, w) {
			return false
		}
	}
	for _, w := range c.Any {
		if occurs(words, w) {
			return true
		}
	}
	return len(c.Any) == 0 && len(c.All) > 0
}

// occurs looks for whole words. Korean words take endings, so that they have to
// begin so only; scripts without spaces between words are looked for anywhere.
func occurs(words, phrase string) bool {
	plain := plainWords(phrase)
	if plain == "" {
		return false
	}
	switch {
	case strings.IndexFunc(plain, spaceless) >= 0:
		return strings.Contains(words, plain)
	case strings.IndexFunc(plain, hangul) >= 0:
		return strings.Contains(words, " "+plain)
	}
	return strings.Contains(words, " "+plain+" ")
}

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func hangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }

// plainWords is a text in lower case with single blanks between its words, in one
// form however its letters were put together.
func plainWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}), " ")
}
