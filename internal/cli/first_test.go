package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestFirstAnswer(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	a := u.ask("ask", "Where do visitors park?")
	if a.Mode != core.ModeQuotes || !slices.Equal(cited(a), []string{"docs/parking.md"}) {
		t.Fatalf("answer = %+v", a)
	}
	c := a.Citations[0]
	if c.Title != "Parking" || !strings.HasSuffix(c.URL, "/docs/parking.md") || !strings.Contains(c.Passage, "level minus two") {
		t.Errorf("citation = %+v", c)
	}
	if !strings.Contains(a.Text, "level minus two") || a.TurnID == "" {
		t.Errorf("answer = %+v", a)
	}
	plain := u.must("ask", "Where do visitors park?")
	for _, want := range []string{"level minus two", "[1]", "Sources", "Parking", "docs/parking.md"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is missing in\n%s", want, plain)
		}
	}
}

func TestNothingFoundCitesNothing(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	a := u.ask("ask", "Who won the sailing regatta in Patagonia?")
	if len(a.Citations) != 0 || a.Text == "" {
		t.Errorf("answer = %+v", a)
	}
}

func TestSecondSyncDoesNothing(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	var r reportView
	if err := json.Unmarshal([]byte(u.must("sync", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Changed+r.Extracted+r.Written+r.Removed+r.Failed != 0 || r.Error != "" {
		t.Errorf("report = %+v", r)
	}
	if out := u.must("sync"); !strings.Contains(out, "0 changed, 0 extracted, 0 written") {
		t.Errorf("output = %q", out)
	}
}

func TestChangesArrive(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	u.write(map[string]string{"docs/parking.md": "# Parking\n\nVisitors now park behind the sawmill.\n"})
	if err := os.Remove(filepath.Join(u.dir, "docs/coffee.md")); err != nil {
		t.Fatal(err)
	}
	if out := u.must("sync", "docs"); !strings.Contains(out, "1 changed") || !strings.Contains(out, "1 removed") {
		t.Errorf("output = %q", out)
	}
	if a := u.ask("ask", "Where do visitors park?"); !strings.Contains(a.Text, "sawmill") {
		t.Errorf("answer = %+v", a)
	}
	if a := u.ask("ask", "When is the espresso machine descaled?"); len(a.Citations) != 0 {
		t.Errorf("a removed document is cited: %+v", a)
	}
}

func TestEmptiedFolderIsHeldNotWiped(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	if err := os.RemoveAll(filepath.Join(u.dir, "docs")); err != nil {
		t.Fatal(err)
	}
	if o := u.run("sync"); o.code == 0 || !strings.Contains(o.err, filepath.Join(u.dir, "docs")) {
		t.Errorf("missing folder: %+v", o)
	}
	if err := os.Mkdir(filepath.Join(u.dir, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := u.run("sync")
	if o.code != 0 || !strings.Contains(o.err, "--accept-deletes") || !strings.Contains(o.out, "5 deletions held") {
		t.Errorf("empty folder: %+v", o)
	}
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) == 0 {
		t.Error("held documents must stay searchable")
	}
	if out := u.must("sync", "docs", "--accept-deletes"); !strings.Contains(out, "5 removed") {
		t.Errorf("output = %q", out)
	}
}

func TestOnlyWhoMayReadFinds(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	question := "How much does the managing director earn a year?"
	for _, row := range []struct {
		name  string
		args  []string
		finds bool
	}{
		{"operator", nil, false},
		{"the boss", []string{"--as", "Boss@Example.com"}, true},
		{"somebody else", []string{"--as", "eve@example.com"}, false},
		{"the boss, in public", []string{"--as", "boss@example.com", "--place", "public"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := u.ask(append([]string{"ask", question}, row.args...)...)
			if got := slices.Contains(cited(a), "docs/secret/pay.md"); got != row.finds {
				t.Errorf("cites %v", cited(a))
			}
			if !row.finds && strings.Contains(a.Text, "91000") {
				t.Errorf("the text leaks: %s", a.Text)
			}
			found := u.must(append([]string{"search", "managing director earns", "--json"}, row.args...)...)
			if got := strings.Contains(found, "91000"); got != row.finds {
				t.Errorf("search finds it: %v", got)
			}
		})
	}
	if a := u.ask("ask", "Where do visitors park?", "--as", "eve@elsewhere.example"); len(a.Citations) != 0 {
		t.Errorf("workspace documents are not for outsiders: %v", cited(a))
	}
	u.env["FOOTNOTE_MEMBERS_DOMAINS"] = "elsewhere.example"
	if a := u.ask("ask", "Where do visitors park?", "--as", "eve@elsewhere.example"); len(a.Citations) == 0 {
		t.Error("a full member finds workspace documents")
	}
}

func TestConversationIsOneThread(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	o := u.runIn(t.Context(), "Where do visitors park?\nWhen is the espresso machine descaled?\n", "chat", "--json")
	if o.code != 0 || strings.Count(o.out, "\n") != 2 {
		t.Fatalf("outcome = %+v", o)
	}
	for line := range strings.Lines(o.out) {
		var a core.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || len(a.Citations) != 1 {
			t.Errorf("answer %s: %v", line, err)
		}
	}
}
