package cite

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// fuzzSources are the sources that the fuzz tests know: one of each level, an
// alias, and URLs with everything that needs care.
func fuzzSources(w *Writer) {
	w.AddSource(1, Source{Document: "a", URL: "https://s.example/a", Show: core.ShowLink})
	w.AddSource(2, Source{Document: "b", URL: "https://s.example/b_(c)", Show: core.ShowNumber})
	w.AddSource(3, Source{Document: "c", URL: "http://s.example/c?x=1", Show: core.ShowNothing})
	w.AddSource(4, Source{Document: "a", URL: "https://s.example/a2", Show: core.ShowLink})
	w.AddSource(120, Source{Document: "d", URL: "file:///d e", Show: core.ShowLink})
}

// outcome is everything a writer told.
type outcome struct {
	text    string
	events  []int
	deleted []int
	longest int // most that was ever held, in bytes
	steps   int // characters read, each time one was read
}

// write reads a text cut by next, which gives the length of the next token.
func write(o Options, text string, next func() int) outcome {
	var out outcome
	var shown strings.Builder
	o.Text = func(s string) { shown.WriteString(s) }
	o.Cited = func(d, n int) { out.events = append(out.events, d, n) }
	o.Deleted = func(n int) { out.deleted = append(out.deleted, n) }
	w := NewWriter(o)
	fuzzSources(w)
	for len(text) > 0 {
		n := min(max(next(), 1), len(text))
		w.Write(text[:n])
		text = text[n:]
		out.longest = max(out.longest, w.held())
	}
	w.Close()
	out.text, out.steps = shown.String(), w.steps
	return out
}

// held counts the input bytes that a writer keeps back.
func (w *Writer) held() int {
	return len(w.hold) + len(w.part) + len(w.sink.tail) + len(w.sink.after)
}

var seeds = []string{
	"A [1], b [2], c [3].", "([1], [3]) **so [3]** x", "```go\nx[1]\n```\n[1]", "Use `a[1]` and ``b` [3]",
	"See [3](https://s.example/c?x=1 \"t\") and https://s.example/b_(c).", "![alt [1]](https://s.example/a) ![3]",
	"[[[1]]] 【1†L3-L9】 ［２］ [^1] [doc 1; #3] [1-4]", "\\( x_{[1]} \\) $$ [1] $$ \\[1\\]", "<https://s.example/c?x=1#f> [x [y](https://s.example/c?x=1)",
	"~~~\n[1]\n~~~\n> ```\n> [1]\nout [1]", "- [3] a\n  [3] b\n\n[3]\t\nc", "退款[1]。（[3]）\xe3\x80\x5b1\xff]", "[1](a[1](a [1](b c) [1](<d e>)",
	"[120] file:///d%20e [9][9] [1][4][1, 4]", "`` ` ``` [1] ` ``\n\n[1]", "https://x.example/a[1] (https://s.example/a2)[3]", "h http https:// https:/ [1",
}

func FuzzCuts(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, uint64(i)*0x9e3779b97f4a7c15+1, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, cuts uint64, mode uint8) {
		o := Options{Mode: Mode(mode % 3), Renumber: mode&4 != 0}
		whole := write(o, text, func() int { return len(text) })
		ones := write(o, text, func() int { return 1 })
		state := cuts | 1
		mixed := write(o, text, func() int {
			state = state*6364136223846793005 + 1442695040888963407
			return int(state >> 60)
		})
		for how, got := range map[string]outcome{"single bytes": ones, "mixed cuts": mixed} {
			if got.text != whole.text {
				t.Fatalf("%s: %q, whole: %q", how, got.text, whole.text)
			}
			if !equal(got.events, whole.events) || !equal(got.deleted, whole.deleted) {
				t.Fatalf("%s: events %v deleted %v, whole: %v %v", how, got.events, got.deleted, whole.events, whole.deleted)
			}
		}
		const bound = maxMarker + maxTarget + 2*maxTail + 2*utf8.UTFMax
		if ones.longest > bound {
			t.Fatalf("%d bytes were held", ones.longest)
		}
		if o.Mode == Keep && whole.text != text {
			t.Fatalf("changed to %q", whole.text)
		}
	})
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// FuzzRemoveLeaks looks for URLs of sources in what is shown of them. Text
// with backticks, tildes or tabs is left out: code may hold anything.
func FuzzRemoveLeaks(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "https://s.example/a")
		f.Add("x "+s+" https://s.example/b_(c) y", " (https://s.example/a2)")
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.ContainsAny(before+after, "`~\\") {
			t.Skip("code and escapes protect links: the attack rows cover them")
		}
		text := before + after
		got := write(Options{Mode: Remove}, text, func() int { return 3 }).text
		for _, url := range []string{"https://s.example/a", "https://s.example/a2", "https://s.example/b_(c)", "http://s.example/c?x=1"} {
			if leaks(got, url) {
				t.Fatalf("%q shows %s from %q", got, url, text)
			}
		}
	})
}

// leaks reports whether a URL stands in a text and not as the beginning of a
// longer one.
func leaks(text, url string) bool {
	for {
		i := strings.Index(text, url)
		if i < 0 {
			return false
		}
		text = text[i+len(url):]
		if text == "" || strings.ContainsAny(text[:1], " \n\t\r)]>\"#") {
			return true
		}
	}
}

// FuzzCode puts text into a fence, where it must come out as it went in.
func FuzzCode(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "see [1]\n")
	}
	f.Fuzz(func(t *testing.T, code, before string) {
		if strings.Contains(code, "~~~~") || strings.ContainsAny(before, "`~$\\") || strings.Contains(before, "\n>") {
			t.Skip("the frame around the code would be closed by the input itself")
		}
		body := "~~~~\n" + code + "\n~~~~\n"
		o := Options{Mode: Mode(len(before) % 2)}
		got := write(o, "a "+before+"\n\n"+body+"[3] end", func() int { return 5 }).text
		if !strings.Contains(got, body) || !strings.HasSuffix(got, "~~~~\nend") {
			t.Fatalf("%q does not hold %q", got, body)
		}
	})
}
