package chunk

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/footnote-bot/footnote/core/extract"
)

// FuzzSplit holds that every block's text is in the passages, in order, that no
// passage is blank or much over the limit, and that pages are kept.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"h1 A\np text\nh2 B\np more\nh2 C\nh3 D\n", "t |a|b|\nt |-|-|\nt |1|2|\n", "c ```go\nc x\nc ```\n", "l - a\nl   b\nl - c",
		"h9 deep\nh0 none\nh1 A\nh1 A\nh1 A\np x", "r Columns: a\nr a=1\n", "p " + repeat("lorem ipsum.", 300), "c " + repeat("x", 900),
		"t |" + repeat("wide", 400) + "|\nt |-|\nt |x|", "h2 " + repeat("long heading", 60) + "\np x", "p 汉字。汉字。\np ไทย\n", "c ~~~\nc a\n\nc b",
		"c ```\nc " + strings.Repeat("z", 300) + "\nc ```go\nc ```go",
	} {
		f.Add("A", s, 40)
		f.Add("", s, 512)
	}
	f.Fuzz(func(t *testing.T, title, script string, limit int) {
		checkSplit(t, title, strings.ToValidUTF8(script, ""), 32+abs(limit)%600)
	})
}

// TestSplitRandom holds the same of documents thrown together from awkward parts.
func TestSplitRandom(t *testing.T) {
	parts := []string{
		"h1 A\n", "h2 B\n", "h3 C\n", "h6 D\n", "h1 T\n", "h2 " + strings.Repeat("y", 250) + "\n", "p x\n",
		"p " + strings.Repeat("lorem ipsum. ", 60) + "\n", "p 汉字。汉字\n", "c ```go\n", "c ```\n", "c ~~~~x\n", "c \n",
		"c " + strings.Repeat("z", 300) + "\n", "t |a|b|\n", "t |-|-|\n", "t |" + strings.Repeat("w ", 200) + "|\n",
		"l - a\n", "l   b\n", "r Columns: a\n", "r a=1\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range 1 + random.IntN(25) {
			b.WriteString(strings.Repeat(parts[random.IntN(len(parts))], 1+random.IntN(3)))
		}
		checkSplit(t, "T", b.String(), 32+random.IntN(600))
	}
}

func checkSplit(t *testing.T, title, script string, limit int) {
	t.Helper()
	blocks := scripted(script)
	passages := Split(title, extract.Content{Blocks: blocks}, Options{Tokens: limit, Passages: 1 << 30})
	var all strings.Builder
	for _, p := range passages {
		if strings.TrimSpace(p.Text) == "" {
			t.Fatalf("a blank passage from %q", script)
		}
		if n := Tokens(p.Text); n > 2*limit+8*60 {
			t.Fatalf("a passage of %d tokens, limit %d, from %q", n, limit, script)
		}
		all.WriteString(p.Heading + p.Text)
	}
	got := squeeze(all.String())
	for _, b := range blocks {
		if b.Kind == extract.KindHeading && strings.EqualFold(oneLine(title), oneLine(b.Text)) {
			continue
		}
		if want := squeeze(b.Text); !strings.Contains(got, want) && !inOrder(got, want) {
			t.Fatalf("lost %q, limit %d, from %q", b.Text, limit, script)
		}
	}
}

// scripted makes blocks of lines like "h2 Heading" and "p paragraph"; lines of
// one kind that follow each other are one block.
func scripted(script string) []extract.Block {
	kinds := map[byte]extract.Kind{
		'h': extract.KindHeading, 'p': extract.KindParagraph, 't': extract.KindTable, 'c': extract.KindCode,
		'l': extract.KindList, 'r': extract.KindRows,
	}
	var out []extract.Block
	for line := range strings.SplitSeq(script, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if word == "" || kinds[word[0]] == "" {
			continue
		}
		b := extract.Block{Kind: kinds[word[0]], Text: rest}
		if b.Kind == extract.KindHeading {
			b.Level = 1
			if len(word) > 1 {
				b.Level = int(word[1]) - '0'
			}
		} else if n := len(out); n > 0 && out[n-1].Kind == b.Kind {
			out[n-1].Text += "\n" + rest
			continue
		}
		out = append(out, b)
	}
	return out
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// inOrder tells whether all of want's characters occur in got in their order,
// which is what is left of a block that was cut and got headers between.
func inOrder(got, want string) bool {
	for _, r := range want {
		i := strings.IndexRune(got, r)
		if i < 0 {
			return false
		}
		got = got[i:][len(string(r)):]
	}
	return true
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
