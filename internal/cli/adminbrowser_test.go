package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// screenshots names a folder that gets a picture of every page; axe a copy of axe-core
// that looks at them, too. Neither is set in a usual run.
const (
	screenshots = "FOOTNOTE_SCREENSHOTS"
	axe         = "FOOTNOTE_AXE"
)

var browsed = []struct{ name, path string }{
	{"overview", "/admin/"}, {"sources", "/admin/sources"}, {"source", "/admin/source?name=docs"},
	{"documents", "/admin/documents"}, {"document", "/admin/document?id=docs/parking.md&as=ann@example.com"},
	{"questions", "/admin/questions?days=30"}, {"question", "/admin/question?id=TURN02"}, {"private", "/admin/question?id=TURN07"},
	{"gaps", "/admin/gaps"}, {"feedback", "/admin/feedback"}, {"usage", "/admin/usage"}, {"audit", "/admin/audit"}, {"settings", "/admin/settings"},
	{"error", "/admin/source?name=none"},
}

// Every page, as people see it: light and dark, wide and narrow, and with the
// keyboard alone.
func TestAdminPagesInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser, which takes seconds")
	}
	b := chromium(t)
	u := seeded(t)
	u.serving()
	rules, err := os.ReadFile("testdata/accessibility.js")
	if err != nil {
		t.Fatal(err)
	}
	link := strings.TrimSpace(u.must("admin", "login"))
	base := link[:strings.Index(link, "/admin/")]
	b.look(1200, "light")
	b.open(link)
	shoot(b, "login", "light")
	lookAt(t, b, "login", string(rules))
	// Sign in as somebody without a mouse: past the skip link and the brand.
	for range 3 {
		b.press("Tab", 9)
	}
	b.press("Enter", 13)
	b.arrive()
	var title string
	if b.eval("document.title", &title); !strings.HasPrefix(title, "Overview") {
		t.Fatalf("after signing in: %q", title)
	}
	for _, page := range browsed {
		for _, scheme := range []string{"light", "dark"} {
			b.look(1200, scheme)
			b.open(base + page.path)
			lookAt(t, b, page.name+" "+scheme, string(rules))
			shoot(b, page.name, scheme)
		}
		b.look(375, "light")
		lookAt(t, b, page.name+" narrow", string(rules))
	}
	b.look(1200, "dark")
	b.open(base + "/admin/documents")
	checkKeyboard(t, b)
	if away := b.strangers(); len(away) > 0 {
		t.Errorf("requests that leave this machine: %q", away)
	}
}

func lookAt(t *testing.T, b *browser, name, rules string) {
	t.Helper()
	var found []string
	if b.eval(rules, &found); len(found) > 0 {
		t.Errorf("%s: %s", name, strings.Join(found, "\n\t"))
	}
	path := os.Getenv(axe)
	if path == "" {
		return
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b.eval(string(source)+";0", nil)
	b.eval(`axe.run(document).then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.map(n => n.html.slice(0, 120)).join(" | ")))`, &found)
	if len(found) > 0 {
		t.Errorf("%s: axe: %s", name, strings.Join(found, "\n\t"))
	}
}

func shoot(b *browser, name, scheme string) {
	if dir := os.Getenv(screenshots); dir != "" {
		b.shoot(filepath.Join(dir, "admin-"+name+"-"+scheme+".png"))
	}
}

// checkKeyboard goes through a page with the Tab key: everything that can be pressed
// is reached, in the order in which it stands there, and shows that it is reached.
func checkKeyboard(t *testing.T, b *browser) {
	t.Helper()
	var want int
	b.eval(`document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex='0']").length`, &want)
	type stop struct {
		At      int
		Outline bool
		Text    string
	}
	var seen []stop
	for range want {
		b.press("Tab", 9)
		var s stop
		b.eval(`(() => { const e = document.activeElement, s = getComputedStyle(e);
			const list = [...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex='0']")];
			return {At: list.indexOf(e), Outline: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2, Text: e.outerHTML.slice(0, 80)}; })()`, &s)
		seen = append(seen, s)
	}
	if !slices.IsSortedFunc(seen, func(a, b stop) int { return a.At - b.At }) || seen[0].At != 0 || seen[len(seen)-1].At != want-1 {
		t.Errorf("the order of the keyboard: %+v", seen)
	}
	for _, s := range seen {
		if !s.Outline {
			t.Errorf("it does not show that it is reached: %s", s.Text)
		}
	}
}
