package cite

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// fragments are what mixtures are made of: everything some rule speaks of.
var fragments = []string{
	"[1]", "[2]", "[3]", "[9]", "[1, 3]", "[3,9]", "[0]", "[^1]", "[^9]", "【3†a】", "［1】", "[[3]]", "[[[1", "[1-4]", "[doc 3]",
	"[", "]", "(", ")", "（", "）", "![", "!", "](", "<", ">", ",", ";", "、", ".", "。", ":", "#", "?", "/", "\\", "$$", "\\(", "\\)",
	" ", "  ", "\t", "\n", "\n\n", "\r\n", "`", "``", "```", "```go\n", "~~~\n", "~", "*", "**", "_", "\"", "'", "- ", "> ", "1. ",
	"word", "h", "http", "https://", "htt", "ps://s.example/a", "s.exa", "mple/a", "https://s.example/a", "https://s.example/b_(c)", "http://s.example/c?x=1", "HTTP://S.example/c%3fx=1",
	"https://other.example/x[1]", "[x](https://s.example/c?x=1)", "[x](https://s.example/a \"t\")", "(https://s.example/a2)", "退款", "👍", "é", "\xe3\x80", "\xff", "†", "-", "1", "2",
}

func mixture(r *rand.Rand, parts []string) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func TestMixturesDoNotDependOnCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for range rounds {
		text := mixture(r, fragments)
		o := Options{Mode: Mode(r.IntN(3)), Renumber: r.IntN(2) == 0}
		whole := write(o, text, func() int { return len(text) })
		ones := write(o, text, func() int { return 1 })
		some := write(o, text, func() int { return r.IntN(6) })
		for _, got := range []outcome{ones, some} {
			if got.text != whole.text || !slices.Equal(got.events, whole.events) || !slices.Equal(got.deleted, whole.deleted) {
				t.Fatalf("mode %d %q: whole %q, cut %q", o.Mode, text, whole.text, got.text)
			}
		}
	}
}

func TestMixturesDoNotLeak(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := slices.DeleteFunc(slices.Clone(fragments), func(s string) bool { return strings.ContainsAny(s, "`~\\") })
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for range rounds {
		text := mixture(r, parts)
		got := write(Options{Mode: Remove}, text, func() int { return 1 + r.IntN(6) }).text
		for _, url := range []string{"https://s.example/a", "https://s.example/a2", "https://s.example/b_(c)", "http://s.example/c?x=1"} {
			if leaks(strings.ToLower(got), url) {
				t.Fatalf("%q shows %s: %q", text, url, got)
			}
		}
	}
}
