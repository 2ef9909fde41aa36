package slack

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/footnote-bot/footnote/bot"
)

// TestEverySentenceIsTranslated finds sentences that are said and have no
// translation, and translations that nobody says.
func TestEverySentenceIsTranslated(t *testing.T) {
	used := map[string]bool{
		hintText: true, askText: true, helpWords: true, noAdmin: true, strangerText: true, "Looking for an answer…": true,
		"is searching the sources…": true, "is searching %s…": true, "is reading what was found…": true, "is reading %s…": true,
	}
	for _, phrase := range bot.Ages() {
		used[phrase] = true
	}
	for _, class := range classWords {
		used[class] = true
	}
	note := func(e ast.Expr, before, after string) {
		if lit, ok := e.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				used[before+s+after] = true
			}
		}
	}
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch fun := c.Fun.(type) {
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			case *ast.Ident:
				name = fun.Name
			}
			switch {
			case name == "say" && len(c.Args) > 0:
				note(c.Args[0], "", "")
			case name == "add" && len(c.Args) == 2: // a button
				note(c.Args[1], "", "")
			case name == "owner" && len(c.Args) == 4:
				note(c.Args[3], "Only who asked can ", ".")
			}
			return true
		})
	}
	verbs := regexp.MustCompile(`%[a-z]`)
	for s := range used {
		if _, ok := words[s]; !ok {
			t.Errorf("not translated: %q", s)
		}
	}
	for s, w := range words {
		if !used[s] {
			t.Errorf("nobody says %q", s)
		}
		for _, text := range []string{w.de, w.zh} {
			if text == "" || !slices.Equal(verbs.FindAllString(text, -1), verbs.FindAllString(s, -1)) {
				t.Errorf("%q is translated as %q", s, text)
			}
		}
	}
}

func TestSentencesFollowTheLocale(t *testing.T) {
	for locale, want := range map[string]string{"de-DE": "Quelle 3", "zh-CN": "来源 3", "en-GB": "source 3", "": "source 3", "DE": "Quelle 3", "den": "source 3"} {
		if got := say(locale, "source %d", 3); got != want {
			t.Errorf("%q: %q", locale, got)
		}
	}
}
