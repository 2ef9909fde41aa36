package prompts

import (
	"strings"
	"testing"
)

func TestQuotaIsSaidInEveryLanguage(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range []Language{English, German, Chinese} {
		for _, who := range []string{"user", "channel", "model", "all"} {
			text := Quota(l, who, "TIME")
			if !strings.Contains(text, "TIME") || strings.Contains(text, "{") || seen[text] {
				t.Errorf("%s, %s: %q", l, who, text)
			}
			seen[text] = true
		}
	}
	if got := Quota("fr", "?", "TIME"); got != Quota(English, "all", "TIME") {
		t.Errorf("otherwise: %q", got)
	}
}
