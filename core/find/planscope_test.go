package find

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

func TestMentions(t *testing.T) {
	sources := []SourceName{{"wiki", "files"}, {"jira", "jira"}, {"team-chat", "slack"}, {"old_wiki", "confluence"}}
	for _, row := range []struct {
		text   string
		filter core.Filter
		want   []string
	}{
		{"What is the leave policy?", core.Filter{}, nil},
		{"What does the Wiki say?", core.Filter{}, []string{"wiki"}},
		{"Is it in Jira, or in Slack?", core.Filter{}, []string{"jira", "slack"}},
		{"in the team chat", core.Filter{}, []string{"team chat"}},
		{"team-chat", core.Filter{}, []string{"team-chat"}},
		{"the wikipedia article of jiraffes", core.Filter{}, nil},
		{"在wiki里", core.Filter{}, []string{"wiki"}},
		{"What does the wiki say?", core.Filter{Sources: []string{"jira", "team-chat"}}, nil},
		{"What does jira say?", core.Filter{Sources: []string{"jira"}}, nil}, // there is nothing to choose
		{"Jira or the wiki?", core.Filter{Under: []core.FolderScope{{Folder: "jira/a"}, {Folder: "wiki/b"}}}, []string{"wiki", "jira"}},
		{"Jira or the wiki?", core.Filter{Under: []core.FolderScope{{Folder: "jira/a"}}}, nil},
		{"Jira or the wiki?", core.Filter{Under: []core.FolderScope{}}, nil},
		{"What does jira say?", core.Filter{Sources: []string{}}, nil},
	} {
		t.Run(row.text, func(t *testing.T) {
			if diff := cmp.Diff(row.want, words(mentions([]string{row.text}, sources, row.filter))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// asksFor is a plan with a scope.
func asksFor(names string, inOrder bool) *scripted {
	plan := `{"rewrite":"How is the robot charged?","keywords":["charging robot"],"sources":{"names":["` + strings.ReplaceAll(names, " ", `","`) + `"],"in_order":`
	if inOrder {
		plan += "true}}"
	} else {
		plan += "false}}"
	}
	return &scripted{says: []func(context.Context, model.Request) (string, error){says(plan)}}
}

func sourcesAsked(l *library) []string {
	var out []string
	for _, q := range l.asked {
		out = append(out, strings.Join(q.Filter.Sources, "+"))
	}
	return out
}

// Sources without an order are all searched each time.
func TestScopeCombined(t *testing.T) {
	l := onePassages()
	p := begin(l, asksFor("jira wiki", false), PlannerOptions{}, "What do the wiki and jira say about charging?")
	first := ask(t, p, "charging robot")
	ask(t, p, "charging station robot")
	if diff := cmp.Diff([]string{"wiki+jira", "wiki+jira"}, sourcesAsked(l)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(first.Note, "jira, wiki") || len(first.Results) != 2 {
		t.Errorf("note %q, %d results", first.Note, len(first.Results))
	}
}

// In an order each search takes the next source, with the plan's queries again;
// another topic begins with the same one; after the last everything is searched.
func TestScopeInOrder(t *testing.T) {
	l := onePassages()
	p := begin(l, asksFor("jira wiki", true), PlannerOptions{}, "How is it charged? Look in jira first, then in the wiki.")
	ask(t, p, "charging robot")
	ask(t, p, "canteen menu")    // about something else
	ask(t, p, "robot chargers")  // goes on
	ask(t, p, "charging robots") // all were tried
	if diff := cmp.Diff([]string{"jira", "jira", "wiki", ""}, sourcesAsked(l)); diff != "" {
		t.Error(diff)
	}
	var rewritten []bool
	for _, q := range l.asked {
		rewritten = append(rewritten, slices.ContainsFunc(q.Wordings, func(w Wording) bool { return w.Weight == rewriteWeight }))
	}
	if diff := cmp.Diff([]bool{true, false, true, false}, rewritten); diff != "" {
		t.Error(diff)
	}
}

// A source of which the search may find nothing is none that a question can name: the
// question costs no plan, and where it is planned for something else the model is not
// told of the name.
func TestScopeOfClosedSources(t *testing.T) {
	holds := func(_ context.Context, _ Query, source string) (bool, error) { return source != "jira", nil }
	for message, calls := range map[string]int{
		"What does jira say?": 0, "What does the wiki say?": 1, "What do jira and the wiki say?": 1, "What does jira say about it?": 1,
	} {
		l, m := onePassages(), asksFor("jira wiki", false)
		ask(t, begin(l, m, PlannerOptions{Holds: holds}, message), "charging")
		if m.calls() != calls || slices.Contains(l.asked[0].Filter.Sources, "jira") {
			t.Errorf("%s: %d calls, searched %v", message, m.calls(), l.asked[0].Filter.Sources)
		}
		for n := range m.calls() {
			if strings.Contains(m.input(n), `"jira"`) {
				t.Errorf("%s: the model is told of the source: %s", message, m.input(n))
			}
		}
	}
}

// A scope that leads nowhere is lifted at once and for the rest of the turn. Nothing
// tells of it: whether a source of that name is there may be closed to the readers, and
// the answer has to be the one that they get where there is none.
func TestScopeLifted(t *testing.T) {
	l := onePassages()
	l.results = l.results[2:] // nothing is in jira
	p := begin(l, asksFor("jira", false), PlannerOptions{}, "What does jira say about charging it?")
	for _, query := range []string{"charging", "charging station"} {
		if found := ask(t, p, query); len(found.Results) != 1 || strings.Contains(found.Note, "jira") || strings.Contains(found.Note, "Nothing") || len(found.Trace.Sources) > 0 {
			t.Errorf("%d results, note %q, trace %v", len(found.Results), found.Note, found.Trace.Sources)
		}
	}
	if diff := cmp.Diff([]string{"jira", "", ""}, sourcesAsked(l)); diff != "" {
		t.Error(diff)
	}
}

// A scope of which the filter allows nothing is no scope, never an empty list.
func TestScopeOutsideTheFilter(t *testing.T) {
	for _, row := range []struct {
		has, wants, want []string
		ok               bool
	}{
		{nil, []string{"jira"}, []string{"jira"}, true},
		{[]string{"wiki"}, []string{"jira"}, []string{"wiki"}, false},
		{[]string{"wiki", "jira"}, []string{"jira", "chat"}, []string{"jira"}, true},
		{[]string{}, []string{"jira"}, []string{}, false},
		{nil, nil, nil, false},
	} {
		f, ok := inside(core.Filter{Sources: row.has}, row.wants)
		if ok != row.ok || !slices.Equal(f.Sources, row.want) || (f.Sources == nil) != (row.want == nil) {
			t.Errorf("%v inside %v: %v, %v", row.wants, row.has, f.Sources, ok)
		}
	}
}

// Documents of an author come first, but only where it may be seen who wrote them.
func TestAuthorsComeFirst(t *testing.T) {
	l := onePassages()
	l.results[2].Document.Authors = []string{"Ann Lee"}
	for _, row := range []struct {
		named func(core.Document) bool
		want  core.PassageID
		note  bool
	}{
		{func(core.Document) bool { return true }, 3, true},
		{func(d core.Document) bool { return d.Source != "team-chat" }, 1, false},
		{nil, 1, false},
	} {
		p := begin(l, &scripted{says: []func(context.Context, model.Request) (string, error){says(`{"authors":["Ann"]}`)}}, PlannerOptions{}, "What did Ann write?")
		p.turn.Named = row.named
		found := ask(t, p, "robots")
		if got := found.Results[0].Passage.ID; got != row.want || strings.Contains(found.Note, "Ann") != row.note {
			t.Errorf("first is %d, note %q", got, found.Note)
		}
	}
}

// A time that the question names bounds every search of the turn, inside what was
// bounded already; where the two do not meet it does not count.
func TestWindowBoundsSearches(t *testing.T) {
	plan := `{"time":{"field":"updated","start":"-P2W","end":null}}`
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name string
		has  core.Range
		want core.Range
		note string
	}{
		{"alone", core.Range{}, core.Range{From: now.AddDate(0, 0, -14).Add(-9 * time.Hour)}, "changed since 2026-02-16"},
		{"apart", core.Range{To: now.AddDate(0, -2, 0)}, core.Range{To: now.AddDate(0, -2, 0)}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := onePassages()
			m := &scripted{says: []func(context.Context, model.Request) (string, error){says(plan)}}
			p := begin(l, m, PlannerOptions{}, "What changed in the last two weeks?")
			for _, query := range []string{"changes", "decisions"} {
				found, err := p.Search(t.Context(), Asked{Queries: []string{query}, Query: Query{Filter: core.Filter{Updated: row.has}}})
				if err != nil || !strings.Contains(found.Note, row.note) || row.note == "" && found.Note != "" {
					t.Errorf("note %q, %v", found.Note, err)
				}
			}
			for _, q := range l.asked {
				if q.Filter.Updated != row.want {
					t.Errorf("searched in %+v", q.Filter.Updated)
				}
			}
		})
	}
}

// Without a model, and where it is switched off, the asker's words and the model's
// queries are searched, and the trace says why there is no plan.
func TestSearchesWithoutPlan(t *testing.T) {
	m := &scripted{says: []func(context.Context, model.Request) (string, error){says(`{"rewrite":"a"}`)}}
	for _, row := range []struct {
		model Model
		when  When
		why   string
	}{{nil, Always, "no model"}, {m, Off, "switched off"}} {
		l := onePassages()
		p := begin(l, row.model, PlannerOptions{Planning: row.when, Selection: row.when}, "How does it work in the wiki?")
		found := ask(t, p, "fleet manager")
		if diff := cmp.Diff([]Wording{{"fleet manager", 0.7, false}, {"How does it work in the wiki?", 0.5, false}}, l.asked[0].Wordings); diff != "" {
			t.Error(diff)
		}
		if m.calls() != 0 || !strings.Contains(found.Trace.Unplanned, row.why) || !strings.Contains(found.Trace.Unselected, row.why) || len(found.Results) != 3 {
			t.Errorf("%d calls, %d results, trace %+v", m.calls(), len(found.Results), found.Trace)
		}
	}
}
