package eval

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func TestReadQuestions(t *testing.T) {
	for _, row := range []struct {
		name, text string
		kind       core.Kind
		says       string
	}{
		{"good", `{"question":"Where?","expect":["docs/a"],"as":"ann@example.com"}` + "\n\n" + `{"question":"Where?","answer":["there"]}`, "", ""},
		{"no JSON", "Where?", core.KindInvalid, "line 1"},
		{"no question", `{"expect":["a"]}`, core.KindInvalid, "no question"},
		{"nothing expected", `{"question":"a"}`, core.KindInvalid, "expects nothing"},
		{"an empty answer", `{"question":"a","answer":[""]}`, core.KindInvalid, "expects nothing"},
		{"a slip", `{"question":"a","expects":["b"]}`, core.KindInvalid, "expects"},
		{"twice", `{"question":"a","expect":["b"]}` + "\n" + `{"question":"a ","answer":["b"]}`, core.KindInvalid, "line 2"},
		{"empty", "\n", core.KindInvalid, "no questions"},
	} {
		path := filepath.Join(t.TempDir(), "q.jsonl")
		if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadQuestions(path)
		if row.kind == "" {
			if err != nil || len(got) != 2 || got[0].As != "ann@example.com" {
				t.Errorf("%s: %+v, %v", row.name, got, err)
			}
			continue
		}
		if core.KindOf(err) != row.kind || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// shelf finds the same for everybody.
type shelf Sought

func (s shelf) Seek(context.Context, Question, int) (Sought, error) { return Sought(s), nil }

func TestAskedQuestions(t *testing.T) {
	yes, no, half := true, false, 0.5
	found := shelf{
		Hits:    []Hit{{"docs/a", "https://example.com/a#part"}, {"docs/b", "https://example.com/b/"}, {ID: "docs/c"}},
		Context: "You get **thirty days** of\nleave, that’s all.",
	}
	questions := []Question{
		{Question: "1", Expect: []string{"docs/b"}},
		{Question: "2", Expect: []string{"docs/c"}}, // behind the first two
		{Question: "3", Expect: []string{"https://example.com/a"}},
		{Question: "4", Expect: []string{"docs/z", "https://example.com/b"}},
		{Question: "5", Answer: []string{"forty days", "Thirty days of leave, that's"}},
		{Question: "6", Answer: []string{"days leave"}},
	}
	r, err := Ask(t.Context(), questions, 2, found)
	if err != nil {
		t.Fatal(err)
	}
	var ranks []int
	var answered []*bool
	for _, one := range r.Results {
		ranks, answered = append(ranks, one.Rank), append(answered, one.Answered)
	}
	if d := cmp.Diff([]int{2, 0, 1, 2, 0, 0}, ranks); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]*bool{nil, nil, nil, nil, &yes, &no}, answered); d != "" {
		t.Error(d)
	}
	r.Results = nil
	if d := cmp.Diff(OwnReport{Questions: 6, K: 2, Found: 0.75, MRR: 0.5, Answered: &half}, r); d != "" {
		t.Error(d)
	}
}

func TestCompare(t *testing.T) {
	yes, no := true, false
	result := func(rank int, answered *bool) Result {
		return Result{Question: Question{Question: "q", Expect: []string{"a"}}, Rank: rank, Answered: answered}
	}
	for _, row := range []struct {
		name        string
		before, now Result
		want        Verdict
	}{
		{"same", result(1, &yes), result(1, &yes), Same},
		{"never found", result(0, nil), result(0, nil), Same},
		{"lost", result(9, nil), result(0, nil), Lost},
		{"gained", result(0, nil), result(9, nil), Gained},
		{"higher", result(3, nil), result(1, nil), Higher},
		{"lower", result(1, &no), result(3, &no), Lower},
		{"answer lost", result(1, &yes), result(1, &no), Lost},
		{"answer gained", result(3, &no), result(3, &yes), Gained},
		{"lost one, gained the other", result(1, &no), result(0, &yes), Lost},
		{"an answer is asked for since", result(1, nil), result(1, &no), Same},
	} {
		if got := verdict(row.before, row.now); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
	before := OwnReport{Results: []Result{
		{Question: Question{Question: "1", Expect: []string{"a"}}, Rank: 1}, {Question: Question{Question: "2", Expect: []string{"a"}}, Rank: 1},
		{Question: Question{Question: "3", Expect: []string{"a"}}}, {Question: Question{Question: "gone", Expect: []string{"a"}}, Rank: 1},
	}}
	now := OwnReport{Results: []Result{
		{Question: Question{Question: "1", Expect: []string{"a"}}, Rank: 1}, {Question: Question{Question: "2", Expect: []string{"a"}}, Found: []Hit{{ID: "x"}}},
		{Question: Question{Question: "3", Expect: []string{"a"}}, Rank: 2}, {Question: Question{Question: "1", Expect: []string{"a"}, As: "ann"}, Rank: 1},
	}}
	for tolerate, failed := range map[float64]bool{0: true, 0.33: true, 0.34: false, 1: false} {
		c := Compare(before, now, tolerate)
		if c.Failed != failed || c.Compared != 3 || c.Better != 1 || c.Worse != 1 || len(c.Changes) != 3 || c.Changes[2].Verdict != New || c.Changes[0].Now.First != "x" {
			t.Errorf("tolerating %g: %+v", tolerate, c)
		}
	}
}
