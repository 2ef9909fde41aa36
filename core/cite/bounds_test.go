package cite

import (
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestPlainTextIsNeverHeld(t *testing.T) {
	rows := []struct{ name, text string }{
		{"words", "Refunds take 14 days, see the portal."},
		{"signs", "a*b _c_ 5% \"d\" 'e' – f / g > h = {i} k"},
		{"closers", "a] b) c} d】"},
		{"chinese", "退款需要十四天，请提交申请。「好」"},
		{"emoji", "Done 👍🏽 é"},
		{"lines", "a\n- b\n1. c\n> d\n# e"},
		{"other URL", "https://other.example/x?y=1"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			shown := 0
			w := NewWriter(Options{Text: func(s string) { shown += len(s) }})
			fuzzSources(w)
			w.AddSource(5, Source{URL: "https://s.example/z", Show: core.ShowNothing})
			written := 0
			for _, c := range characters(r.text) {
				w.Write(c)
				written += len(c)
				// Blanks and the letters of a URL's beginning may wait.
				begun := strings.TrimRight(r.text[:written], " ")
				if strings.HasSuffix(begun, "h") || r.name == "other URL" && written < len("https://o") {
					continue
				}
				if shown < len(begun) {
					t.Fatalf("%d of %d bytes are out after %q", shown, written, r.text[:written])
				}
			}
		})
	}
}

func TestHoldsEndAtTheirBounds(t *testing.T) {
	rows := []struct {
		name, text string
		bound      int
	}{
		{"digits", "[" + strings.Repeat("1", 9000), maxMarker},
		{"list", "[" + strings.Repeat("1, ", 3000), maxMarker},
		{"dagger", "【1†" + strings.Repeat("x", 9000), maxMarker},
		{"openers", strings.Repeat("[", 9000), maxMarker},
		{"label", "[" + strings.Repeat("label ", 2000), maxMarker},
		{"image", "![" + strings.Repeat("label ", 2000), maxMarker},
		{"target", "[1](" + strings.Repeat("a", 9000), maxTarget + 8},
		{"label target", "[x](" + strings.Repeat("a", 9000), maxTarget + 8},
		{"code", "`" + strings.Repeat("a", 9000), maxMarker},
		{"backticks", strings.Repeat("`", 9000), maxMarker},
		{"maths", "$$ [" + strings.Repeat("a", 9000), maxMarker},
		{"URL", "http://s.example/c?x=1" + strings.Repeat(".", 9000), maxTarget},
		{"fragment", "http://s.example/c?x=1#" + strings.Repeat("a", 9000), maxTarget},
		{"blanks", "a" + strings.Repeat(" ", 9000), maxTail},
		{"parentheses", strings.Repeat("(", 9000), maxTail},
		{"blanks after a deletion", "a [3]" + strings.Repeat(" ", 9000), 2 * maxTail},
		{"deletions at a line start", strings.Repeat(" [3]", 5000), 2 * maxTail},
		{"deletions in parentheses", "(" + strings.Repeat("[3], ", 3000), 2 * maxTail},
		{"list in parentheses", "([3]" + strings.Repeat(", ", 9000), 2 * maxTail},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := write(Options{}, r.text, func() int { return 1 })
			if got.longest > r.bound+8 {
				t.Errorf("%d bytes were held, the bound is %d", got.longest, r.bound)
			}
			if got.longest < 2 {
				t.Errorf("nothing was held: the row tests nothing")
			}
		})
	}
}

// slowParts are repeated to inputs that make a careless writer slow.
var slowParts = map[string]string{
	"prose": prose(200), "openers": "[", "digits": "[11111111", "lists": "[1, ", "daggers": "【1†x", "targets": "[1](a",
	"labels": "[a](b", "images": "![", "ticks": "`a``b", "parens": "([3], ", "blanks": "  [3]", "urls": "https://s.example/b_(",
	"maths": "$$[1]", "emphasis": "*a _b", "lines": "\n> - [3] ", "tildes": "\n~~~ ", "code": "```a\n", "images of targets": "![1](a",
	"code in targets": "[1](`", "code in labels": "[a`](", "angles": "<http://s.example/c?", "nested": "![[1](`<h",
}

func TestWorkIsLinear(t *testing.T) {
	for name, part := range slowParts {
		t.Run(name, func(t *testing.T) {
			const size = 20_000
			short := write(Options{}, strings.Repeat(part, size/len(part)), func() int { return 4 }).steps
			long := write(Options{}, strings.Repeat(part, 4*size/len(part)), func() int { return 4 }).steps
			if long > 5*short+1000 {
				t.Errorf("%d steps for one length, %d for four", short, long)
			}
			if long > 4*size*8 {
				t.Errorf("%.1f steps a byte", float64(long)/4/size)
			}
		})
	}
}

// Steps do not count what the sink does, so a long input has to end within a time
// that is far above what linear work needs, and far below what quadratic work does.
func TestLongInputEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, part := range slowParts {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			write(Options{}, strings.Repeat(part, 1_000_000/len(part)), func() int { return 4 })
			if took := time.Since(start); took > 3*time.Minute {
				t.Errorf("a megabyte took %s", took)
			}
		})
	}
}
