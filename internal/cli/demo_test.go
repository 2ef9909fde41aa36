package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads the sample documents, a PDF among them")
	}
	u := newUser(t)
	u.env["FOOTNOTE_DATA_DIR"] = "mine"
	first := u.run("demo")
	if first.code != 0 || strings.Count(first.out, "Sources\n") != len(demoQuestions()) || !strings.Contains(first.out, "27 vacation days") {
		t.Errorf("without a terminal: %+v", first)
	}
	a := u.ask("demo", "--ask", demoQuestions()[0])
	if !slices.Contains(cited(a), "handbook/policies/vacation.md") {
		t.Errorf("answer = %+v", a)
	}
	if o := u.run("demo", "--ask", demoQuestions()[0]); strings.Contains(o.err, "Reading") {
		t.Errorf("the documents are read again: %s", o.err)
	}
	if a := u.ask("demo", "--ask", "What is the wifi password of the Lisbon office?"); len(a.Citations) != 0 {
		t.Errorf("nothing answers this: %+v", a)
	}
	salary := "What is the salary band of a senior engineer?"
	if a := u.ask("demo", "--ask", salary); len(a.Citations) != 0 || strings.Contains(a.Text, "L4") {
		t.Errorf("the HR page leaks: %+v", a)
	}
	if a := u.ask("demo", "--ask", salary, "--as", "hr@"+demoDomain); !slices.Contains(cited(a), "handbook/hr/salary-bands.md") {
		t.Errorf("HR finds its page: %+v", a)
	}
	for line := range strings.Lines(u.must("demo", "--json")) {
		var a core.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || len(a.Citations) == 0 {
			t.Errorf("line %s: %v", line, err)
		}
	}
	if o := u.run("source", "list"); strings.Contains(o.out, "handbook") {
		t.Errorf("the demo must keep to its own folder: %s", o.out)
	}
}
