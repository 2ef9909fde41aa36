package slack

import (
	"bytes"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func TestMarkdown(t *testing.T) {
	known := func(of map[string]string) func(string) string { return func(id string) string { return of[id] } }
	of := names{
		user: known(map[string]string{"U1": "Ann"}), group: known(map[string]string{"S1": "support"}), channel: known(map[string]string{"C1": "general"}),
	}
	hosttest.Rows(t, "markdown", func(t *testing.T, row struct{ Text, Want, Plain string }) {
		if got := markdown(row.Text, of); got != row.Want {
			t.Errorf("got  %q\nwant %q", got, row.Want)
		}
		if got := plainText(row.Text, of); row.Plain != "" && got != row.Plain {
			t.Errorf("plain: %q, want %q", got, row.Plain)
		}
	})
}

// Each row has messages as minutes of an hour and lengths of texts, and how many
// of them each window takes.
func TestWindows(t *testing.T) {
	hosttest.Rows(t, "windows", func(t *testing.T, row struct {
		At   []float64
		Size int
		Want []int
	}) {
		var list []message
		for _, minutes := range row.At {
			list = append(list, message{at: stamp(minutes * 60 * float64(second)), text: string(bytes.Repeat([]byte("a"), row.Size))})
		}
		got := windows(list)
		for n := range max(len(got), len(row.Want)) {
			if n >= len(got) || n >= len(row.Want) || len(got[n]) != row.Want[n] {
				t.Fatalf("window %d of %d: want %v", n, len(got), row.Want)
			}
		}
	})
}

func TestSearchWords(t *testing.T) {
	for text, want := range map[string]string{
		"where is the coffee?":                 "where is the coffee",
		"in:#secret from:@boss salaries":       "in secret from boss salaries",
		`"exact" -not has::eyes: AND OR v1.2.`: "exact not has eyes v1.2",
		"?!":                                   "",
	} {
		if got := searchWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, row := range []struct {
		name, field string
		src         Source
	}{
		{"no token", "token", Source{}},
		{"a bad expression", "exclude", Source{Token: "x", Exclude: []string{"/(/"}}},
		{"an empty name", "channels", Source{Token: "x", Channels: []string{"#"}}},
		{"too many days", "days", Source{Token: "x", Days: 1000}},
		{"too slow", "per_minute", Source{Token: "x", PerMinute: -1}},
		{"the token in the clear", "api_url", Source{Token: "x", ApiURL: "http://slack.example.com"}},
		{"credentials in the address", "api_url", Source{Token: "x", ApiURL: "https://a:b@slack.example.com"}},
	} {
		wantError(t, row.name, row.src.Start(t.Context(), nil), "config", row.field+": ")
	}
	src := Source{Token: "x"}
	if err := src.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{"nonsense", "null", `{"c":{"C1":null}}`, `{"s":1}`} {
		if got := src.readCursor(sdk.Cursor(cursor)); got.Channels == nil || got.Settings != src.settings() {
			t.Errorf("%s: %+v", cursor, got)
		}
	}
}
