package discord

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// A translation takes the same values as its sentence, and the commands in it stay
// what people type.
func TestTranslationsSayTheSame(t *testing.T) {
	verbs, commands := regexp.MustCompile(`%[a-z]`), regexp.MustCompile("`/?[a-z]+`")
	for english, w := range words {
		for _, text := range []string{w.de, w.zh} {
			if text == "" || !slices.Equal(verbs.FindAllString(text, -1), verbs.FindAllString(english, -1)) ||
				!slices.Equal(commands.FindAllString(text, -1), commands.FindAllString(english, -1)) {
				t.Errorf("%q is not %q", text, english)
			}
		}
	}
	code, err := os.ReadFile("footnote.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`i\.say\(("[^"]+")`).FindAllStringSubmatch(string(code), -1) {
		if english, err := strconv.Unquote(m[1]); err != nil || words[english].de == "" {
			t.Errorf("not translated: %s", m[1])
		}
	}
	for class, english := range classWords {
		if _, ok := words[english]; !ok {
			t.Errorf("%s: %q is not translated", class, english)
		}
	}
	for locale, want := range map[string]string{"de": "Mitglied", "zh-TW": "成员", "fr": "member", "": "member"} {
		if got := (interaction{Locale: locale}).say(classWords[core.AccountMember]); !strings.Contains(got, want) {
			t.Errorf("%s: %q", locale, got)
		}
	}
	if got := (interaction{Locale: "de"}).say("I know you as %s.", "ann"); got != "Ich kenne dich als ann." {
		t.Errorf("%q", got)
	}
}
