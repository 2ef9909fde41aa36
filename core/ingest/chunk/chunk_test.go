package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
)

func markdown(t testing.TB, text string) extract.Content {
	t.Helper()
	c, err := extract.New(extract.Options{}).Text(t.Context(), "x.md", "text/markdown", text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func repeat(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

// brief shows a passage as "heading: first words (tokens)".
func brief(passages []core.Passage) []string {
	var out []string
	for _, p := range passages {
		text := strings.ReplaceAll(p.Text, "\n", "/")
		if len(text) > 40 {
			text = text[:40] + "…"
		}
		out = append(out, fmt.Sprintf("%s: %s", p.Heading, text))
	}
	return out
}

func TestSplit(t *testing.T) {
	long := repeat("lorem", 200) // 300 tokens
	rows := []struct {
		name, title, text string
		want              []string
	}{
		{"nothing", "", "", nil},
		{"only a title", "Title", "\n\n", []string{": Title"}},
		{"only the title as heading", "Title", "# Title\n", []string{": Title"}},
		{"one paragraph", "Title", "text", []string{": text"}},
		{"title not repeated", "Title", "# title\n\ntext", []string{": text"}},
		{"other first heading", "Title", "# Other\n\ntext", []string{"Other: text"}},
		{"a chapter ends a passage", "", "# A\n\n" + long + "\n\n# B\n\n" + long,
			[]string{"A: lorem lorem lorem lorem lorem lorem lore…", "B: lorem lorem lorem lorem lorem lorem lore…"}},
		{"path", "T", "# T\n## A\n### B\n\n" + long, []string{"A › B: lorem lorem lorem lorem lorem lorem lore…"}},
		{"tiny chapters join", "T", "## A\n\na\n\n## B\n\nb\n\n## C\n\n" + long,
			[]string{": ## A//a//## B//b", "C: lorem lorem lorem lorem lorem lorem lore…"}},
		{"small sections of a chapter join", "", "## A\n\nintro\n\n### B\n\nb\n\n### C\n\n" + long + "\n\n### D\n\n" + long,
			[]string{"A: intro//### B//b//### C//lorem lorem lore…", "A › D: lorem lorem lorem lorem lorem lorem lore…"}},
		{"heading without text", "", "# A\n# B\n\ntext\n\n# C\n", []string{": # A", "B: text", ": # C"}},
		{"levels skipped", "", "#### A\n\n" + long + "\n\n## B\n\n" + long, []string{"A: lorem lorem lorem lorem lorem lorem lore…", "B: lorem lorem lorem lorem lorem lorem lore…"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Split(row.title, markdown(t, row.text), Options{})
			if diff := cmp.Diff(row.want, brief(got)); diff != "" {
				t.Error(diff)
			}
			for i, p := range got {
				if p.Ordinal != i {
					t.Errorf("passage %d has ordinal %d", i, p.Ordinal)
				}
			}
		})
	}
}

func TestOversize(t *testing.T) {
	var table, code, list strings.Builder
	table.WriteString("| key | value |\n|---|---|\n")
	code.WriteString("```go\n")
	for i := range 200 {
		fmt.Fprintf(&table, "| row%d | %s |\n", i, repeat("v", 10))
		fmt.Fprintf(&code, "func f%d() {\n\treturn\n}\n\n", i)
		fmt.Fprintf(&list, "- item%d\n  %s\n", i, repeat("more", 5))
	}
	code.WriteString("```")
	rows := []struct {
		name string
		b    extract.Block
		each func(text string) bool
	}{
		{"table", extract.Block{Kind: extract.KindTable, Text: table.String()}, func(s string) bool {
			return strings.HasPrefix(s, "| key | value |\n|---|---|\n| row") && strings.HasSuffix(s, "|")
		}},
		{"rows", extract.Block{Kind: extract.KindRows, Text: "Columns: a, b\n" + strings.Repeat("a=1, b=2\n", 900)}, func(s string) bool {
			return strings.HasPrefix(s, "Columns: a, b\na=1") && strings.HasSuffix(s, "b=2")
		}},
		{"code", extract.Block{Kind: extract.KindCode, Text: code.String()}, func(s string) bool {
			return strings.HasPrefix(s, "```go\nfunc") && strings.HasSuffix(s, "}\n```") && strings.Count(s, "```") == 2
		}},
		{"list", extract.Block{Kind: extract.KindList, Text: list.String()}, func(s string) bool {
			return strings.HasPrefix(s, "- item") && strings.HasSuffix(s, "more")
		}},
		{"sentences", extract.Block{Text: strings.Repeat("This is a sentence of eight words, really. ", 200)}, func(s string) bool {
			return strings.HasPrefix(s, "This is") && strings.HasSuffix(s, "really.")
		}},
		{"Chinese sentences", extract.Block{Text: strings.Repeat("员工可以在返回后三十天内报销差旅费用。", 100)}, func(s string) bool {
			return strings.HasPrefix(s, "员工") && strings.HasSuffix(s, "。")
		}},
		{"one word", extract.Block{Text: strings.Repeat("x", 30_000)}, func(s string) bool { return s != "" }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Split("T", extract.Content{Blocks: []extract.Block{row.b}}, Options{})
			if row.name == "table" && strings.HasPrefix(got[0].Text, "The table has 200 rows") {
				got = got[1:]
			}
			if len(got) < 2 {
				t.Fatalf("%d passages", len(got))
			}
			for i, p := range got {
				if n := Tokens(p.Text); n > 512 || n < 128 {
					t.Errorf("passage %d has %d tokens", i, n)
				}
				if !row.each(p.Text) {
					t.Errorf("passage %d:\n%s", i, p.Text)
				}
			}
		})
	}
}

func TestPages(t *testing.T) {
	c := extract.Content{Blocks: []extract.Block{
		{Kind: extract.KindParagraph, Text: repeat("a", 700), Page: 3},
		{Kind: extract.KindParagraph, Text: repeat("b", 700), Page: 4},
	}}
	var got []int
	for _, p := range Split("", c, Options{}) {
		got = append(got, p.Page)
	}
	if diff := cmp.Diff([]int{3, 4}, got); diff != "" {
		t.Error(diff)
	}
}

// Short texts of two pages do not share a passage, under one heading or two.
func TestPagesAreNotJoined(t *testing.T) {
	c := extract.Content{Blocks: []extract.Block{
		{Kind: extract.KindHeading, Level: 1, Text: "Manual", Page: 1},
		{Kind: extract.KindParagraph, Text: "first", Page: 1},
		{Kind: extract.KindParagraph, Text: "second", Page: 2},
		{Kind: extract.KindHeading, Level: 3, Text: "Part", Page: 3},
		{Kind: extract.KindParagraph, Text: "third", Page: 3},
	}}
	for _, p := range Split("", c, Options{}) {
		want := map[int]string{1: "first", 2: "second", 3: "third"}[p.Page]
		if want == "" || !strings.Contains(p.Text, want) || strings.Count(p.Text, "first")+strings.Count(p.Text, "second")+strings.Count(p.Text, "third") != 1 {
			t.Errorf("page %d: %q", p.Page, p.Text)
		}
	}
}

// A passage opens at the heading that it stands under, also in its later parts.
func TestAnchors(t *testing.T) {
	long := func(word string) extract.Block { return extract.Block{Text: repeat(word, 700)} }
	h := func(text, anchor string) extract.Block {
		return extract.Block{Kind: extract.KindHeading, Level: 2, Text: text, Anchor: anchor}
	}
	c := extract.Content{Blocks: []extract.Block{
		long("intro"), h("A", "a"), long("x"), long("x"), h("B", ""), long("y"), h("Empty", "e"), h("C", "c"), long("z"),
	}}
	var got []string
	for _, p := range Split("", c, Options{Tokens: 512}) {
		got = append(got, p.Heading+"#"+p.Anchor)
	}
	want := []string{"#", "A#a", "B#a", "#e", "C#c"}
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Error(diff)
	}
}

func TestTooManyPassages(t *testing.T) {
	dropped := -1
	o := Options{Tokens: 32, Passages: 10, Dropped: func(n int) { dropped = n }}
	all := Split("", extract.Content{Blocks: []extract.Block{{Text: repeat("word", 1000)}}}, Options{Tokens: 32})
	got := Split("", extract.Content{Blocks: []extract.Block{{Text: repeat("word", 1000)}}}, o)
	if len(got) != 10 || dropped != len(all)-10 {
		t.Errorf("%d passages, %d reported dropped of %d", len(got), dropped, len(all))
	}
}

func TestTokens(t *testing.T) {
	for _, row := range []struct {
		text string
		want int
	}{{"", 0}, {"abcd", 1}, {"abcde", 2}, {"你好吗", 2}, {strings.Repeat("д", 24), 10}} {
		if got := Tokens(row.text); got != row.want {
			t.Errorf("%q: %d, want %d", row.text, got, row.want)
		}
	}
}
