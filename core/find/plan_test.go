package find

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// rows runs a subtest for every row of the folder's files.
func rows[T any](t *testing.T, folder string, name func(T) string, run func(*testing.T, T)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in %s: %v", folder, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			var row T
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v: %s", file, err, line)
			}
			t.Run(name(row), func(t *testing.T) { run(t, row) })
		}
	}
}

func berlin(t *testing.T) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, 3, 2, 9, 30, 0, 0, zone)
}

// What a model may reply to the planning call, and what is made of it.
func TestReadPlan(t *testing.T) {
	type row struct {
		Name, Reply, Message string
		Names                []string
		None                 bool
		Rewrite              string
		Keywords             []string
		Sources              []string
		InOrder              bool `json:"in_order"`
		Created              bool
		From, To             string
		Authors              []string
	}
	now := berlin(t)
	rows(t, "plans", func(r row) string { return r.Name }, func(t *testing.T, r row) {
		got, ok := readPlan(r.Reply, r.Message, r.Names, now)
		if ok == r.None {
			t.Fatalf("an object was found: %v", ok)
		}
		from, to := got.Window.days()
		have := row{r.Name, r.Reply, r.Message, r.Names, r.None, got.Rewrite, got.Keywords, got.Scope.Names,
			got.Scope.InOrder, got.Window.Created, from, to, got.Authors}
		if diff := cmp.Diff(r, have); diff != "" {
			t.Errorf("the plan differs (-want +got):\n%s", diff)
		}
	})
}

func TestReadPlanCutsLongTexts(t *testing.T) {
	long := strings.Repeat("年", 5000)
	got, _ := readPlan(`{"rewrite":"`+long+`","keywords":["`+long+`"]}`, "x", nil, time.Now())
	if n := len([]rune(got.Rewrite)); n != longestWording || len(got.Keywords) != 1 {
		t.Errorf("%d letters, %d keywords", n, len(got.Keywords))
	}
}

// FuzzReadPlan: nothing that a model says makes a query that is no line.
func FuzzReadPlan(f *testing.F) {
	f.Add(`{"rewrite":"a","keywords":["b"],"time":{"start":"-P1D"}}`, "in 2024")
	f.Add("```{\"sources\":[\"wiki\"]}", "wiki")
	f.Fuzz(func(t *testing.T, reply, message string) {
		now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		p, _ := readPlan(reply, message, []string{"wiki"}, now)
		for _, q := range append([]string{p.Rewrite}, p.Keywords...) {
			if strings.ContainsAny(q, "\n\r\x00") || len([]rune(q)) > longestWording {
				t.Errorf("query %q", q)
			}
		}
		if p.Window.Range.From.After(now) || p.Scope.Names != nil && len(p.Scope.Names) == 0 {
			t.Errorf("plan %+v", p)
		}
	})
}

func TestWindow(t *testing.T) {
	type row struct{ Name, Start, End, From, To string }
	now := berlin(t)
	write := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.Format(time.RFC3339)
	}
	rows(t, "windows", func(r row) string { return r.Name }, func(t *testing.T, r row) {
		got := window(r.Start, r.End, now)
		if write(got.From) != r.From || write(got.To) != r.To {
			t.Errorf("%s to %s, want %s to %s", write(got.From), write(got.To), r.From, r.To)
		}
	})
}

// A window lies inside what the filter has already; where that leaves no time it
// does not count.
func TestWindowNarrows(t *testing.T) {
	at := func(month, day int) time.Time { return time.Date(2026, time.Month(month), day, 0, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		name         string
		has, window  core.Range
		created, yes bool
		want         core.Range
	}{
		{"nothing there", core.Range{}, core.Range{From: at(1, 1)}, false, true, core.Range{From: at(1, 1)}},
		{"inside", core.Range{From: at(1, 1), To: at(3, 1)}, core.Range{From: at(2, 1)}, false, true, core.Range{From: at(2, 1), To: at(3, 1)}},
		{"wider", core.Range{From: at(2, 1)}, core.Range{From: at(1, 1)}, false, true, core.Range{From: at(2, 1)}},
		{"apart", core.Range{To: at(1, 1)}, core.Range{From: at(2, 1)}, false, false, core.Range{To: at(1, 1)}},
		{"off", core.Range{To: at(1, 1)}, core.Range{}, false, false, core.Range{To: at(1, 1)}},
		{"created leaves updated alone", core.Range{To: at(1, 1)}, core.Range{From: at(2, 1)}, true, true, core.Range{To: at(1, 1)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, yes := Window{Created: row.created, Range: row.window}.narrow(core.Filter{Updated: row.has})
			if yes != row.yes || f.Updated != row.want || row.created && f.Created != row.window {
				t.Errorf("%v %+v %+v", yes, f.Updated, f.Created)
			}
		})
	}
}

func TestTrivial(t *testing.T) {
	type row struct {
		Message               string
		Queries               []string
		Named, Going, Trivial bool
	}
	rows(t, "trivial", func(r row) string { return r.Message }, func(t *testing.T, r row) {
		if r.Queries == nil {
			r.Queries = []string{"annual leave entitlement"}
		}
		if got := trivial(r.Message, r.Queries, r.Named, r.Going); got != r.Trivial {
			t.Errorf("trivial: %v", got)
		}
	})
}

func TestWordings(t *testing.T) {
	plan := Plan{Rewrite: "Leave in Berlin", Keywords: []string{"leave", "LEAVE ", "vacation"}}
	got := wordings(plan, []string{"leave  in berlin", "leave", "days off"}, "And in Berlin?")
	want := []Wording{
		{"Leave in Berlin", 2.0, false}, {"leave", 0.7, false}, {"days off", 0.7, false}, {"And in Berlin?", 0.5, false},
		{"leave", 2.0, true}, {"vacation", 1.0, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wordings differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"vacation"}, plan.added([]string{"leave  in berlin", "leave"}, "")); diff != "" {
		t.Errorf("added queries differ (-want +got):\n%s", diff)
	}
	if got := (Query{Queries: []string{"a"}, Wordings: []Wording{{"b", 1.3, false}, {" ", 9, false}}}).weighed(); len(got) != 1 || got[0].text != "b" || got[0].weight != 1.3 {
		t.Errorf("asked of the index: %+v", got)
	}
}
