package index

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWordsOfOneCharacter(t *testing.T) {
	for _, tt := range []struct{ run, want string }{
		{"盐的用途", "盐"},
		{"是盐", "盐"},
		{"什么是盐", "盐"},
		{"糖和盐的价格", "糖盐"},
		{"用途", ""},
		{"食盐的", ""},
		{"盐", ""}, // emitted already, as the whole run
		{"的", ""},
		{"", ""},
		{"犬は庭に", "犬庭"},
		{"子犬は", ""},
		{"鹽與糖", "鹽糖"},
	} {
		var got []rune
		lone(tt.run, func(p piece) {
			if p.kind != gram || p.size != 0 {
				t.Errorf("%q: %+v", tt.run, p)
			}
			got = append(got, []rune(p.text)...)
		})
		if string(got) != tt.want {
			t.Errorf("%q: %q, want %q", tt.run, string(got), tt.want)
		}
	}
}

// A text and a question that share one character of meaning share a term.
func TestWordOfOneCharacterIsShared(t *testing.T) {
	terms := func(text string) (out []string) {
		scan(text, func(p piece) { out = append(out, p.text) })
		return out
	}
	text, question := terms("盐（化学式NaCl）是一种矿物。"), terms("盐的用途是什么？")
	shared := slices.DeleteFunc(question, func(s string) bool { return !slices.Contains(text, s) })
	if diff := cmp.Diff([]string{"盐"}, shared); diff != "" {
		t.Error(diff)
	}
}
