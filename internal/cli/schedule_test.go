package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestScheduled(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	sources := []core.Source{
		{Name: "never"}, {Name: "new", Every: time.Hour}, {Name: "due", Every: time.Hour}, {Name: "early", Every: time.Hour},
		{Name: "hasty", Every: time.Second}, {Name: "eager", Every: time.Second},
	}
	last := map[string]time.Time{
		"never": now.AddDate(-1, 0, 0), "due": now.Add(-time.Hour), "early": now.Add(-59 * time.Minute),
		"hasty": now.Add(-time.Minute), "eager": now.Add(-59 * time.Second),
	}
	var got []string
	for _, s := range scheduled(sources, last, now) {
		got = append(got, s.Name)
	}
	if want := []string{"new", "due", "hasty"}; !slices.Equal(got, want) {
		t.Errorf("due are %v, want %v", got, want)
	}
}

func TestServeReadsSourcesThatAreDue(t *testing.T) {
	u := newUser(t)
	u.write(map[string]string{
		"docs/leave.md": "# Leave\n\nEvery employee has 28 days of annual leave.\n",
		"other/x.md":    "# Other\n\nNobody asked to read this.\n",
		"footnote.yaml": "sources:\n" +
			"  - {name: wiki, connector: files, access: workspace, every: 1h, config: {dir: docs}}\n" +
			"  - {name: idle, connector: files, access: workspace, config: {dir: other}}\n",
	})
	u.serving()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(u.run("search", "annual", "leave").out, "28 days"); {
		if time.Now().After(deadline) {
			t.Fatalf("wiki was not read: %s", u.must("source", "list"))
		}
		time.Sleep(100 * time.Millisecond)
	}
	if out := u.must("source", "show", "idle"); !strings.Contains(out, "never") {
		t.Errorf("a source without a schedule was read: %s", out)
	}
}
