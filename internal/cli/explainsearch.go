package cli

import (
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core/find"
)

// explainSearch tells how a search came about and what became of its results.
func explainSearch(b *strings.Builder, s find.Trace) {
	if s.Unplanned != "" {
		fmt.Fprintf(b, "  not planned: %s\n", s.Unplanned)
	}
	for _, q := range s.Queries {
		kind := ""
		if q.Keywords {
			kind = ", keywords"
		}
		fmt.Fprintf(b, "  query: %s (weight %.1f%s)\n", q.Text, q.Weight, kind)
	}
	if len(s.Sources) > 0 {
		fmt.Fprintf(b, "  because of the question only in: %s\n", strings.Join(s.Sources, ", "))
	}
	if s.From != "" || s.To != "" {
		field := "changed"
		if s.Created {
			field = "created"
		}
		fmt.Fprintf(b, "  because of the question only what was %s from %s to %s\n", field, orOpen(s.From), orOpen(s.To))
	}
	if len(s.Authors) > 0 {
		fmt.Fprintf(b, "  documents by %s came first\n", strings.Join(s.Authors, ", "))
	}
	fmt.Fprintf(b, "  found %d passages; took about %d of %d tokens; plan %.0f ms, search %.1f ms, selection %.0f ms, reading around %.1f ms\n",
		s.Candidates, s.Used, s.Room, s.PlanMS, s.SearchMS, s.SelectMS, s.ReadMS)
	if s.WordsOnly != "" {
		fmt.Fprintf(b, "  by words alone: %s\n", s.WordsOnly)
	}
	if s.Unranked != "" {
		fmt.Fprintf(b, "  not reranked: %s\n", s.Unranked)
	}
	if s.Unselected != "" {
		fmt.Fprintf(b, "  not selected by the model: %s\n", s.Unselected)
	}
	for i, one := range s.Sections {
		explainSection(b, i+1, one)
	}
}

func explainSection(b *strings.Builder, n int, s find.TraceSection) {
	if s.Verdict == "" && s.Left == "" {
		return // it stands below
	}
	fmt.Fprintf(b, "  section %d, %s, passage %d", n, s.Document, s.Passage)
	for _, part := range []string{s.Verdict, s.Extent, s.Left} {
		if part != "" {
			fmt.Fprintf(b, ", %s", part)
		}
	}
	fmt.Fprintln(b)
}

func orOpen(day string) string {
	if day == "" {
		return "any day"
	}
	return day
}
