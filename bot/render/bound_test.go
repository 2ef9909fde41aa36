package render

import (
	"strings"
	"testing"
	"time"
)

// absurd inputs have corners in which a parser could look ahead again and again.
var absurd = []struct{ name, unit string }{
	{"links", "[x]("}, {"titles", `[x](a "`}, {"brackets", "["}, {"closing brackets", "]"}, {"nested links", "[a"}, {"images", "!["},
	{"stars", "**"}, {"openers", "**a "}, {"mixed markers", "*a_ "}, {"strikes", "~~a"}, {"underscores", "_a"},
	{"quotes", ">>>>"}, {"deep quotes", "> "}, {"lists", "- "}, {"numbers", "1. "}, {"bars", "|"}, {"rows", "|a|b\n"}, {"ticks", "`"}, {"rising ticks", "``a`b```c"},
	{"comments", "<!--"}, {"angles", "<"}, {"tags", "<a href="}, {"addresses", "https://e.com/"}, {"mails", "a@b.com"}, {"calls", "@channel"}, {"references", "[a]: x\n"},
	{"entities", "&amp;"}, {"half entities", "&"}, {"backslashes", "\\"}, {"fences", "```\n"}, {"headings", "#"}, {"breaks", "<br>"}, {"wide", "今**天**"}, {"emoji", "👨‍👩‍👧"}, {"combining", "\u0301"}, {"slack", "<https://e.com|x>"}, {"dots", "www."}, {"invalid", "\xff"},
}

// Each function ends on 200,000 bytes within a time that is far above what linear work
// needs, also on a busy machine, and far below what quadratic work does.
func TestAbsurdInputTakesLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, a := range absurd {
		text := strings.Repeat(a.unit, 200_000/len(a.unit))
		for what, f := range map[string]func(string){
			"mrkdwn":  func(s string) { Render(Mrkdwn, s) },
			"block":   func(s string) { Render(MarkdownBlock, s) },
			"discord": func(s string) { Render(Discord, s) },
			"settle":  func(s string) { Settle(s) },
			"split":   func(s string) { Split(s, DiscordContent) },
			"stream": func(s string) {
				w := NewStream(Discord, func(string) {})
				for len(s) > 0 {
					n := min(len(s), 8)
					w.Write(s[:n])
					s = s[n:]
				}
				w.Close()
			},
		} {
			began := time.Now()
			f(text)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s of %s: %v", what, a.name, took)
			}
		}
	}
}

// Blank lines, lines of rows and deep nesting cost what they are long.
func TestAbsurdShapes(t *testing.T) {
	for name, md := range map[string]string{
		"deep list, blank lines": strings.Repeat("- ", 20_000) + "a" + strings.Repeat("\n", 60_000),
		"deep quote, many lines": strings.Repeat("> ", 20_000) + "a\n" + strings.Repeat("> > > b\n", 8000),
		"wide table":             strings.Repeat("a|", 5000) + "\n" + strings.Repeat("-|", 5000) + "\n" + strings.Repeat("|\n", 40_000),
		"long cell":              "|a|b|\n|-|-|\n|" + strings.Repeat("x", 50_000) + "|y|\n" + strings.Repeat("|1|2|\n", 8000),
		"one long line":          strings.Repeat("word *em* `code` [x](https://e.com) ", 3000),
		"definitions":            strings.Repeat("[a]: https://e.com 'x\n", 5000),
	} {
		for d := Mrkdwn; d <= Plain; d++ {
			began := time.Now()
			got := Render(d, md)
			if took := time.Since(began); took > time.Minute || len(got) > 8*len(md) {
				t.Errorf("%s in %d: %v, %d bytes of %d", name, d, took, len(got), len(md))
			}
		}
	}
}

func TestTooLongIsText(t *testing.T) {
	md := strings.Repeat("**a** <!channel> & @here\n", maxInput/20)
	got := Render(Mrkdwn, md)
	if strings.Contains(got, "<") || strings.Contains(got, "@here") || len(got) < len(md) {
		t.Errorf("%.200q", got)
	}
}
