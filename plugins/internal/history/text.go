package history

import (
	"strings"
	"time"
)

// Clip keeps a foreign text short and on one line.
func Clip(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

// Cut shortens a text at a character.
func Cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// PlainName keeps a name from being more than that.
func PlainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_`[]<>#|\\", r) {
			return ' '
		}
		return r
	}, name)
	return Clip(name, 80)
}

// First is the first text that says anything.
func First(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// Past keeps a time that a clock ahead of ours wrote from lying in the future.
func Past(t, now time.Time) time.Time {
	if t.After(now) {
		return now.UTC().Truncate(time.Second)
	}
	return t
}
