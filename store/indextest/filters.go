package indextest

import (
	"fmt"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// testFilters compares the index with core.Filter.Allows over all combinations
// of a few facts and filters.
func testFilters(t *testing.T, x core.Index) {
	alice, eng := core.User("alice@example.com"), core.Group("g", "eng")
	var all []core.Facts
	for _, source := range []string{"wiki", "drive"} {
		for _, access := range []core.Access{nil, core.NewAccess(core.Public), core.NewAccess(core.Workspace), core.NewAccess(alice), core.NewAccess(eng, alice)} {
			for _, hidden := range []bool{false, true} {
				id := fmt.Sprintf("%s/%d", source, len(all))
				all = append(all, core.Facts{Document: id, Source: source, Access: access, Hidden: hidden})
			}
		}
	}
	for i, f := range all {
		put(t, x, core.IndexedDocument{Facts: f, Passages: []core.Passage{{ID: core.PassageID(i + 1), Document: f.Document, Text: "walrus"}}})
	}
	for _, f := range filters(alice, eng) {
		var want []core.PassageID
		for i, d := range all {
			if f.Allows(d) {
				want = append(want, core.PassageID(i+1))
			}
		}
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) { wantSet(t, search(t, x, "walrus", f), want...) })
	}
}

func filters(alice, eng core.Principal) []core.Filter {
	var out []core.Filter
	for _, principals := range [][]core.Principal{nil, {}, {core.Workspace}, {eng}, {alice, core.Workspace}, {"user:nobody@example.com"}} {
		for _, bypass := range []bool{false, true} {
			for _, sources := range [][]string{nil, {}, {"wiki"}, {"unknown"}} {
				out = append(out,
					core.Filter{Principals: principals, Bypass: bypass, Sources: sources},
					core.Filter{Principals: principals, Bypass: bypass, Sources: sources, IncludeHidden: true})
			}
		}
	}
	return append(out,
		core.Filter{Bypass: true, Documents: []string{}},
		core.Filter{Bypass: true, Documents: []string{"wiki/2", "drive/12", "wiki/none"}},
		core.Filter{Documents: []string{"wiki/2", "drive/12"}, Sources: []string{"drive"}})
}
