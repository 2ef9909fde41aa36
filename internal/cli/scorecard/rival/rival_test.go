package rival_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/scorecard/rival"
)

func engines(t *testing.T) map[string]rival.Engine {
	t.Helper()
	fts5, err := rival.OpenFTS5(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bleve, err := rival.OpenBleve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]rival.Engine{"fts5": fts5, "bleve": bleve}
}

// The others have to answer the same question as the index does: the best documents
// that hold a word of it, and only those that may be read.
func TestEnginesFilterAndRank(t *testing.T) {
	docs := []core.IndexedDocument{
		{Facts: core.Facts{Document: "twice", Access: core.NewAccess(core.Public)}, Title: "Leave",
			Passages: []core.Passage{{Text: "Annual leave and parental leave."}, {Text: "Leave is granted by the team lead."}}},
		{Facts: core.Facts{Document: "once", Access: core.NewAccess(core.Public, core.Group("g", "1"))}, Title: "Office", Passages: []core.Passage{{Text: "Who is on leave may keep the desk."}}},
		{Facts: core.Facts{Document: "closed", Access: core.NewAccess(core.Group("g", "1"))}, Title: "Leave", Passages: []core.Passage{{Text: "Leave of the board."}}},
		{Facts: core.Facts{Document: "other", Access: core.NewAccess(core.Public)}, Title: "Coffee", Passages: []core.Passage{{Text: "Beans come from Altenburg."}}},
	}
	for name, e := range engines(t) {
		t.Run(name, func(t *testing.T) {
			for _, batch := range [][]core.IndexedDocument{docs[:2], docs[2:]} {
				if err := e.Put(t.Context(), batch); err != nil {
					t.Fatal(err)
				}
			}
			for _, row := range []struct {
				text  string
				by    []core.Principal
				limit int
				want  []string
			}{
				{"leave", []core.Principal{core.Public}, 10, []string{"twice", "once"}},
				{"leave", []core.Principal{core.Public}, 1, []string{"twice"}},
				{"beans or \"leave\" AND desk*", []core.Principal{core.Group("g", "1")}, 10, []string{"once", "closed"}},
				{"altenburg", []core.Principal{core.Public, core.Group("g", "1")}, 10, []string{"other"}},
				{"altenburg", []core.Principal{core.Group("g", "1")}, 10, nil},
				{"-- ()", []core.Principal{core.Public}, 10, nil},
			} {
				got, err := e.Search(t.Context(), row.text, row.by, row.limit)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) == 0 {
					got = nil
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Errorf("%q as %v: %s", row.text, row.by, diff)
				}
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
