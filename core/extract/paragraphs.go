package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageBlocks joins a page's lines to paragraphs. A paragraph ends where the gap
// to the next line is wider than usual, the font height changes, or a list item
// begins.
func pageBlocks(p rawPage, body float64, levels map[float64]int) []Block {
	pitch, wide := linePitch(p.Lines), usualLength(p.Lines)
	var out []Block
	for i := 0; i < len(p.Lines); {
		j := i + 1
		for j < len(p.Lines) && continues(p.Lines[j-1], p.Lines[j], pitch) {
			j++
		}
		text := joinLines(p.Lines[i:j], wide)
		b := Block{Kind: KindParagraph, Text: text, Page: p.Number}
		if level := levels[p.Lines[i].Height]; level > 0 && j-i <= 3 && len(text) <= maxHeadingLine && hasLetter(text) {
			b.Kind, b.Level, b.Text = KindHeading, level, oneLine(text)
		}
		if text != "" {
			out = append(out, b)
		}
		i = j
	}
	return out
}

// linePitch is the usual distance from line to line.
func linePitch(lines []rawLine) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		if gap := lines[i-1].Bottom - lines[i].Bottom; gap > 0 && lines[i].Height > 0 && gap < 4*lines[i].Height {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// usualLength is how many characters a full line has: nine of ten are shorter
// or equal.
func usualLength(lines []rawLine) int {
	var n []int
	for _, l := range lines {
		n = append(n, utf8.RuneCountInString(l.Text))
	}
	if len(n) == 0 {
		return 0
	}
	slices.Sort(n)
	return n[len(n)*9/10]
}

func continues(a, b rawLine, pitch float64) bool {
	if startsItem(b.Text) && !endsOpen(a.Text) {
		return false
	}
	if a.Height == 0 || b.Height == 0 || pitch == 0 {
		return !endsSentence(a.Text) || len(a.Text) > 60
	}
	if b.Height > 1.12*a.Height || a.Height > 1.12*b.Height {
		return false
	}
	gap := a.Bottom - b.Bottom
	switch {
	case gap < -b.Height: // the next column
		return !endsSentence(a.Text)
	case gap > 1.3*max(pitch, 1.1*b.Height):
		return false
	}
	indented := b.Left > a.Left+0.8*b.Height && b.Left < a.Left+4*b.Height
	return !indented || !endsSentence(a.Text)
}

func startsItem(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	if strings.ContainsRune("•◦▪‣●○■–·∙", r) {
		return true
	}
	if r == '-' || r == '*' {
		return strings.HasPrefix(s[n:], " ")
	}
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	return digits > 0 && digits <= 3 && len(s) > digits+1 && (s[digits] == '.' || s[digits] == ')') && s[digits+1] == ' '
}

// endsOpen tells that a line is cut in the middle of a word.
func endsOpen(s string) bool { return strings.HasSuffix(s, "\u00AD") }

func endsSentence(s string) bool {
	s = strings.TrimRight(s, `"'”’»)] `)
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:…。！？：", r)
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// joinLines writes lines as running text: hyphens that only the line break made
// are taken out, and scripts that use no spaces get none. A line much shorter
// than wide was ended on purpose, as in code and tables, and keeps its end.
func joinLines(lines []rawLine, wide int) string {
	var b strings.Builder
	for i, l := range lines {
		text, next := strings.TrimSpace(l.Text), ""
		if i+1 < len(lines) {
			next = strings.TrimSpace(lines[i+1].Text)
		}
		glue := " "
		last, _ := utf8.DecodeLastRuneInString(text)
		first, _ := utf8.DecodeRuneInString(next)
		switch {
		case last == '\u00AD':
			glue = ""
		case last == '-' && hyphenated(text) && unicode.IsLower(first):
			text, glue = strings.TrimSuffix(text, "-"), ""
		case utf8.RuneCountInString(text)*10 < wide*6:
			glue = "\n"
		case spaceless(last) && spaceless(first):
			glue = ""
		}
		b.WriteString(text)
		b.WriteString(glue)
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\u00AD", ""))
}

// hyphenated tells whether the hyphen at the end divides a word: a letter
// before it, and no other hyphen in the same word.
func hyphenated(s string) bool {
	s = strings.TrimSuffix(s, "-")
	word := s[strings.LastIndexAny(s, " \t")+1:]
	r, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsLower(r) && !strings.Contains(word, "-")
}

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || '\u3000' <= r && r <= '\u303F' || '\uFF00' <= r && r <= '\uFF0F'
}

// joinPages mends paragraphs that a page break cut: the first half does not end
// a sentence and the second begins in lower case. They keep the first page.
func joinPages(blocks []Block) []Block {
	const longest = 8 << 10 // of a paragraph that is still mended, in bytes
	var out []Block
	for _, b := range blocks {
		if n := len(out); n > 0 && len(out[n-1].Text) < longest && b.Kind == KindParagraph && out[n-1].Kind == KindParagraph && b.Page == out[n-1].Page+1 {
			first, _ := utf8.DecodeRuneInString(b.Text)
			if unicode.IsLower(first) && !endsSentence(out[n-1].Text) {
				out[n-1].Text = joinLines([]rawLine{{Text: out[n-1].Text}, {Text: b.Text}}, 0)
				continue
			}
		}
		out = append(out, b)
	}
	return out
}
