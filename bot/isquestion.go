package bot

import (
	"regexp"
	"strings"
	"unicode"
)

// IsQuestion tells whether a message looks like a question that wants an answer,
// by its form and its first words. It is for channels in which questions are
// answered without a mention, so it would rather miss one than butt in: what is
// quoted, code, addresses and questions that nobody wants answered do not count.
func IsQuestion(text string) bool {
	text = ownWords(text)
	if strings.ContainsRune(text, '՞') && len(strings.Fields(text)) > 1 { // Armenian has it inside of words
		return true
	}
	asked, rest := sentences(text)
	for _, s := range asked {
		if wantsAnswer(s) {
			return true
		}
	}
	for _, s := range rest {
		if asks(s) {
			return true
		}
	}
	return false
}

var (
	address = regexp.MustCompile(`<?\b(?:[a-z][a-z0-9+.-]*://|www\.)[^\s>]+>?`)
	quoted  = regexp.MustCompile(`"[^"]*"|“[^”“]*[”“]|„[^“”]*[“”]|«[^»]*»|»[^«]*«|「[^」]*」|『[^』]*』`)
	citing  = regexp.MustCompile(`(?m)^\s*(?:>|&gt;).*$`)
	inTicks = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")
)

// placeholder stands for what is taken out, so that a sentence keeps its form.
const placeholder = " x "

// ownWords is what the person says: a text without code, addresses and what
// others said. An address at the end of a question leaves its mark.
func ownWords(text string) string {
	text = inTicks.ReplaceAllString(text, placeholder)
	text = citing.ReplaceAllString(text, "\n")
	text = address.ReplaceAllStringFunc(text, func(a string) string {
		if !strings.ContainsAny(a[:len(a)-1], "?") && strings.HasSuffix(a, "?") {
			return " x?"
		}
		return placeholder
	})
	return quoted.ReplaceAllString(text, placeholder)
}

// sentences are those that end in a question mark of any script, and all others
// that do not end in an exclamation mark.
func sentences(text string) (asked, rest []string) {
	runes := []rune(text)
	start := 0
	for i, r := range runes {
		switch {
		case strings.ContainsRune("?？؟﹖⸮⁇⁈፧", r) && endsThere(runes, i), isGreekMark(runes, i):
			asked = append(asked, string(runes[start:i]))
		case strings.ContainsRune("!！", r) && endsThere(runes, i):
		case r == '\n', strings.ContainsRune(".。…", r) && endsThere(runes, i):
			rest = append(rest, string(runes[start:i]))
		default:
			continue
		}
		start = i + 1
	}
	return asked, append(rest, string(runes[start:]))
}

// endsThere tells whether a mark ends a sentence. Inside of words it does not, and
// after a blank only where nothing goes on in lower case, as code does. Wide marks
// need no blank.
func endsThere(runes []rune, at int) bool {
	if runes[at] > 0x7f {
		return true
	}
	next := at + 1
	for next < len(runes) && strings.ContainsRune(`?!.)]"'*_~”’`, runes[next]) {
		next++
	}
	switch {
	case next < len(runes) && !unicode.IsSpace(runes[next]) && !spaceless(runes[next]):
		return false
	case at == 0 || !unicode.IsSpace(runes[at-1]):
		return true
	}
	for next < len(runes) && unicode.IsSpace(runes[next]) {
		next++
	}
	return next == len(runes) || !unicode.IsLower(runes[next]) && !unicode.IsDigit(runes[next])
}

// isGreekMark finds the semicolon that ends a question in Greek.
func isGreekMark(runes []rune, at int) bool {
	return at > 0 && (runes[at] == ';' || runes[at] == '\u037e') && unicode.Is(unicode.Greek, runes[at-1])
}

// wantsAnswer tells whether a sentence with a question mark is more than a
// figure of speech: it has some words, and is no small talk or tag.
func wantsAnswer(sentence string) bool {
	plain := plainWords(sentence)
	last := sentence
	if i := strings.LastIndexFunc(sentence, func(r rune) bool { return strings.ContainsRune(",，、;:–—", r) }); i >= 0 {
		last = sentence[i:]
	}
	if smallTalk[plain] || smallTalk[plainWords(last)] {
		return false
	}
	for _, p := range figures {
		if strings.HasPrefix(plain, p) {
			return false
		}
	}
	if len(strings.Fields(plain)) > 1 {
		return true
	}
	letters := 0
	for _, r := range plain {
		if spaceless(r) || hangul(r) {
			letters++
		}
	}
	return letters > 2
}

// asks tells whether a sentence without a mark is a question by its words.
func asks(sentence string) bool {
	plain := plainWords(sentence)
	if asksUnspaced(plain) {
		return true
	}
	words := strings.Fields(plain)
	if len(words) < 3 || strings.Contains(plain, "know what") {
		return false
	}
	for _, n := range []int{3, 2, 1} {
		if openers[strings.Join(words[:n], " ")] {
			return true
		}
	}
	return asksEnglish(words) || followers[words[0]][words[1]] || closers[words[len(words)-1]] ||
		strings.Contains(plain, " ли ") || words[0] == "как" && strings.HasSuffix(words[1], "ть")
}
