package render

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func streamed(t *testing.T, d Dialect, pieces ...string) string {
	t.Helper()
	var b strings.Builder
	whole := utf8.ValidString(strings.Join(pieces, ""))
	s := NewStream(d, func(piece string) {
		if piece == "" || whole && !utf8.ValidString(piece) {
			t.Errorf("piece %q", piece)
		}
		b.WriteString(piece)
	})
	for _, p := range pieces {
		s.Write(p)
	}
	s.Close()
	return b.String()
}

var streamRows = []struct{ name, in, slack, discord string }{
	{"text", "Plain *text*, **bold** 1 < 2 & 3 > 2", "Plain *text*, **bold** 1 &lt; 2 & 3 &gt; 2", "Plain *text*, **bold** 1 < 2 & 3 > 2"},
	{"mentions", "<@U1> <!channel> <!subteam^S1|@x> <#C1> @channel @HERE @everyone", "&lt;@U1&gt; &lt;!channel&gt; &lt;!subteam^S1|@\u200bx&gt; &lt;#C1&gt; @\u200bchannel @\u200bHERE @\u200beveryone", "<@U1> <!channel> <!subteam^S1|@x> <#C1> @\u200bchannel @\u200bHERE @\u200beveryone"},
	{"no mention", "a@b.com @heron @", "a@b.com @heron @", "a@b.com @heron @"},
	{"link", "[T](https://e.com/a_(b)) [[1]](https://e.com)", "[T](https://e.com/a_(b)) [[1]](https://e.com)", "[T](<https://e.com/a_(b)>) [[1]](<https://e.com>)"},
	{"no link", "[1] [x] [y](z) f[0](n)", "[1] [x] [y](z) f[0](n)", "[1] [x] [y](z) f[0](n)"},
	{"what no platform opens", "so [[1]](file:///w/a.md), [b](<file:///w/b c.md>) [c](javascript:x(1)) [](/d)", "so [1], b c ", "so [1], b c "},
	{"parts of a word that calls everybody", "[@every](file:///x)one @[here](file:///x) @chan[](file:///x)nel [@](a.md)here", "@every\u200bone @\u200bhere @chan\u200bnel @\u200bhere", "@every\u200bone @\u200bhere @chan\u200bnel @\u200bhere"},
	{"parts of an address", "[h](file:///x)ttps://e.com [[1]](file:///x)(https://e.com)", "h\u200bttps://e.com [1]\u200b(https://e.com)", "h\u200bttps://e.com [1]\u200b(<https://e.com>)"},
	{"inside what no platform opens", "[https://e.com/x](file:///x) [a [b](https://e.com) <https://e.com|c>](file:///x) [> q](file:///x)", "https://e.com/x a [b](https://e.com) [c](https://e.com) &gt; q", "<https://e.com/x> a [b](<https://e.com>) [c](<https://e.com>) > q"},
	{"pictures", "![a](https://e.com/i) ![b](file:///x) [![c](https://e.com/i)](file:///x) no![", "[a](https://e.com/i) b [c](https://e.com/i) no![", "[a](<https://e.com/i>) b [c](<https://e.com/i>) no!["},
	{"Slack's link", "<https://e.com/a|T> <https://e.com>", "[T](https://e.com/a) <https://e.com>", "[T](<https://e.com/a>) <https://e.com>"},
	{"bare", "see https://e.com/a. Then", "see https://e.com/a. Then", "see <https://e.com/a>. Then"},
	{"quote", "> a > b\n>>> c", "> a &gt; b\n&gt;&gt;&gt; c", "> a > b\n\\>>> c"},
	{"code", "`<!channel> [x](y)` and\n```go\na < b @here\n```\n@here", "`&lt;!channel&gt; [x](y)` and\n```go\na &lt; b @\u200bhere\n```\n@\u200bhere", "`<!channel> [x](y)` and\n```go\na < b @\u200bhere\n```\n@\u200bhere"},
	{"break", "a<br>b", "a\nb", "a\nb"},
	{"letters", "今天 é 👍", "今天 é 👍", "今天 é 👍"},
	{"escapes", "\\`@here\\`", "\\`@\u200bhere\\`", "\\`@\u200bhere\\`"},
}

func TestStream(t *testing.T) {
	for _, row := range streamRows {
		t.Run(row.name, func(t *testing.T) {
			if got := streamed(t, MarkdownBlock, row.in); got != strings.ReplaceAll(row.slack, "@\u200bx", "@x") {
				t.Errorf("slack\ngot  %q\nwant %q", got, row.slack)
			}
			if got := streamed(t, Discord, row.in); got != row.discord {
				t.Errorf("discord\ngot  %q\nwant %q", got, row.discord)
			}
		})
	}
}

// However an answer is cut, the same goes out, and nothing of it can notify.
func TestStreamMixtures(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 20_000 {
		md := mixture(r, 14)
		for _, d := range []Dialect{MarkdownBlock, Discord} {
			whole := streamed(t, d, md)
			var cut []string
			for rest := md; rest != ""; {
				n := 1 + r.IntN(len(rest))
				cut, rest = append(cut, rest[:n]), rest[n:]
			}
			if got := streamed(t, d, cut...); got != whole {
				t.Fatalf("%d: %q\nwhole %q\ncut   %q", d, md, whole, got)
			}
			if got := streamed(t, d, strings.Split(md, "")...); got != whole {
				t.Fatalf("%d: %q\nwhole %q\nletters %q", d, md, whole, got)
			}
			if d == MarkdownBlock {
				checkSafe(t, d, "stream of "+md, whole)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// deadParts are halves of links that no platform opens, and what must not be made by
// leaving them out.
var deadParts = []string{"[", "](file:///x)", "](a.md)", "[](file:///x)", "](https://e.com)", "(https://e.com)", "!", "@", "every", "one", "he", "re", "h", "ttps://e.com", "<", ">", "`", "\\", " ", "\n", "\u200b", "(", ")", "<br>"}

// Leaving out what no platform opens makes no word that calls everybody, however the
// answer is cut.
func TestStreamWithoutDeadLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 60_000 {
		var pieces []string
		for range 1 + r.IntN(12) {
			pieces = append(pieces, deadParts[r.IntN(len(deadParts))])
		}
		md := strings.Join(pieces, "")
		for _, d := range []Dialect{MarkdownBlock, Discord} {
			whole := streamed(t, d, md)
			if got := streamed(t, d, pieces...); got != whole {
				t.Fatalf("%d: %q\nwhole %q\ncut   %q", d, md, whole, got)
			}
			if got := streamed(t, d, strings.Split(md, "")...); got != whole {
				t.Fatalf("%d: %q\nwhole %q\nletters %q", d, md, whole, got)
			}
			if strings.Contains(whole, "@everyone") || strings.Contains(whole, "@here") {
				t.Fatalf("%d: %q\ncalls everybody: %q", d, md, whole)
			}
		}
	}
}

// No piece ends inside a link, an address or a word that calls everybody.
func TestStreamHoldsBack(t *testing.T) {
	for _, d := range []Dialect{MarkdownBlock, Discord} {
		var pieces []string
		s := NewStream(d, func(p string) { pieces = append(pieces, p) })
		for _, c := range "See [the notes](https://e.com/r), https://e.com/a/b and `x y` or @everyone <https://e.com|z>. " {
			s.Write(string(c))
		}
		s.Close()
		for _, p := range pieces {
			if len(p) == 1 {
				continue
			}
			if !strings.HasPrefix(p, "[") && !strings.Contains(p, "https://e.com/a/b") && !strings.HasPrefix(p, "`x y`") && !strings.HasPrefix(p, "@\u200b") && !strings.HasPrefix(p, "<https") {
				t.Errorf("%d: the piece %q", d, p)
			}
		}
	}
}

var settleRows = []struct{ name, in, want string }{
	{"whole", "All **of** it.", "All **of** it."},
	{"open bold", "All **of i", "All **of i**"},
	{"open bold and italic", "a **b *c", "a **b *c***"},
	{"marker alone", "All **", "All"},
	{"half a marker", "All **of*", "All **of**"},
	{"strike", "~~gone", "~~gone~~"},
	{"code", "run `make in", "run `make in`"},
	{"tick alone", "run `", "run "},
	{"half a link", "see [the no", "see "},
	{"half a target", "see [the notes](https://e.c", "see "},
	{"a link", "see [the notes](https://e.com)", "see [the notes](https://e.com)"},
	{"half an image", "see ![the", "see "},
	{"brackets that are text", "see [x] and", "see [x] and"},
	{"a citation that may become a link", "so [[1]]", "so "},
	{"half an address", "see https://e.co", "see "},
	{"an angle", "see <https://e.c", "see "},
	{"a mention", "ask @every", "ask "},
	{"fence", "a\n```go\nx := 1\n", "a\n```go\nx := 1\n```"},
	{"half a fence's end", "```go\nx := 1\n``", "```go\nx := 1\n```"},
	{"half a fence's beginning", "a\n\n```g", "a"},
	{"table's heading", "a\n\n| A | B |\n|--", "a\n\n"},
	{"half a row", "| A | B |\n|---|---|\n| 1 | 2 |\n| 3 ", "| A | B |\n|---|---|\n| 1 | 2 |"},
	{"half an item", "a\n- ", "a\n"},
	{"half a letter", "caf\xc3", "caf"},
	{"a number", "it is 42", "it is 42"},
	{"arithmetic", "2 * 3", "2 * 3"},
}

func TestSettle(t *testing.T) {
	for _, row := range settleRows {
		t.Run(row.name, func(t *testing.T) {
			if got := Settle(row.in); strings.TrimRight(got, " \n") != strings.TrimRight(row.want, " \n") {
				t.Errorf("%q\ngot  %q\nwant %q", row.in, got, row.want)
			}
		})
	}
}

// Growing letter by letter, a draft shows no half of anything.
func TestDraftsOfAnAnswer(t *testing.T) {
	answer := "## Plan\n\nUse **the [new tool](https://e.com/t)** now[[1]](https://e.com/d).\n\n```go\nx := 1\n```\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n- one `code`\n- two https://e.com/x\n\n> *quote*\n"
	for i := range len(answer) {
		got := Draft(Mrkdwn, answer[:i])
		if strings.Count(got, "```")%2 != 0 || strings.Contains(got, "**") || strings.Contains(got, "](") || strings.Contains(got, "|---") {
			t.Errorf("after %q: %q", answer[:i], got)
		}
	}
	if got, want := Draft(Discord, answer), Render(Discord, answer); got != want {
		t.Errorf("the whole\ngot  %q\nwant %q", got, want)
	}
}

func TestLabel(t *testing.T) {
	for _, row := range []struct{ in, slack, block, discord string }{
		{"Plain title", "Plain title", "Plain title", "Plain title"},
		{"R&D <b> a|b", "R&amp;D &lt;b&gt; a|b", `R&D &lt;b&gt; a\|b`, `R&D <b> a\|b`},
		{"a\nb\tc\x00d", "a b cd", "a b cd", "a b cd"},
		{"evil\u202etxt.exe", "eviltxt.exe", "eviltxt.exe", "eviltxt.exe"},
		{"@channel [x](https://e.com)", "@\u200bchannel [x](https://e\u2060.com)", "@\u200bchannel \\[x\\](https://e\u2060.com)", "@\u200bchannel \\[x\\](https://e\u2060.com)"},
		{"*a* `b`", "∗a∗ ˋbˋ", "\\*a\\* \\`b\\`", "\\*a\\* \\`b\\`"},
		{"", "", "", ""},
		{strings.Repeat("é́", 100), strings.Repeat("é́", 79) + "…", strings.Repeat("é́", 79) + "…", strings.Repeat("é́", 79) + "…"},
	} {
		for d, want := range map[Dialect]string{Mrkdwn: row.slack, MarkdownBlock: row.block, Discord: row.discord} {
			if got := Label(d, row.in); got != want {
				t.Errorf("%d: %q\ngot  %q\nwant %q", d, row.in, got, want)
			}
		}
	}
}
