package chunk

import (
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
	} {
		f.Add("A", s, 40)
		f.Add("", s, 512)
	}
	f.Fuzz(func(t *testing.T, title, script string, limit int) {
		limit = 32 + abs(limit)%600
		blocks := scripted(strings.ToValidUTF8(script, ""))
		passages := Split(title, extract.Content{Blocks: blocks}, Options{Tokens: limit, Passages: 1 << 30})
		var all strings.Builder
		for _, p := range passages {
			if strings.TrimSpace(p.Text) == "" {
				t.Fatal("a blank passage")
			}
			if n := Tokens(p.Text); n > 2*limit+8*60 {
				t.Fatalf("a passage of %d tokens, limit %d", n, limit)
			}
			all.WriteString(p.Heading + p.Text)
		}
		got := squeeze(all.String())
		for _, b := range blocks {
			if b.Kind == extract.KindHeading && strings.EqualFold(oneLine(title), oneLine(b.Text)) {
				continue
			}
			if want := squeeze(b.Text); !strings.Contains(got, want) && !inOrder(got, want) {
				t.Fatalf("lost %q of\n%q", b.Text, got)
			}
		}
	})
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
