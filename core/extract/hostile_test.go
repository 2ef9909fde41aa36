package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Input that makes parsers recurse, backtrack or blow up is read or refused in
// time that grows with its length only. The limit is far above what is needed,
// and far below what quadratic work would take.
func TestHostile(t *testing.T) {
	n := 50_000
	if testing.Short() {
		n = 10_000
	}
	rows := []struct{ name, mediaType, body string }{
		{"nested tags", "text/html", strings.Repeat("<div>", n) + "text"},
		{"nested inline tags", "text/html", strings.Repeat("<b><i>", n) + "text"},
		{"nested tables", "text/html", strings.Repeat("<table><tr><td>", n) + "text"},
		{"nested lists", "text/html", strings.Repeat("<ul><li>", n) + "text"},
		{"unclosed attributes", "text/html", strings.Repeat("<a b='", n) + "text"},
		{"wide table", "text/html", "<table><tr>" + strings.Repeat("<td colspan=1000 rowspan=60000>x", 500) + "</table>text"},
		{"many headings", "text/html", strings.Repeat("<h2 id=a>x</h2>", n/4) + "text"},
		{"quotes", "text/markdown", strings.Repeat(">", n) + "text\n\n" + strings.Repeat(">", n)},
		{"lists in lists", "text/markdown", strings.Repeat("- ", n) + "text"},
		{"staircase", "text/markdown", staircase(3000) + "text"},
		{"brackets", "text/markdown", strings.Repeat("[", n) + "text" + strings.Repeat("](", n)},
		{"stars", "text/markdown", strings.Repeat("**a *", n) + "text"},
		{"backticks", "text/markdown", strings.Repeat("`` ` ", n) + "text"},
		{"heading of marks", "text/markdown", "# " + strings.Repeat("[*`<", n) + "text"},
		{"many headings", "text/markdown", strings.Repeat("# a\n", n) + "text"},
		{"table of pipes", "text/markdown", strings.Repeat("|", n) + "\n" + strings.Repeat("|-", n) + "\n" + strings.Repeat("|", n) + "text"},
		{"lines of table", "text/markdown", "|a|b|\n|-|-|\n" + strings.Repeat("|x|y|\n", n) + "|text|"},
		{"one line", "text/markdown", strings.Repeat("word ", 4*n) + "text"},
		{"one word", "text/plain", strings.Repeat("x", 10*n) + "text"},
		{"comments", "text/markdown", strings.Repeat("<!--", n) + "text"},
		{"front matter", "text/markdown", "---\n" + strings.Repeat("a: b\n", n) + "text"},
		{"nested arrays", "application/json", strings.Repeat("[", n) + `"text"`},
		{"nested objects", "application/json", strings.Repeat(`{"a":`, n) + `"text"`},
		{"long keys", "application/json", strings.Repeat(`{"`+strings.Repeat("k", 5000)+`":`, 190) + `["text"` + strings.Repeat(",1", n) + "]" + strings.Repeat("}", 190)},
		{"many values", "application/json", "[" + strings.Repeat("1,", 4*n) + `"text"]`},
		{"quotes", "text/csv", strings.Repeat(`"`, n) + "text"},
		{"commas", "text/csv", strings.Repeat(",", n) + "text\n" + strings.Repeat("x,", n)},
		{"blank lines", "text/x-go", strings.Repeat("\nx\n", n) + "text"},
		{"backticks", "text/x-go", strings.Repeat("`", n) + "text"},
	}
	x := newExtractor(t, "", Limits{})
	for _, row := range rows {
		t.Run(row.mediaType+"/"+row.name, func(t *testing.T) {
			start := time.Now()
			c, err := x.Text(t.Context(), "x", row.mediaType, row.body)
			if took := time.Since(start); took > 60*time.Second {
				t.Errorf("took %s", took)
			} else if took > 3*time.Second {
				t.Logf("took %s", took)
			}
			if err != nil {
				if k := core.KindOf(err); k != core.KindInvalid && k != core.KindTooLarge {
					t.Errorf("kind %q: %v", k, err)
				}
				return
			}
			found := false
			for _, b := range c.Blocks {
				found = found || strings.Contains(b.Text, "text")
			}
			if !found && row.name != "unclosed attributes" {
				t.Errorf("the text is lost: %d blocks", len(c.Blocks))
			}
		})
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*i) + "- a\n")
	}
	return b.String()
}
