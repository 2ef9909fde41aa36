package render

import (
	"strings"
	"testing"
)

func seeds(f *testing.F) {
	for _, a := range absurd {
		f.Add(strings.Repeat(a.unit, 5))
	}
	for _, p := range parts {
		f.Add("a " + p + " b")
	}
	for _, row := range streamRows {
		f.Add(row.in)
	}
	f.Add("# T\n\n> - a **b**\n>   1. c\n\n| a | b |\n|---|--:|\n| `x` | 今天 |\n\n```go\n<!channel>\n```\n")
}

// FuzzRender: no dialect lets a token through, whatever it is given.
func FuzzRender(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, md string) {
		for d := Mrkdwn; d <= Plain; d++ {
			got := Render(d, md)
			if d == Mrkdwn {
				checkSafe(t, d, md, got)
			}
			Draft(d, md)
		}
	})
}

// FuzzSplit: nothing is lost, no piece is too long.
func FuzzSplit(f *testing.F) {
	for _, p := range splitParts {
		f.Add(strings.Repeat(p, 9), uint16(40), true)
	}
	f.Fuzz(func(t *testing.T, text string, n uint16, runes bool) {
		l := Limit{16 + int(n%3000), UTF16}
		if runes {
			l.Count = Runes
		}
		checkSplit(t, text, l)
	})
}

// FuzzStream: however it is cut, the same goes out.
func FuzzStream(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, md string) {
		for _, d := range []Dialect{MarkdownBlock, Discord} {
			var letters []string
			for i := range len(md) {
				letters = append(letters, md[i:i+1])
			}
			if whole, cut := streamed(t, d, md), streamed(t, d, letters...); whole != cut {
				t.Errorf("%d: %q\nwhole %q\ncut   %q", d, md, whole, cut)
			}
		}
	})
}
