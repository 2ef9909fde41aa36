package extract

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// goRoot is where the Go distribution lies.
func goRoot(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Large reference pages are kept whole: every word of the language
// specification, its headings with anchors, its code.
func TestReferencePageKeptWhole(t *testing.T) {
	body, err := os.ReadFile(filepath.Join(goRoot(t), "doc", "go_spec.html"))
	if err != nil {
		t.Skipf("the Go distribution here has no documentation: %v", err)
	}
	x := newExtractor(t, "", Limits{})
	c, err := x.Text(t.Context(), "go_spec.html", "text/html", string(body))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	whole := shapeOf(doc)
	headings, anchors, code, words := 0, 0, 0, map[string]bool{}
	for _, b := range c.Blocks {
		switch b.Kind {
		case KindHeading:
			headings++
			if b.Anchor != "" {
				anchors++
			}
		case KindCode:
			code++
		}
		for w := range strings.FieldsFuncSeq(b.Text, notLetter) {
			words[w] = true
		}
	}
	// Some headings there have no anchor, and code inside lists stays in the list.
	if headings != whole.headings || anchors < headings*9/10 || code < whole.code*9/10 {
		t.Errorf("%d of %d headings, %d with anchors, %d of %d code blocks", headings, whole.headings, anchors, code, whole.code)
	}
	missing := 0
	for n := range doc.Descendants() {
		if n.Type != html.TextNode || n.Parent.Data == "style" {
			continue
		}
		for w := range strings.FieldsFuncSeq(n.Data, notLetter) {
			if !words[w] {
				missing++
			}
		}
	}
	if missing > 0 {
		t.Errorf("%d words are missing", missing)
	}
}

// Readability may only take away what surrounds a page's text.
func TestMainContent(t *testing.T) {
	text := strings.Repeat("<p>The gateway retries a failed delivery three times, then it gives up and tells the owner.</p>", 30)
	side := `<div class="sidebar"><a href="/x">Popular things</a> <a href="/y">Other things</a></div>`
	rows := []struct {
		name, page string
		want, not  []string
	}{
		{"side column goes", `<body>` + side + `<div class="post"><h1>Retries</h1>` + text + `</div></body>`, []string{"gateway"}, []string{"Popular"}},
		{"a heading would go with it", `<body>` + side + `<div id="comments"><h2>Comments</h2><p>short</p></div><div>` + text + `</div></body>`, []string{"gateway", "short", "Comments"}, nil},
		{"marked main", `<body>` + side + `<main><h2>A</h2>` + text + `</main><div>Imprint</div></body>`, []string{"gateway"}, []string{"Popular", "Imprint"}},
		{"main holds next to nothing", `<body><main>Loading</main><div>` + text + `</div></body>`, []string{"gateway", "Loading"}, nil},
		{"navigation", `<body><nav>Menu</nav><div role=navigation>Crumbs</div>` + text + `</body>`, []string{"gateway"}, []string{"Menu", "Crumbs"}},
	}
	x := newExtractor(t, "", Limits{})
	for _, row := range rows {
		c, err := x.Text(t.Context(), "x.html", "", row.page)
		if err != nil {
			t.Fatal(err)
		}
		got := dump(c)
		for _, w := range row.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: lost %q", row.name, w)
			}
		}
		for _, w := range row.not {
			if strings.Contains(got, w) {
				t.Errorf("%s: kept %q", row.name, w)
			}
		}
	}
}
