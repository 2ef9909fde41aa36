package cite

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// prose is an answer of the usual kind, repeated to at least the given number
// of tokens of about four characters.
func prose(tokens int) string {
	const part = "Refunds take **14 days** after the request [1]. The form is on the portal, see `refund[0]` " +
		"and the billing page [2, 3].\n\n- Ask support (they answer within a day) [1][2]\n- Or write a ticket [9].\n\n"
	return strings.Repeat(part, tokens*4/len(part)+1)[:tokens*4]
}

// cut splits a text into tokens of the given number of bytes.
func cut(s string, size int) []string {
	var out []string
	for len(s) > size {
		out = append(out, s[:size])
		s = s[size:]
	}
	return append(out, s)
}

func newBenchWriter(show core.Show, text func(string)) *Writer {
	w := NewWriter(Options{Text: text})
	w.AddSource(1, Source{Document: "a", URL: "https://wiki.example.com/refunds", Show: show})
	w.AddSource(2, Source{Document: "b", URL: "https://wiki.example.com/billing", Show: core.ShowLink})
	w.AddSource(3, Source{Document: "c", URL: "https://wiki.example.com/notes", Show: core.ShowLink})
	return w
}

func benchTokens(b *testing.B, r benchRow) {
	b.Helper()
	b.ReportAllocs()
	bytes := 0
	for b.Loop() {
		r.write(func(s string) { bytes += len(s) })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(r.tokens)), "ns/token")
	if bytes == 0 {
		b.Fatal("nothing was written")
	}
}

// BenchmarkWriter reads 200,000 tokens, cut in several ways, and inputs made
// to be slow. A token of the adversarial rows is one of four bytes, too.
func BenchmarkWriter(b *testing.B) {
	for _, r := range benchRows() {
		b.Run(r.name, func(b *testing.B) { benchTokens(b, r) })
	}
}

type benchRow struct {
	name   string
	tokens []string
	show   core.Show
	every  int // tokens for each writer; 0 means all
}

func benchRows() []benchRow {
	text := prose(200_000)
	return []benchRow{
		{"200k/4bytes", cut(text, 4), core.ShowLink, 0},
		{"200k/words", strings.SplitAfter(strings.Repeat("Plain words of an answer that cites nothing [1] at all ", 18182), " "), core.ShowLink, 0},
		{"200k/leading", leading(strings.Repeat(" Plain words of an answer that cites nothing [1] at all", 18182)), core.ShowLink, 0},
		{"200k/1byte", cut(text[:200_000], 1), core.ShowLink, 0},
		{"200k/16bytes", cut(strings.Repeat(text, 4), 16), core.ShowLink, 0},
		{"200k/hiding", cut(text, 4), core.ShowNothing, 0},
		{"200k/chinese", cut(strings.Repeat("退款需要十四天[1]，请在门户网站上提交申请。", 12700)[:800_000], 4), core.ShowLink, 0},
		{"100x2k/4bytes", cut(text, 4), core.ShowLink, 2000},
		{"100x2k/words", strings.SplitAfter(strings.Repeat("Plain words of an answer that cites nothing [1] at all ", 18182), " "), core.ShowLink, 2000},
		{"adversarial/digits", cut("x ["+strings.Repeat("1", 16_000), 4), core.ShowLink, 0},
		{"adversarial/openers", cut(strings.Repeat("[", 8_000), 4), core.ShowLink, 0},
		{"adversarial/openers-hiding", cut(strings.Repeat("[", 8_000), 4), core.ShowNothing, 0},
		{"adversarial/targets", cut(strings.Repeat("[1](a", 8_000), 4), core.ShowLink, 0},
		{"adversarial/targets-hiding", cut(strings.Repeat("[1](a", 8_000), 4), core.ShowNothing, 0},
		{"adversarial/labels-hiding", cut(strings.Repeat("[a](b", 8_000), 4), core.ShowNothing, 0},
		{"adversarial/images", cut(strings.Repeat("![", 8_000), 4), core.ShowLink, 0},
		{"adversarial/backticks", cut(staircase(40), 4), core.ShowLink, 0},
		{"adversarial/parens", cut(strings.Repeat("(", 8_000), 4), core.ShowLink, 0},
		{"adversarial/blanks", cut("a"+strings.Repeat(" ", 16_000), 4), core.ShowLink, 0},
		{"adversarial/urls-hiding", cut(strings.Repeat("https://wiki.example.com/refund ", 1000), 4), core.ShowNothing, 0},
		{"adversarial/math", cut("$$"+strings.Repeat("[", 8_000), 4), core.ShowLink, 0},
	}
}

// leading cuts before blanks, as most tokenizers do.
func leading(s string) []string {
	var out []string
	for _, w := range strings.Split(s, " ")[1:] {
		out = append(out, " "+w)
	}
	return out
}

// staircase opens inline code with ever longer runs that never close.
func staircase(rounds int) string {
	var b strings.Builder
	for range rounds {
		for n := 1; n < 60; n++ {
			b.WriteString(strings.Repeat("`", n) + "a")
		}
	}
	return b.String()
}

// write gives the tokens to as many writers as the row asks for.
func (r benchRow) write(text func(string)) {
	every := r.every
	if every == 0 {
		every = len(r.tokens)
	}
	for tokens := range slices.Chunk(r.tokens, every) {
		w := newBenchWriter(r.show, text)
		for _, t := range tokens {
			w.Write(t)
		}
		w.Close()
	}
}
