package handbook

import (
	"html"
	"path"
	"regexp"
	"strings"
)

var (
	hanPattern    = regexp.MustCompile(`\p{Han}+`)
	wordPattern   = regexp.MustCompile(`[\p{L}\p{N}_]+`)
	numberPattern = regexp.MustCompile(`\d+(?:[.:]\d+|,\d{3}\b)*`)
	tagPattern    = regexp.MustCompile(`(?s)<style>.*?</style>|<[^>]*>`)
	mdTitle       = regexp.MustCompile(`(?m)^# (.+)$`)
	htmlTitle     = regexp.MustCompile(`(?s)<h1>(.*?)</h1>`)
	blankLine     = regexp.MustCompile(`\n\s*\n`)
)

const stopWords = ` a about after am an and any are as at be been but by can do does during each for from get
 had has have how i if in into is it its long many may me much must my new no not now of on or our per quickly
 shall she should so soon that the their them then there they this to until up was we were what when where
 which while who whom why will with would you your yes
 an am auf aus bei bis das darf den der die ein eine einen er es für gibt haben hoch ich im in ist mein mit
 nach pro sich sie so um und viele von vor was welche welchem wie zu zum zur
 的 吗 呢 `

// stems returns the content words of a text in a form that makes inflections
// equal, and pairs of neighbouring Han characters.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	text = hanPattern.ReplaceAllString(strings.ToLower(text), " $0 ")
	for _, word := range wordPattern.FindAllString(text, -1) {
		if hanPattern.MatchString(word) {
			addPairs(out, []rune(word))
			continue
		}
		if s := stem(word); len(s) > 1 && !strings.Contains(stopWords, " "+word+" ") {
			out[s] = true
		}
	}
	return out
}

func addPairs(out map[string]bool, runes []rune) {
	for i := 1; i < len(runes); i++ {
		out[string(runes[i-1:i+1])] = true
	}
}

// stem cuts the endings of English and German that matter here, as long as
// four letters are left.
func stem(word string) string {
	for range 2 {
		for _, end := range []string{"ing", "al", "es", "en", "em", "ed", "er", "ly", "s", "e"} {
			if rest, cut := strings.CutSuffix(word, end); cut && len(rest) >= 4 {
				word = rest
				break
			}
		}
	}
	return word
}

func shared(a, b map[string]bool) int {
	n := 0
	for s := range a {
		if b[s] {
			n++
		}
	}
	return n
}

// title is a document's first heading, or its file name where it has none.
func title(name, body string) string {
	pattern := mdTitle
	if path.Ext(name) == ".html" {
		pattern = htmlTitle
	}
	if m := pattern.FindStringSubmatch(body); m != nil && path.Ext(name) != ".pdf" {
		return m[1]
	}
	return strings.ReplaceAll(strings.TrimSuffix(path.Base(name), path.Ext(name)), "-", " ")
}

// plain is the text a reader sees.
func plain(name, body string) string {
	if path.Ext(name) != ".html" {
		return body
	}
	return html.UnescapeString(tagPattern.ReplaceAllString(body, " "))
}
