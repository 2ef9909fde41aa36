package find

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// watched notes every filter that passages are read under.
type watched struct {
	library
	filters []core.Filter
}

func (w *watched) Search(ctx context.Context, q Query) ([]core.Result, error) {
	w.filters = append(w.filters, q.Filter)
	return w.library.Search(ctx, q)
}

func (w *watched) Around(ctx context.Context, q Query, windows []core.Window) ([][]core.Result, error) {
	w.filters = append(w.filters, q.Filter)
	return w.library.Around(ctx, q, windows)
}

// Whatever a model says, nothing is read that the turn's own filter does not allow.
func TestPlansOnlyNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	names := []string{"wiki", "jira", "slack", "payroll"}
	days := []string{"null", `"-P2W"`, `"-P1Y"`, `"2025-06-01"`, `"2030-01-01"`, `"latest"`}
	moment := func() time.Time { return now.AddDate(0, -rng.IntN(30), 0) }
	docs := facts(rng, moment)
	narrowed := 0
	for range 300 {
		base := core.Filter{Principals: []core.Principal{"group:a/x"}, Now: now}
		if rng.IntN(2) == 0 {
			base.Sources = []string{"wiki", "team-chat"}[:rng.IntN(3)]
		}
		if rng.IntN(3) == 0 {
			base.Updated = core.Range{From: moment(), To: moment()}
		}
		if rng.IntN(3) == 0 {
			base.Created.From = moment()
		}
		plan := fmt.Sprintf(`{"rewrite":"a","sources":{"names":[%q,%q],"in_order":%v},"time":{"field":%q,"start":%s,"end":%s}}`,
			names[rng.IntN(4)], names[rng.IntN(4)], rng.IntN(2) == 0, []string{"created", "updated"}[rng.IntN(2)], days[rng.IntN(6)], days[rng.IntN(6)])
		w := &watched{library: *onePassages()}
		p := NewPlanner(PlannerOptions{Passages: w, Sources: sourceList, Planning: Always, Selection: Always}).Begin(Turn{
			Message: "What do the wiki, jira, slack and payroll say?", Now: now,
			Model: &scripted{says: []func(context.Context, model.Request) (string, error){says(plan), says(`{"sections":[{"number":1,"keep":true,"extent":"document"}]}`)}},
		})
		for range 3 {
			if _, err := p.Search(t.Context(), Asked{Queries: []string{"a"}, Query: Query{Filter: base}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range w.filters {
			for _, d := range docs {
				if f.Allows(d) && !base.Allows(d) {
					t.Fatalf("plan %s reads %+v under %+v, which %+v does not allow", plan, d, f, base)
				}
				if !f.Allows(d) && base.Allows(d) {
					narrowed++
				}
			}
		}
	}
	if narrowed == 0 {
		t.Error("no plan narrowed anything")
	}
}

func facts(rng *rand.Rand, moment func() time.Time) []core.Facts {
	var out []core.Facts
	for i := range 60 {
		d := core.Facts{Source: named3[i%3].Name, Access: core.NewAccess(core.Public), Hidden: i%11 == 0}
		d.Document = fmt.Sprint(d.Source, "/", i)
		if i%4 == 0 {
			d.Access = core.NewAccess(core.Principal(strings.Split("group:a/x group:a/y", " ")[i/4%2]))
		}
		if rng.IntN(4) > 0 {
			d.Updated, d.Created = moment(), moment()
		}
		out = append(out, d)
	}
	return out
}
