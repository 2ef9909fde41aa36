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

// What each function costs on 2n is at most 2.6 times what it costs on n, and never
// a second.
func TestAbsurdInputTakesLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, a := range absurd {
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
			var once, twice time.Duration
			for try := range 5 { // the machine has others to serve
				once, twice = fastest(try+1, f, repeated(a.unit, 50_000)), fastest(try+1, f, repeated(a.unit, 100_000))
				if linear(once, twice) {
					break
				}
			}
			if !linear(once, twice) {
				t.Errorf("%s of %s: %v, twice as much %v", what, a.name, once, twice)
			}
		}
	}
}

// linear tells whether the second of two times, for twice the input, is one of work
// that grows with the input. Below 50 ms the clock decides, not the work.
func linear(once, twice time.Duration) bool {
	return twice < 50*time.Millisecond || twice < 3*time.Second && float64(twice) <= 3.2*float64(once)
}

func repeated(unit string, n int) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }

func fastest(runs int, f func(string), s string) time.Duration {
	best := time.Hour
	for range runs {
		began := time.Now()
		f(s)
		best = min(best, time.Since(began))
		if best > 300*time.Millisecond {
			break
		}
	}
	return best
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
			if took := time.Since(began); took > 10*time.Second || len(got) > 8*len(md) {
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
