package core_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// No letter folds onto a letter of ASCII but its own capital.
func TestLowerKeepsNamesApart(t *testing.T) {
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if low := core.Lower("x" + string(r)); len(low) == 2 {
			t.Errorf("%U becomes %q", r, low)
		}
	}
	for in, want := range map[string]string{"ANN@X.org": "ann@x.org", "Ärzte": "ärzte", "\u212aATE": "\u212aate", "\u0130VAN": "\u0130van", "": ""} {
		if got := core.Lower(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, p := range []string{"publ\u0130c", "wor\u212aspace", "user: ann@x.org", "user:ann@x.org bob@x.org", "workspace: T1", "workspace:T1\x00"} {
		if got, err := core.ParsePrincipal(p); err == nil {
			t.Errorf("%q is read as %q", p, got)
		}
	}
	if core.NewAccess("user:\u212aate@x.org").Allows([]core.Principal{core.User("kate@x.org")}) {
		t.Error("a document of one person opens for another")
	}
}
