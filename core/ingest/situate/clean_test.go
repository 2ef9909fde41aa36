package situate

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"The billing guide for Lisbon.":                         "The billing guide for Lisbon.",
		"  two\nlines\tand\r\nmore ":                            "two lines and more",
		"**Bold** `code` # head":                                "Bold code head",
		"max_output of the proxy":                               "max_output of the proxy",
		"see [the page](https://evil.example/?q=1) of the team": "see the page of the team",
		"![x](http://a/b.png) about cats":                       "x about cats",
		"go to https://evil.example/now please":                 "go to please",
		"<script>alert</script> about dogs":                     "alert about dogs",
		"a\x00b\x1b[31mred\u202e\u200b text":                    "ab 31mred text",
		"broken \xff bytes":                                     "broken bytes",
		"-":                                                     "",
		"":                                                      "",
		"!!! ??? ... ---":                                       "",
		"I'm sorry, but I cannot help with that.":               "",
		"Das Handbuch für Köln, Ausgabe 2026":                   "Das Handbuch für Köln, Ausgabe 2026",
		"給与の手引き、東京支社":                                           "給与の手引き、東京支社",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, long := range []string{strings.Repeat("word ", 500), strings.Repeat("ж", 5000)} {
		if got := clean(long); utf8.RuneCountInString(got) > longestContext || !utf8.ValidString(got) || got == "" {
			t.Errorf("%d letters are left", utf8.RuneCountInString(got))
		}
	}
}

func TestInputs(t *testing.T) {
	d := core.ContextDocument{Title: "Guide"}
	for i := range 50 {
		d.Passages = append(d.Passages, core.Passage{
			Ordinal: i, Heading: "Chapter " + string(rune('A'+i/5)), Text: "passage" + string(rune('a'+i%26)) + strings.Repeat(" word", 30),
		})
	}
	count := model.NewCounter().Count
	whole := newInputs(d, 1<<20)
	if a, b := whole.of(0), whole.of(49); !strings.HasPrefix(a, whole.whole) || !strings.HasPrefix(b, whole.whole) || strings.Count(a, "# Chapter") != 10 {
		t.Error("the passages of a document do not begin alike")
	}
	for _, room := range []int{1, 100, 400, 1000} {
		in := newInputs(d, room)
		for i := range d.Passages {
			from, to := in.part(i)
			if from > i || to <= i {
				t.Fatalf("room %d: part %d to %d lacks passage %d", room, from, to, i)
			}
			text := in.of(i)
			if !strings.Contains(text, "which is long") || !strings.Contains(text, `"title":"Guide"`) {
				t.Fatalf("room %d: %s", room, text)
			}
			if n := count(text); n > 2*room+200 {
				t.Errorf("room %d: passage %d takes %d tokens", room, i, n)
			}
		}
	}
	if in := newInputs(d, 1000); !strings.Contains(in.of(0), `"Chapter J"`) {
		t.Error("the headings are missing")
	}
}
