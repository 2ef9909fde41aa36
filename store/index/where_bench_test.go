package index

import (
	"fmt"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// BenchmarkWhere is what conditions cost among 100,000 documents.
func BenchmarkWhere(b *testing.B) {
	f := benchFacts(100_000)
	for slot := range f.records {
		f.records[slot].title = fmt.Sprintf("page %d about something that people ask for", slot)
	}
	text := func(s string) []core.WhereValue { return []core.WhereValue{{Text: s}} }
	for name, w := range map[string]core.Where{
		"tag":      {Op: core.WhereIn, Field: core.WhereField{Name: "team", Meta: true}, Values: text("7")},
		"not tag":  {Op: core.WhereNot, Parts: []core.Where{{Op: core.WhereIn, Field: core.WhereField{Name: "team", Meta: true}, Values: text("7")}}},
		"title":    {Op: core.WhereContains, Field: core.WhereTitle, Values: text("page 77 ")},
		"existing": {Op: core.WhereExists, Field: core.WhereUpdated},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.allowed(core.Filter{Bypass: true, Where: &w})
			}
		})
	}
	b.Run("folder alone", func(b *testing.B) {
		for b.Loop() {
			f.allowed(core.Filter{Bypass: true, Under: []core.FolderScope{{Folder: "source1/space1", Levels: 1}}})
		}
	})
}
