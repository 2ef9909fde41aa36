package gaps

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// each runs a subtest for every row of every file in testdata/<name>.
func each[T any](t *testing.T, name string, run func(t *testing.T, row T)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			var head struct{ Name string }
			var row T
			if err := json.Unmarshal([]byte(line), &head); err != nil {
				t.Fatalf("%s: %v in %s", f, err, line)
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v in %s", f, err, line)
			}
			t.Run(head.Name, func(t *testing.T) { run(t, row) })
		}
	}
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func asked(texts ...string) []Question {
	var out []Question
	for i, text := range texts {
		out = append(out, Question{TurnID: fmt.Sprint(i), Text: text, At: noon.Add(-time.Duration(i) * time.Minute), Outcome: Unanswered})
	}
	return out
}

func TestGroups(t *testing.T) {
	type row struct {
		Texts []string
		Want  [][]int
		Terms []string // of the first group
	}
	each(t, "groups", func(t *testing.T, row row) {
		got := [][]int{}
		groups := Groups(asked(row.Texts...))
		for _, g := range groups {
			var ids []int
			for _, q := range g.Questions {
				var n int
				fmt.Sscan(q.TurnID, &n)
				ids = append(ids, n)
			}
			got = append(got, ids)
		}
		if !reflect.DeepEqual(got, row.Want) {
			t.Errorf("groups %v, want %v", got, row.Want)
		}
		if row.Terms != nil {
			terms := slices.Sorted(slices.Values(groups[0].Terms))
			if want := slices.Sorted(slices.Values(row.Terms)); !slices.Equal(terms, want) {
				t.Errorf("terms %v, want %v", terms, want)
			}
		}
	})
}

// Every question is in one group, whatever the questions are, and the order in which
// they come changes nothing.
func TestGroupsLoseNothing(t *testing.T) {
	words := strings.Fields("vpn token printer badge coffee invoice travel laptop desk payroll 休暇 会議 \x00 " + strings.Repeat("x", 5000))
	var texts []string
	for i := range 300 {
		texts = append(texts, words[i%len(words)]+" "+words[(i*7+3)%len(words)]+" "+words[(i*i)%len(words)])
	}
	all := asked(texts...)
	groups := Groups(all)
	n := 0
	for _, g := range groups {
		n += len(g.Questions)
		if g.Reasons[NoAnswer] != len(g.Questions) || len(g.Terms) > mostLabels {
			t.Errorf("group %+v", g)
		}
	}
	if n != len(all) {
		t.Errorf("%d of %d questions", n, len(all))
	}
	slices.Reverse(all)
	if again := Groups(all); !reflect.DeepEqual(groups, again) {
		t.Error("the order of the questions changes the groups")
	}
}

func TestTellable(t *testing.T) {
	type row struct {
		Place, Class, In string
		InClass          string `json:"in_class"`
		Want             bool
	}
	each(t, "tellable", func(t *testing.T, row row) {
		if got := Tellable(Question{Place: row.Place, Class: row.Class}, Reader{row.In, row.InClass}); got != row.Want {
			t.Errorf("tellable: %v", got)
		}
	})
}

func TestReasons(t *testing.T) {
	for _, row := range []struct {
		q    Question
		want []Reason
	}{
		{Question{Outcome: Answered, Coverage: 0.9}, nil},
		{Question{Outcome: Answered, Coverage: 0.2}, []Reason{WeakAnswer}},
		{Question{Outcome: Answered}, nil}, // from a live source, which has no coverage
		{Question{Outcome: Unanswered, Coverage: 0.2}, []Reason{NoAnswer}},
		{Question{Outcome: Unsourced, Help: 1, Down: 2}, []Reason{NoSource, AskedHuman, VotedDown}},
		{Question{Outcome: Failed}, nil}, {Question{Outcome: Stopped}, nil}, {Question{Outcome: Talk}, nil},
		{Question{Down: 1}, []Reason{VotedDown}},
	} {
		if got := Reasons(row.q); !slices.Equal(got, row.want) {
			t.Errorf("%+v: %v, want %v", row.q, got, row.want)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	cited := []core.Citation{{Number: 1}}
	for _, row := range []struct {
		a        core.Answer
		searches int
		want     string
	}{
		{core.Answer{Mode: core.ModeModel, Citations: cited}, 1, Answered},
		{core.Answer{Mode: core.ModeModel}, 2, Unsourced},
		{core.Answer{Mode: core.ModeModel}, 0, Talk},
		{core.Answer{Mode: core.ModeQuotes, Citations: cited}, 1, Quoted},
		{core.Answer{Mode: core.ModeQuotes}, 1, Unanswered},
		{core.Answer{Mode: core.ModeModel, Citations: cited, Stopped: true}, 1, Stopped},
	} {
		if got := OutcomeOf(row.a, row.searches); got != row.want || !slices.Contains(Outcomes, got) {
			t.Errorf("%+v: %s, want %s", row.a, got, row.want)
		}
	}
}

// What was asked in private is counted in a digest, and nothing of it is in it.
func TestDigestHoldsNothingPrivate(t *testing.T) {
	all := []Question{
		{TurnID: "1", Text: "canary public", Place: "slack:T1/C1", Class: "public_channel", Outcome: Unanswered},
		{TurnID: "2", Text: "canary direct", Place: "slack:T1/D1", Class: "dm", Outcome: Unanswered, Help: 1},
		{TurnID: "3", Text: "canary whispered", Place: "slack:T1/C1", Class: "ephemeral", Outcome: Unsourced},
		{TurnID: "4", Text: "fine", Place: "slack:T1/C1", Class: "public_channel", Outcome: Answered, Coverage: 1},
	}
	d := DigestFor(all, Reader{"slack:T1/C1", "public_channel"})
	if d.Asked != 4 || d.Hidden != 2 || d.Reasons[NoAnswer] != 2 || d.Reasons[AskedHuman] != 1 {
		t.Errorf("digest %+v", d)
	}
	if text := fmt.Sprint(d.Groups); !strings.Contains(text, "canary public") || strings.Contains(text, "direct") || strings.Contains(text, "whispered") {
		t.Errorf("groups %s", text)
	}
}
