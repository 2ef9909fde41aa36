package find

import "testing"

// BenchmarkPlanning is what planning, sections and reading cost by themselves, with
// thirty passages found and no model.
func BenchmarkPlanning(b *testing.B) {
	l := many(30)
	p := NewPlanner(PlannerOptions{Passages: l, Sources: sourceList})
	for b.Loop() {
		turn := p.Begin(Turn{Message: "And how long does it take to charge the robots at the dock in the wiki?"})
		if _, err := turn.Search(b.Context(), Asked{Queries: []string{"charging", "robots at the dock", "charging time"}, Query: Query{Limit: 15}}); err != nil {
			b.Fatal(err)
		}
		l.asked = nil
	}
}
