package cli

import (
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core/find"
)

// explainSearch tells how a search came about and what became of its results.
func explainSearch(b *strings.Builder, s find.Trace) {
	for _, line := range append(askedLines(s), searchLines(s)...) {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// askedLines tell what was searched for, which says what was asked.
func askedLines(s find.Trace) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, q := range s.Queries {
		kind := ""
		if q.Keywords {
			kind = ", keywords"
		}
		add("query: %s (weight %.1f%s)", q.Text, q.Weight, kind)
	}
	if len(s.Sources) > 0 {
		add("because of the question only in: %s", strings.Join(s.Sources, ", "))
	}
	if s.From != "" || s.To != "" {
		field := "changed"
		if s.Created {
			field = "created"
		}
		add("because of the question only what was %s from %s to %s", field, orOpen(s.From), orOpen(s.To))
	}
	if len(s.Authors) > 0 {
		add("documents by %s came first", strings.Join(s.Authors, ", "))
	}
	return lines
}

// searchLines tell how it was searched.
func searchLines(s find.Trace) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if s.Unplanned != "" {
		add("not planned: %s", s.Unplanned)
	}
	add("found %d passages; took about %d of %d tokens; plan %.0f ms, search %.1f ms, selection %.0f ms, reading around %.1f ms",
		s.Candidates, s.Used, s.Room, s.PlanMS, s.SearchMS, s.SelectMS, s.ReadMS)
	if s.WordsOnly != "" {
		add("by words alone: %s", s.WordsOnly)
	}
	if s.Unranked != "" {
		add("not reranked: %s", s.Unranked)
	}
	if s.Unselected != "" {
		add("not selected by the model: %s", s.Unselected)
	}
	for i, one := range s.Sections {
		if one.Verdict != "" || one.Left != "" { // the others stand among the candidates
			add("%s", sectionLine(i+1, one))
		}
	}
	return lines
}

func sectionLine(n int, s find.TraceSection) string {
	line := fmt.Sprintf("section %d, %s, passage %d", n, s.Document, s.Passage)
	for _, part := range []string{s.Verdict, s.Extent, s.Left} {
		if part != "" {
			line += ", " + part
		}
	}
	return line
}

func orOpen(day string) string {
	if day == "" {
		return "any day"
	}
	return day
}
