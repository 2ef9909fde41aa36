package render

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

var splitParts = []string{
	"word ", "another word. ", "\n", "\n\n", "`inline code` ", "[label with blanks](<https://e.com/a_(b)>)", "<https://e.com/x|the label> ", "[[12]](https://e.com/d)", "&amp;", "&lt;", "https://e.com/a_(b)/c ",
	"\n```go\nx := 1\n\ny := 2\n```\n", "> quoted\n", "\n> ```\n> a\n> b\n> ```\n", "• item\n", "  • deeper\n", "今天天气很好。", "👨‍👩‍👧", "🇵🇱", "é́", "x", "[", "](", "`", "<", "\\*", "very_long_word_without_any_place_to_cut ", "\n```\n", "\t",
}

// squeeze drops what a splitter may drop and add: blanks, fences and the quote
// marks before them.
func squeeze(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if f := opening(strings.TrimRight(line, "\n")); f == nil || len(f.open)-len(f.close) > 10 {
			b.WriteString(line)
		}
	}
	return strings.Join(strings.Fields(b.String()), "")
}

func TestSplitKeepsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(25) {
			b.WriteString(splitParts[r.IntN(len(splitParts))])
		}
		checkSplit(t, b.String(), Limit{20 + r.IntN(80), Count(r.IntN(2))})
		if t.Failed() {
			return
		}
	}
}

func checkSplit(t *testing.T, text string, l Limit) {
	t.Helper()
	pieces := Split(text, l)
	for _, p := range pieces {
		if n := l.Len(p); n > l.N {
			t.Errorf("%q at %v: %q has %d", text, l, p, n)
		}
		if !utf8.ValidString(p) && utf8.ValidString(text) {
			t.Errorf("%q at %v: %q cuts a character", text, l, p)
		}
	}
	if got, want := squeeze(strings.Join(pieces, "\n")), squeeze(text); got != want {
		t.Errorf("%q at %v\nleaves %q\nof     %q\npieces %q", text, l, got, want, pieces)
	}
}

// Where there is room, a piece has whole tokens and closed fences.
func TestSplitKeepsTokensWhole(t *testing.T) {
	whole := []string{"`inline code`", "[label with blanks](<https://e.com/a_(b)>)", "<https://e.com/x|the label>", "[[12]](https://e.com/d)", "&amp;", "https://e.com/a_(b)/c", "👨‍👩‍👧", "🇵🇱"}
	r := rand.New(rand.NewPCG(9, 10))
	for range 5000 {
		var b strings.Builder
		counts := map[string]int{}
		for range 2 + r.IntN(20) {
			w := whole[r.IntN(len(whole))]
			counts[w]++
			b.WriteString([]string{"some words ", "some words\n", "一些文字", "\n\n", ""}[r.IntN(5)] + w + " ")
		}
		l := Limit{60 + r.IntN(40), UTF16}
		pieces := Split(b.String(), l)
		for w, n := range counts {
			got := 0
			for _, p := range pieces {
				got += strings.Count(p, w)
			}
			if got < n {
				t.Fatalf("%q at %v: %d of %d %q are whole in %q", b.String(), l, got, n, w, pieces)
			}
		}
	}
}

func TestSplitClosesFences(t *testing.T) {
	code := "intro\n```python\n" + strings.Repeat("print('line')\n\n", 40) + "```\nend"
	for n := 40; n < 200; n += 7 {
		for _, p := range Split(code, Limit{n, Runes}) {
			if strings.Count(p, "```")%2 != 0 {
				t.Errorf("at %d: %q", n, p)
			}
			if strings.Contains(p, "print") && !strings.Contains(p, "```python\n") {
				t.Errorf("at %d the language is lost: %q", n, p)
			}
		}
		checkSplit(t, code, Limit{n, Runes})
	}
}

func TestSplitMarkdownFits(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		md := strings.Repeat(mixture(r, 60)+"\n\n", 3)
		for d := Mrkdwn; d <= Plain; d++ {
			l := Limit{300, Count(r.IntN(2))}
			for _, piece := range SplitMarkdown(d, md, l) {
				if n := l.Len(Render(d, piece)); n > l.N {
					t.Errorf("%d: %q renders to %d of %d", d, piece, n, l.N)
				}
			}
		}
	}
}

func TestSplitMarkdownRepeatsTableHeads(t *testing.T) {
	md := "Intro.\n\n| Name | Value |\n|---|---|\n" + strings.Repeat("| some name | some value & more |\n", 60) + "\nEnd."
	for d := Mrkdwn; d <= Plain; d++ {
		pieces := SplitMarkdown(d, md, Limit{600, UTF16})
		if len(pieces) < 3 {
			t.Fatalf("%d: only %d pieces", d, len(pieces))
		}
		rows := 0
		for _, p := range pieces {
			if strings.Contains(p, "some name") && !strings.Contains(p, "| Name | Value |\n|---|---|\n") {
				t.Errorf("%d: no heading in %q", d, p)
			}
			rows += strings.Count(p, "some name")
		}
		if rows != 60 {
			t.Errorf("%d: %d of 60 rows", d, rows)
		}
	}
}

func TestSplitOfNothing(t *testing.T) {
	for _, text := range []string{"", " ", "\n\n"} {
		if got := Split(text, Limit{10, Runes}); len(got) != 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := Split("abc", Limit{0, Runes}); len(got) != 3 {
		t.Errorf("limit 0: %q", got)
	}
}
