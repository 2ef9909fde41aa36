package chunk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
)

func read(t *testing.T, name, media, text string) []core.Passage {
	t.Helper()
	c, err := extract.New(extract.Options{}).Text(t.Context(), name, media, text)
	if err != nil {
		t.Fatal(err)
	}
	return Split("Title", c, Options{})
}

// A long sheet has a passage that describes and sums it up, and passages of rows of
// which each names the columns.
func TestSheets(t *testing.T) {
	var b strings.Builder
	b.WriteString("order_id,region,amount\n")
	for i := range 600 {
		fmt.Fprintf(&b, "A-%04d,%s,%d\n", i, []string{"north", "south"}[i%2], i)
	}
	got := read(t, "orders.csv", "text/csv", b.String())
	first := got[0].Text
	for _, want := range []string{"has 600 rows and 3 columns", "amount", "sum 179700", "north (300 rows), south (300 rows)"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first passage lacks %q:\n%s", want, first)
		}
	}
	rows := 0
	for i, p := range got[1:] {
		if !strings.HasPrefix(p.Text, "Columns: order_id, region, amount\norder_id=A-") || !strings.Contains(p.Text[len(p.Text)-20:], "amount=") {
			t.Errorf("passage %d:\n%.80s … %s", i+1, p.Text, p.Text[len(p.Text)-20:])
		}
		rows += strings.Count(p.Text, "order_id=")
	}
	if strings.Contains(first, "Columns:") || rows != 600 || len(got) < 5 {
		t.Errorf("%d passages, %d rows beside the first:\n%s", len(got), rows, first)
	}
	if small := read(t, "few.csv", "text/csv", "name,age\nann,3\nbob,4\ncy,5\n"); len(small) != 1 {
		t.Errorf("a small sheet has %d passages", len(small))
	}
}

// A row that is too long is cut between its cells.
func TestLongRows(t *testing.T) {
	row := "a=" + repeat("x", 300) + ", b=" + repeat("y", 300) + ", c=" + repeat("z", 300)
	c := extract.Content{Blocks: []extract.Block{{Kind: extract.KindRows, Text: "Columns: a, b, c\n" + row + "\n" + row}}}
	for _, p := range Split("", c, Options{Tokens: 300}) {
		body := strings.TrimPrefix(p.Text, "Columns: a, b, c\n")
		if body == p.Text || !strings.Contains("abc", body[:1]) || body[1] != '=' {
			t.Errorf("a passage begins with %.40q", p.Text)
		}
	}
}

func TestSymbols(t *testing.T) {
	for code, want := range map[string][]string{
		"func (s *Store) Open(ctx context.Context) error {":              {"Open"},
		"func New() *Store {\n}\n\ntype Options struct {":                {"New", "Options"},
		"def read(path):\n    def inner():\n        pass\nclass Reader:": {"read", "Reader"},
		"export default async function load() {":                         {"load"},
		"export const parse = (text) => {":                               {"parse"},
		"pub(crate) fn run<T>(x: T) {\nimpl Display for T {":             {"run", "Display"},
		"static int main_loop(struct state *s)\n{\nreturn f(s)":          {"main_loop"},
		"CREATE TABLE documents (":                                       {"documents"},
		"public class A extends B {\n    void m() {":                     {"A"},
		"if (x) {\nfoo(1);\nreturn bar(2\n// func comment\n":             nil,
		"": nil,
	} {
		if diff := cmp.Diff(want, symbolsIn(code)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", code, diff)
		}
	}
}

// Passages of a file of code stand under its path and the symbols that they declare;
// the middle of a long function under its name.
func TestSourceCode(t *testing.T) {
	long := "package x\n\n" + "func Short() {}\n\nfunc Long() {\n" + strings.Repeat("\tdoSomething(withSomething, andMore)\n", 200) + "}\n\nfunc Last() {\n" +
		strings.Repeat("\tfinish(everything)\n", 60) + "}\n"
	got := read(t, "src/x.go", "text/x-go", long)
	if len(got) < 4 {
		t.Fatalf("%d passages: %q", len(got), brief(got))
	}
	for i, p := range got {
		if !strings.HasPrefix(p.Heading, "src/x.go › ") || !strings.HasPrefix(p.Text, "```") {
			t.Errorf("passage %d: %q, %.40q", i, p.Heading, p.Text)
		}
	}
	if got[1].Heading != "src/x.go › Long" || got[len(got)-1].Heading != "src/x.go › Last" {
		t.Errorf("headings %q", brief(got))
	}
	for _, p := range read(t, "x.md", "text/markdown", "# Guide\n\nText.\n\n```go\nfunc Foo() {}\n```\n") {
		if strings.Contains(p.Heading, "Foo") {
			t.Errorf("code in a page names the passage %q", p.Heading)
		}
	}
}

// Every passage of a chat opens its messages: short ones keep their links, what is
// left of a long one repeats it.
func TestChats(t *testing.T) {
	link := func(n int) string { return fmt.Sprintf("[permalink](https://t.example.com/archives/C1/p%d)", n) }
	var b strings.Builder
	for n := range 4 {
		fmt.Fprintf(&b, "### Ann on 3 March 2026 09:0%d\n\n%s\n\n%s\n\n", n, link(n), []string{"Yes.", "No.", strings.Repeat("A long story goes on. ", 300), "Fine."}[n])
	}
	got := read(t, "x.md", "text/markdown", b.String())
	long := 0
	for i, p := range got {
		if !strings.Contains(p.Text, "[permalink](") {
			t.Errorf("passage %d opens no message: %.60q", i, p.Text)
		}
		if strings.Contains(p.Text, "long story") {
			long++
			if !strings.Contains(p.Text, link(2)) {
				t.Errorf("passage %d of the long message opens another one: %.60q", i, p.Text)
			}
		}
		if n := Tokens(p.Text); n > 600 {
			t.Errorf("passage %d has %d tokens", i, n)
		}
	}
	if long < 3 || !strings.Contains(got[0].Text, link(0)) || !strings.Contains(got[0].Text, link(1)) {
		t.Errorf("%d passages of the long message: %q", long, brief(got))
	}
}

// A table that is cut has a passage that sums it up before its first piece, at the
// table's place in the document, and its other passages are those that it had.
func TestLongTables(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Sales\n\n## North\n\n" + repeat("intro", 20) + "\n\n| Order | Amount |\n|---|---|\n")
	for i := range 300 {
		fmt.Fprintf(&b, "| order %d | €%d.50 |\n", i, i)
	}
	b.WriteString("| Total | €45,000.00 |\n\nAfterword.\n\n## South\n\n| a | b |\n|---|---|\n| x | 1 |\n")
	got := read(t, "x.md", "text/markdown", b.String())
	want := `The table under “North” has 300 rows and 2 columns. Rows of totals, which are not among them: 1.
Its columns: Order, Amount.
Each row is named by Order.
Totals of the table under “North”, computed from its 300 rows:
Amount in €: sum 45000, mean 150, smallest 0.5, largest 299.5, computed from 300 values.
Its own row of totals, as written: Order=Total, Amount=€45,000.00`
	if diff := cmp.Diff(want, got[0].Text); diff != "" {
		t.Error(diff)
	}
	if got[0].Heading != "Sales › North" || got[0].Anchor != "north" {
		t.Errorf("it stands under %q, #%s", got[0].Heading, got[0].Anchor)
	}
	for i, p := range got[1:] {
		if strings.Contains(p.Text, "computed from") {
			t.Errorf("passage %d sums up too: %.80s", i+1, p.Text)
		}
	}
	if !strings.HasPrefix(got[1].Text, "intro intro") || !strings.Contains(got[1].Text, "| order 0 | €0.50 |") {
		t.Errorf("the table begins with %.200q", got[1].Text)
	}
}

// What sums up a table has room in a passage, whatever the table is, and comes
// before the rows, of which the last may be left out.
func TestWideTables(t *testing.T) {
	wide := strings.Repeat("| column of numbers ", 150) + "|\n" + strings.Repeat("|---", 150) + "|\n" + strings.Repeat(strings.Repeat("| 12 ", 150)+"|\n", 40)
	for _, limit := range []int{32, 64, 512} {
		dropped := 0
		o := Options{Tokens: limit, Passages: 5, Dropped: func(n int) { dropped = n }}
		got := Split("T", extract.Content{Blocks: []extract.Block{{Kind: extract.KindTable, Text: wide, Page: 7}}}, o)
		if !strings.HasPrefix(got[0].Text, "The table has 40 rows and 150 columns.") || !strings.HasSuffix(got[0].Text, leftOut) || got[0].Page != 7 {
			t.Errorf("limit %d, page %d: %s", limit, got[0].Page, got[0].Text)
		}
		if n := Tokens(got[0].Text); n > limit || dropped == 0 {
			t.Errorf("limit %d: %d tokens, %d dropped", limit, n, dropped)
		}
	}
}

// A table of a web page is summed up like any other.
func TestLongTableOfAPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("<html><body><h1>Title</h1><table><tr><th>Item</th><th>Net</th></tr>")
	for i := range 300 {
		fmt.Fprintf(&b, "<tr><td>item %d</td><td>-1.000,%02d €</td></tr>", i, i%100)
	}
	got := read(t, "x.html", "text/html", b.String()+"</table></body></html>")
	if want := "Net in €: sum -300148.5, mean -1000.495, smallest -1000.99, largest -1000, computed from 300 values."; !strings.Contains(got[0].Text, want) {
		t.Errorf("%s", got[0].Text)
	}
}
