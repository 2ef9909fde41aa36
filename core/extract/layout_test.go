package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func linesOf(texts ...string) []rawLine {
	var out []rawLine
	for i, s := range texts {
		out = append(out, rawLine{Text: s, Left: 50, Bottom: 700 - 14*float64(i), Height: 11})
	}
	return out
}

func TestJoinLines(t *testing.T) {
	rows := []struct {
		lines []string
		want  string
	}{
		{[]string{"one two", "three"}, "one two three"},
		{[]string{"depart-", "ment"}, "department"},
		{[]string{"depart\u00AD", "ment"}, "department"},
		{[]string{"well-known-", "author"}, "well-known- author"},
		{[]string{"range 3-", "5"}, "range 3- 5"},
		{[]string{"Anglo-", "Saxon"}, "Anglo- Saxon"},
		{[]string{"差旅费", "报销"}, "差旅费报销"},
		{[]string{"使用 API", "报销"}, "使用 API 报销"},
		{[]string{"soft\u00ADhyphen"}, "softhyphen"},
	}
	for _, row := range rows {
		if got := joinLines(linesOf(row.lines...), 0); got != row.want {
			t.Errorf("%q: %q, want %q", row.lines, got, row.want)
		}
	}
	if got := joinLines(linesOf("Country Allowance", "France 53 euros", "A line that is as long as the others on this page are"), 50); strings.Count(got, "\n") != 2 {
		t.Errorf("rows run together: %q", got)
	}
}

func TestLayOut(t *testing.T) {
	var raw rawPDF
	for n := 1; n <= 12; n++ {
		p := rawPage{Number: n, Lines: []rawLine{{Text: "Acme Handbook", Bottom: 800, Height: 8}}}
		p.Lines = append(p.Lines, rawLine{Text: fmt.Sprintf("Chapter %c", 'A'+n-1), Left: 50, Bottom: 760, Height: 18})
		p.Lines = append(p.Lines, linesOf("The first line of the paragraph goes on", "to a second one and ends here.")...)
		p.Lines = append(p.Lines, rawLine{Text: "A paragraph after a wide gap.", Left: 50, Bottom: 640, Height: 11})
		p.Lines = append(p.Lines, rawLine{Text: fmt.Sprintf("• an item of %c", 'A'+n-1), Left: 50, Bottom: 626, Height: 11})
		p.Lines = append(p.Lines, rawLine{Text: fmt.Sprintf("%d of 12", n), Left: 200, Bottom: 20, Height: 8})
		raw.pages = append(raw.pages, p)
	}
	raw.pages = append(raw.pages, rawPage{Number: 13})
	raw.done = rawDone{Title: "Microsoft Word - draft.docx", Pages: 13}
	c := layOut(raw, "handbook")
	if c.Title != "handbook" || c.Pages != 13 || len(c.Blocks) != 4*12 {
		t.Fatalf("title %q, %d pages, %d blocks", c.Title, c.Pages, len(c.Blocks))
	}
	want := []Block{
		{Kind: KindHeading, Level: 1, Page: 2, Text: "Chapter B"},
		{Kind: KindParagraph, Page: 2, Text: "The first line of the paragraph goes on to a second one and ends here."},
		{Kind: KindParagraph, Page: 2, Text: "A paragraph after a wide gap."},
		{Kind: KindParagraph, Page: 2, Text: "• an item of B"},
	}
	if diff := cmp.Diff(want, c.Blocks[4:8]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"These pages hold no text (blank, or pictures): 13."}, c.Notes); diff != "" {
		t.Error(diff)
	}
}

func TestJoinPages(t *testing.T) {
	got := joinPages([]Block{
		{Kind: KindParagraph, Page: 1, Text: "The sentence goes"}, {Kind: KindParagraph, Page: 2, Text: "on here."},
		{Kind: KindParagraph, Page: 3, Text: "A new one."}, {Kind: KindHeading, Page: 4, Text: "next"},
	})
	if len(got) != 3 || got[0].Text != "The sentence goes on here." || got[0].Page != 1 {
		t.Errorf("%+v", got)
	}
}
