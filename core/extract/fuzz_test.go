package extract

import (
	"strings"
	"testing"
)

// FuzzMarkdown holds that every word of a Markdown text is in some block, in
// order, but for what is markup by itself.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext\n", "a\n===\nb\n---\n", "- a\n  - b\n\n  c\n", "```go\nx\n", "|a|b|\n|-|-|\n|1|2|\n", "> q\nlazy\n",
		"[a]: /u\n'title'\n\nb", "<div>\n*x*\n\n</div>\n", "1. a\n\n\n   b\n2) c", "\t code\n\n\n\tmore", "a\n\n    x\n\n\n",
		"~~~\n```\n~~~\n# x #\n", "---\ntitle: t\n---\n# h\n", "\n\n\n# \n#\ttab\n", "a  \n***\nb", "- [ ] x\n- [x] y\n", "* * *\n- - a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = normalise(s)
		blocks, err := markdownBlocks(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, b := range blocks {
			if strings.TrimSpace(b.Text) == "" {
				t.Fatalf("a blank block in %q", s)
			}
			all.WriteString(b.Text)
		}
		if hasMarkup(s) {
			return
		}
		if got, want := letters(all.String()), letters(s); got != want {
			t.Fatalf("got %q\nwant %q\nfrom %q", got, want, s)
		}
	})
}

// hasMarkup is where text may rightly go missing: comments, and what headings
// lose (attributes, link targets, tags).
func hasMarkup(s string) bool {
	return strings.Contains(s, "<") || strings.Contains(s, "{") || strings.Contains(s, "[") || strings.Contains(s, "&")
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r > 0x3000 && r != '\uFFFD' && r < 0xE000 {
			return r
		}
		return -1
	}, s)
}

// FuzzHTML holds that no page breaks the reader.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		"<h1 id=a>x</h1><p>y", "<table><tr><td>a<td>b<tr><th>c</table>", "<pre><code class=language-go>x</code></pre>",
		"<ul><li>a<ol><li>b</ul>", "<title>t</title><main><article>x", "\uE0F00\uE0F1<h2 id=b>q\uE0F09\uE0F1", "<svg><title>x</title></svg>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := parseHTML(t.Context(), "x", normalise(s)); err != nil {
			t.Fatal(err)
		}
	})
}
