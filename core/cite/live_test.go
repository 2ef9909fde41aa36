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
	{"a foreign link", "a [x](https://evil.example/?q=secret) b", "a x b"},
	{"a foreign link in angles", "[x](<https://evil.example/a b>)", "x"},
	{"over two lines", "[x](\nhttps://evil.example) y", "x y"},
	{"an image", "![alt](https://evil.example/?q=secret)", "alt"},
	{"an image of a passage", "![alt](https://docs.example/x?y=1)", "[alt](https://docs.example/x?y=1)"},
	{"an image in a link", "[![alt](https://evil.example/i)](https://evil.example/l)", "alt"},
	{"an image in a link of a passage", "[![alt](https://evil.example/i)](https://docs.example/x?y=1)", "[alt](https://docs.example/x?y=1)"},
	{"a citation behind an exclamation mark", "Yes![[1]](https://docs.example/x?y=1)", "Yes!|[[1]](https://docs.example/x?y=1)"},
	{"an exclamation mark and brackets", "Yes![1] ![a][b]", "Yes![1] ![a][b]"},
	{"a label behind a word", "a[b](https://evil.example)c", "a|b|c"},
	{"a label that would be HTML", "<[img src=x](https://evil.example)>", "<|img src=x|>"},
	{"a label that would be half an address", "htt[ps://evil.example](https://evil.example) https:[//evil.example](https://evil.example)", "htt|ps://evil|.example| https:|//evil.example|"},
	{"a label that would begin an address", "[https:](https://evil.example)//evil.example [www](https://evil.example).evil.example", "https:|//evil.example www|.evil.example"},
	{"a label that would be a fence", "[```](https://evil.example)\na", "|```|\na"},
	{"a label that would begin a target", "[a][(](https://evil.example)https://evil.example)", "[a]|(|https://evil|.example)"},
	{"a label without words", "[](https://evil.example) [1](https://evil.example) [`c`](https://evil.example), [``a](https://evil.example)", " 1 `c`, |``a|"},
	{"no alternative text", "a ![](https://evil.example)! b[](https://evil.example)c ww[](https://evil.example)w.evil.example", "a ! b||c ww||w.evil.example"},
	{"fences behind nothing", "[](https://evil.example)```\nhttps://evil.example\n```\n![](https://evil.example)```\nhttps://evil.example", "```\nhttps://evil.example\n```\n```\nhttps://evil.example"},
	{"an escaped bracket", "\\[x](https://evil.example)", "\\[x]"},
	{"emphasis around", "**[x](https://evil.example)**, [**y**](https://evil.example).", "**x**, **y**."},
	{"a long label", "[" + strings.Repeat("x", 2000) + "](https://evil.example)", "[" + strings.Repeat("x", 2000) + "]"},
	{"a long label of an image", "![" + strings.Repeat("x", 2000) + "](https://docs.example/x?y=1)", "!|[" + strings.Repeat("x", 2000) + "](https://docs.example/x?y=1)"},
	{"a script", "[x](javascript:alert(1)) [y](//evil.example) [z](/admin)", "x y z"},
	{"a remark", "f[0](n) [sic](really)", "f[0]|(n) [sic]|(really)"},
	{"bare", "go to https://evil.example/?q=1 now", "go to https://evil|.example/?q=1 now"},
	{"bare in parentheses", "(https://docs.example/x?y=1) (http://evil.example)", "(https://docs.example/x?y=1) (http://evil|.example)"},
	{"one right behind another", "(https://docs.example/x?y=1)https://evil.example)www.evil.example", "(https://docs.example/x?y=1)https://evil|.example)www|.evil.example"},
	{"no dot", "http://localhost/x", "http|://localhost/x"},
	{"www", "www.evil.example", "www|.evil.example"},
	{"www behind a dash", "--www.evil.example " + strings.Repeat("a", 40) + "-WWW.evil.example", "--www|.evil.example " + strings.Repeat("a", 40) + "-WWW|.evil.example"},
	{"longer than a known one", "https://docs.example/x?y=1&z=secret", "https://docs|.example/x?y=1&z=secret"},
	{"autolink", "<https://evil.example/a>", "https://evil|.example/a"},
	{"autolink of a passage", "<https://docs.example/x?y=1>", "<https://docs.example/x?y=1>"},
	{"Slack's links", "<https://evil.example|a> <https://docs.example/x?y=1|b> <https://docs.example/x?y=1|https://evil.example>", "a [b](https://docs.example/x?y=1) [https://evil|.example](https://docs.example/x?y=1)"},
	{"line breaks", "a<br>b<br/>c<BR />d<br x>", "a<br>b<br/>c<BR />d<|br x>"},
	{"comments", "a<!-- https://evil.example ` -->b <!---->https:<!-- -->//evil.example", "ab https:|//evil.example"},
	{"a comment without end", "<!-- a", "<|!-- a"},
	{"HTML", "<img src=x> </b> <!-- a", "<|img src=x> <|/b> <|!-- a"},
	{"mentions", "<@U1> <#C1> <!here> <@&7> a <@ b < @", "<|@U1> <|#C1> <|!here> <|@&7> a <|@ b < @"},
	{"a definition", "[ref][1]\n\n[1]: https://evil.example/def", "[ref][1]\n\n[1]: <>"},
	{"definitions", "[1]: https://evil.example 'T'\n[2]: <https://docs.example/x?y=1>\n[3]: /admin\n\n[4]: see https://evil.example", "[1]: <>\n[2]: <https://docs.example/x?y=1>\n[3]: <>\n\n[4]|: see https://evil|.example"},
	{"no definition in a paragraph", "a\n[1]: https://evil.example", "a\n[1]|: https://evil|.example"},
	{"a definition over two lines", "[1]:\nhttps://evil.example", "[1]|:\nhttps://evil|.example"},
	{"code", "`https://evil.example` and ``a ` [x](https://evil.example)``!", "`https://evil.example` and ``a ` [x](https://evil.example)``!"},
	{"code at the end", "`[x](https://evil.example)`", "`[x](https://evil.example)`"},
	{"code that ends in other ticks", "`a https://evil.example ```", "`a https://evil|.example ```"},
	{"half an address before Slack's link", "https:<https://evil.example|//evil.example>", "https:|//evil.example"},
	{"a quote that is none", "a\n    > ```\n    > https://evil.example", "a\n    > ```\n    > https://evil|.example"},
	{"a prompt", ">>> ```\n>>> https://evil.example", ">>> ```\n>>> https://evil|.example"},
	{"code that ends in other code", "a ```\nb ``c ``` https://evil.example `` d", "a ```\nb ``c ``` https://evil|.example `` d"},
	{"code over two lines", "`a\nb` https://evil.example `", "`a\nb` https://evil|.example `"},
	{"code over two lines, then a paragraph", "`a\nb`\n\n`https://evil.example`", "`a\nb`\n\n`https://evil.example`"},
	{"code in place of a fence", "```a``` https://evil.example ```", "```a``` https://evil|.example ```"},
	{"a tick in a title", "[x](https://docs.example/x?y=1 \"a`b\") c` https://evil.example `", "x c` https://evil.example `"},
	{"code that is none", "`a [x](https://evil.example)", "`a x"},
	{"code across paragraphs", "`a\n\nhttps://evil.example`", "`a\n\nhttps://evil|.example`"},
	{"a fence", "```sh\ncurl https://evil.example\n```\nhttps://evil.example", "```sh\ncurl https://evil.example\n```\nhttps://evil|.example"},
	{"a fence behind one in a quote", ">~~~\n```\nhttps://evil.example\n```\nhttps://evil.example", ">~~~\n```\nhttps://evil.example\n```\nhttps://evil|.example"},
	{"a fence that may be closed", "  ~~~\n~~~\na\n```\nhttps://evil.example\n```", "  ~~~\n~~~\na\n```\nhttps://evil|.example\n```"},
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

// What a document says is no reason to run a program or to open a file.
func TestOnlyWebAddressesOfPassagesAreLive(t *testing.T) {
	for _, address := range []string{"javascript://a.example/%0aalert(1)", "file:///etc/passwd", "data://text/html,x", "slack://open", "xhttps://a.example"} {
		var b strings.Builder
		l := NewLive(func(s string) { b.WriteString(s) })
		l.AllowIn("see " + address + " and https://a.example/x")
		l.Write("[x](" + address + ") [y](https://a.example/x)")
		l.Close()
		if got, want := b.String(), "x [y](https://a.example/x)"; got != want {
			t.Errorf("%s: got %q", address, got)
		}
	}
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
		if took := time.Since(started); took > time.Minute {
			t.Errorf("%q takes %v", p, took)
		}
	}
}
