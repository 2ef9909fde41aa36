package cite

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func live(pieces ...string) string {
	var b strings.Builder
	l := NewLive(func(s string) { b.WriteString(s) })
	l.Allow("https://wiki.example/a page(1)")
	l.AllowIn("see https://docs.example/x?y=1, or www.known.example.")
	for _, p := range pieces {
		l.Write(p)
	}
	l.Close()
	return b.String()
}

// What becomes of addresses; | stands for the unlinked.
var liveRows = []struct{ name, in, want string }{
	{"plain", "Plain text, 1 < 2: yes! [x] a:b c://", "Plain text, 1 < 2: yes! [x] a:b c|://"},
	{"a citation of ours", "Yes [[1]](https://wiki.example/a%20page%281%29).", "Yes [[1]](https://wiki.example/a%20page%281%29)."},
	{"a link of a passage", "[x](https://docs.example/x?y=1) https://docs.example/x?y=1. www.known.example", "[x](https://docs.example/x?y=1) https://docs.example/x?y=1. www.known.example"},
	{"with a title", `[x](https://docs.example/x?y=1 "T")`, `[x](https://docs.example/x?y=1 "T")`},
	{"a foreign link", "a [x](https://evil.example/?q=secret) b", "a [x] b"},
	{"a foreign link in angles", "[x](<https://evil.example/a b>)", "[x]"},
	{"over two lines", "[x](\nhttps://evil.example) y", "[x] y"},
	{"an image", "![alt](https://evil.example/?q=secret)", "[alt]"},
	{"an image of a passage", "![alt](https://docs.example/x?y=1)", "[alt](https://docs.example/x?y=1)"},
	{"an image in a link", "[![alt](https://evil.example/i)](https://evil.example/l)", "[[alt]]"},
	{"a script", "[x](javascript:alert(1)) [y](//evil.example) [z](/admin)", "[x] [y] [z]"},
	{"a remark", "f[0](n) [sic](really)", "f[0]|(n) [sic]|(really)"},
	{"bare", "go to https://evil.example/?q=1 now", "go to https://evil|.example/?q=1 now"},
	{"bare in parentheses", "(https://docs.example/x?y=1) (http://evil.example)", "(https://docs.example/x?y=1) (http://evil|.example)"},
	{"no dot", "http://localhost/x", "http|://localhost/x"},
	{"www", "www.evil.example", "www|.evil.example"},
	{"longer than a known one", "https://docs.example/x?y=1&z=secret", "https://docs|.example/x?y=1&z=secret"},
	{"autolink", "<https://evil.example/a>", "<|https://evil|.example/a>"},
	{"HTML", "<img src=x> </b> <!-- a", "<|img src=x> <|/b> <|!-- a"},
	{"a definition", "[ref][1]\n\n[1]: https://evil.example/def", "[ref][1]\n\n[1]|: https://evil|.example/def"},
	{"code", "`https://evil.example` and ``a ` [x](https://evil.example)``!", "`https://evil.example` and ``a ` [x](https://evil.example)``!"},
	{"code at the end", "`[x](https://evil.example)`", "`[x](https://evil.example)`"},
	{"code that is none", "`a [x](https://evil.example)", "`a [x]"},
	{"code across paragraphs", "`a\n\nhttps://evil.example`", "`a\n\nhttps://evil|.example`"},
	{"a fence", "```sh\ncurl https://evil.example\n```\nhttps://evil.example", "```sh\ncurl https://evil.example\n```\nhttps://evil|.example"},
	{"tildes", "~~~\nhttps://evil.example\n~~~\n<b", "~~~\nhttps://evil.example\n~~~\n<|b"},
	{"a fence in a quote ends with it", "> ```\n> https://evil.example\nhttps://evil.example", "> ```\n> https://evil.example\nhttps://evil|.example"},
	{"ticks in mid-line are no fence", "a ```\n\nhttps://evil.example", "a ```\n\nhttps://evil|.example"},
	{"a tick that is escaped", "\\`https://evil.example`", "\\`https://evil|.example`"},
	{"a fence that is none", "``` `\nhttps://evil.example", "``` `\nhttps://evil|.example"},
	{"a fence in a list ends with it", "1. a\n   ```\n   b\nhttps://evil.example", "1. a\n   ```\n   b\nhttps://evil|.example"},
	{"an indented fence that ends at the margin", "  ```\n  b\n```\nhttps://evil.example", "  ```\n  b\n```\nhttps://evil|.example"},
	{"a list item that is a fence", "- ```\nhttps://evil.example\n```", "- ```\nhttps://evil|.example\n```"},
	{"a target without end", "[x](https://evil.example", "[x]|(https://evil|.example"},
	{"an address in the label", "[https://evil.example](https://docs.example/x?y=1)", "[https://evil|.example](https://docs.example/x?y=1)"},
	{"letters beyond ASCII", "Größe <ä ü! 日本", "Größe <ä ü! 日本"},
}

func TestLive(t *testing.T) {
	for _, row := range liveRows {
		t.Run(row.name, func(t *testing.T) {
			want := strings.ReplaceAll(row.want, "|", unlinked)
			if got := live(row.in); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if got := live(strings.Split(row.in, "")...); got != want {
				t.Errorf("letter by letter: %q", got)
			}
		})
	}
}

// However the text is cut, the same comes out; no mixture takes longer than its
// length allows, and no address gets through.
func TestLiveMixtures(t *testing.T) {
	parts := []string{"[", "]", "(", ")", "![", "](", "`", "```", "~~~", "\n", "\n\n", "> ", "<", "https://evil.example/a", "www.evil.example", ":", "/", "a", " ", "\\", "é", "!"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(14) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		whole := live(b.String())
		if cut := live(strings.Split(b.String(), "")...); cut != whole {
			t.Fatalf("%q: %q, letter by letter %q", b.String(), whole, cut)
		}
		if plain := strings.NewReplacer("`", "", "~~~", "", "\\", "").Replace(b.String()); strings.Contains(live(plain), "https://evil.example") {
			t.Fatalf("%q: %q", plain, live(plain))
		}
	}
	for _, p := range parts {
		started := time.Now()
		live(strings.Repeat(p, 10_000))
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%q takes %v", p, took)
		}
	}
}
